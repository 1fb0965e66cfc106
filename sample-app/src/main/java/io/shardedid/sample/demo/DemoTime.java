package io.shardedid.sample.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.shardedid.TimeSource;

/**
 * The clock of the demo rows. It stands still, and goes on when it is set or waited on.
 * Thread-safe.
 */
final class DemoTime extends TimeSource {

    private final AtomicLong epochNanos;

    DemoTime(Instant start) {
        this.epochNanos = new AtomicLong(nanos(start));
    }

    /** Sets the clock forward; it never goes back. */
    void goOnTo(Instant instant) {
        this.epochNanos.accumulateAndGet(nanos(instant), Math::max);
    }

    void goOnBy(Duration duration) {
        this.epochNanos.addAndGet(duration.toNanos());
    }

    @Override
    public long nanoTime() {
        return this.epochNanos.get();
    }

    @Override
    public long epochNanos() {
        return this.epochNanos.get();
    }

    @Override
    public void park(long nanos) {
        this.epochNanos.addAndGet(nanos);
    }

    private static long nanos(Instant instant) {
        return TimeUnit.SECONDS.toNanos(instant.getEpochSecond()) + instant.getNano();
    }

}
