package io.shardedid.hibernate;

import java.util.concurrent.atomic.AtomicLong;

import io.shardedid.TimeSource;

/**
 * The time of the system, except that waiting skips it: tests run the real waits in no
 * time.
 */
final class SkippingTime extends TimeSource {

    private final AtomicLong skippedNanos = new AtomicLong();

    @Override
    public long nanoTime() {
        return TimeSource.system().nanoTime() + this.skippedNanos.get();
    }

    @Override
    public long epochNanos() {
        return TimeSource.system().epochNanos() + this.skippedNanos.get();
    }

    @Override
    public void park(long nanos) {
        this.skippedNanos.addAndGet(nanos);
    }

}
