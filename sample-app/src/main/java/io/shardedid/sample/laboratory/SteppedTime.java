package io.shardedid.sample.laboratory;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

import io.shardedid.TimeSource;

/**
 * The clocks of the machine, with a wall clock that a visitor can set wrong. The
 * monotonic clock cannot be set, as on a real machine.
 */
final class SteppedTime extends TimeSource {

    private final TimeSource machine = TimeSource.system();

    private final AtomicLong stepNanos = new AtomicLong();

    void step(Duration by) {
        this.stepNanos.addAndGet(by.toNanos());
    }

    void setRight() {
        this.stepNanos.set(0);
    }

    Duration stepped() {
        return Duration.ofNanos(this.stepNanos.get());
    }

    Instant instant() {
        return Instant.ofEpochMilli(epochNanos() / 1_000_000);
    }

    @Override
    public long nanoTime() {
        return this.machine.nanoTime();
    }

    @Override
    public long epochNanos() {
        return this.machine.epochNanos() + this.stepNanos.get();
    }

    @Override
    public void park(long nanos) {
        this.machine.park(nanos);
    }

}
