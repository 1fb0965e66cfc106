package io.shardedid.benchmarks;

import java.time.Instant;

import io.shardedid.TimeSource;

/**
 * A clock that goes on only when somebody waits, or when it is told to. Not safe for use
 * by many threads.
 */
final class SimulatedTime extends TimeSource {

    private final long startNanos = Instant.parse("2026-01-01T00:00:00Z").getEpochSecond() * 1_000_000_000L;

    private long nanos;

    @Override
    public long nanoTime() {
        return this.nanos;
    }

    @Override
    public long epochNanos() {
        return this.startNanos + this.nanos;
    }

    @Override
    public void park(long waited) {
        this.nanos += waited;
    }

}
