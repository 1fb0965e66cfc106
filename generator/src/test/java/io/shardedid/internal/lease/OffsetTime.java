package io.shardedid.internal.lease;

import java.time.Duration;

import io.shardedid.TimeSource;

/** The time of the system with a wall clock that can be stepped. */
final class OffsetTime extends TimeSource {

    private volatile long offsetNanos;

    void stepTo(Duration offset) {
        this.offsetNanos = offset.toNanos();
    }

    @Override
    public long nanoTime() {
        return TimeSource.system().nanoTime();
    }

    @Override
    public long epochNanos() {
        return TimeSource.system().epochNanos() + this.offsetNanos;
    }

    @Override
    public void park(long nanos) {
        TimeSource.system().park(nanos);
    }

}
