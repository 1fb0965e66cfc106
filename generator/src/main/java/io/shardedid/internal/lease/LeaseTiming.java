package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.random.RandomGenerator;

import io.shardedid.IdLayout;
import io.shardedid.internal.MessageText;

/**
 * The times of a lease, in the units that the protocol computes with.
 *
 * @param layout whose ticks bounds are counted in
 * @param windowMillis how long a lease lasts without renewal
 * @param renewNanos how often it is renewed, before jitter
 */
record LeaseTiming(IdLayout layout, long windowMillis, long renewNanos) {

    /** How far the database's clock may differ from ours before we go by ours. */
    static final long JUMP_MILLIS = 10_000;

    /** How soon to try again while a caller waits. */
    static final long IMPATIENT_NANOS = 250_000_000;

    /** How soon to look again after another process took the row. */
    static final long LOST_RACE_NANOS = 5_000_000;

    private static final long MARGIN_NANOS = 500_000_000;

    private static final double JITTER = 0.2;

    long tick(long epochMillis) {
        return Math.max(0, this.layout.tickAtEpochNanos(epochMillis * 1_000_000));
    }

    long windowTicks() {
        return Math.max(1, ticks(this.windowMillis));
    }

    /** How many whole ticks a span has. */
    long ticks(long millis) {
        return millis * 1_000_000 / this.layout.tick().toNanos();
    }

    /**
     * When to stop, for a lease whose first request was sent at sentNanos: before the
     * database lets anybody take the row.
     */
    long deadline(long sentNanos) {
        return sentNanos + usableNanos(this.windowMillis);
    }

    /**
     * When ids stop, on the clock by which a lease ends, unless it is renewed.
     * @param until when others may take the row
     * @param window how long the lease lasts without renewal
     */
    static Instant lastIds(Instant until, Duration window) {
        return until.minus(window).plusNanos(usableNanos(window.toMillis()));
    }

    private static long usableNanos(long windowMillis) {
        return windowMillis * 990_000 - MARGIN_NANOS;
    }

    /** Says in words how far a clock is from another one: {@code 72h behind}. */
    static String aheadOrBehind(Duration ahead) {
        String far = MessageText.measured(ahead.abs());
        return far + (ahead.isNegative() ? " behind" : " ahead of");
    }

    /** So that a fleet that started together does not renew together. */
    long jittered(long nanos, RandomGenerator random) {
        return (long) (nanos * (1 - JITTER + 2 * JITTER * random.nextDouble()));
    }

}
