package io.shardedid.internal.lease;

import java.util.function.LongSupplier;

import io.shardedid.LeaseClock;
import org.jspecify.annotations.Nullable;

/**
 * The database's clock as this process keeps it between two replies: a line through the
 * monotonic clock, corrected by each quick reply. It goes forward at once and backward in
 * small steps, so that no caller stalls for the database's corrections. Used by one
 * thread at a time.
 */
final class DatabaseTime {

    private static final long QUICK_NANOS = 250_000_000;

    private final long backwardNanos;

    private final LongSupplier wallNanos;

    private @Nullable LeaseClock line;

    /**
     * Makes the time of a process that has not asked the database yet.
     * @param maxAheadNanos how far ids may run ahead of it
     * @param wallNanos the wall clock of this machine, in nanoseconds since 1970
     */
    DatabaseTime(long maxAheadNanos, LongSupplier wallNanos) {
        this.backwardNanos = maxAheadNanos / 2;
        this.wallNanos = wallNanos;
    }

    /**
     * Takes the time of a reply. While no lease is held, nothing has been claimed by the
     * line, so whatever the delay of the reply cannot explain is believed: a machine that
     * slept between two leases would otherwise begin the second one with the first one's
     * time.
     * @param holding whether a lease is held: then a jump beyond 10 s is believed only if
     * the machine slept meanwhile
     */
    void observe(long databaseMillis, long sentNanos, long receivedNanos, boolean holding) {
        long sample = databaseMillis * 1_000_000 + (receivedNanos - sentNanos) / 2;
        LeaseClock known = this.line;
        if (known == null) {
            this.line = new LeaseClock(receivedNanos, sample);
            return;
        }
        long ahead = sample - known.epochNanosAt(receivedNanos);
        boolean slept = jumped(ahead) && believes(databaseMillis, receivedNanos);
        if (slept || !holding && Math.abs(ahead) > receivedNanos - sentNanos) {
            this.line = new LeaseClock(receivedNanos, sample);
        }
        else if (!jumped(ahead) && receivedNanos - sentNanos <= QUICK_NANOS) {
            this.line = new LeaseClock(receivedNanos,
                    known.epochNanosAt(receivedNanos) + Math.max(ahead, -this.backwardNanos));
        }
    }

    /** How far the database is ahead of us, in nanoseconds. */
    long skewNanos(long databaseMillis, long now) {
        LeaseClock known = this.line;
        return (known != null) ? databaseMillis * 1_000_000 - known.epochNanosAt(now) : 0;
    }

    /**
     * Returns whether a time of the database is plausible. Where it is far ahead, the
     * clock of the database may have been set, or this machine may have slept, during
     * which the monotonic clock stood still. The wall clock shows which: after a sleep it
     * agrees with the database.
     */
    boolean believes(long databaseMillis, long now) {
        long skew = skewNanos(databaseMillis, now);
        return !jumped(skew) || (skew > 0 && !jumped(databaseMillis * 1_000_000 - this.wallNanos.getAsLong()));
    }

    /** The time to lease from: the database's, unless it jumped while we held a lease. */
    long estimateMillis(long databaseMillis, long now) {
        LeaseClock known = this.line;
        return (known == null || believes(databaseMillis, now)) ? databaseMillis : known.epochNanosAt(now) / 1_000_000;
    }

    LeaseClock line() {
        LeaseClock known = this.line;
        if (known == null) {
            throw new IllegalStateException("the database has not told its time yet");
        }
        return known;
    }

    private static boolean jumped(long nanos) {
        return Math.abs(nanos) > LeaseTiming.JUMP_MILLIS * 1_000_000;
    }

}
