package io.shardedid;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The one place that reads clocks and waits. Tests put a settable one here; everything
 * else uses {@link #system()}. Implementations must be thread-safe.
 *
 * @implNote a class, so that the JVM devirtualises the call that each id needs while only
 * one subclass is loaded
 * @since 0.1
 */
public abstract class TimeSource {

    private static final TimeSource SYSTEM = new SystemTime();

    /** For subclasses. */
    protected TimeSource() {
    }

    /**
     * Returns the clocks of the machine.
     * @return the system's time
     */
    public static TimeSource system() {
        return SYSTEM;
    }

    /**
     * Returns a monotonic time of no particular origin.
     * @return nanoseconds
     */
    public abstract long nanoTime();

    /**
     * Returns the wall clock, which may be stepped at any time.
     * @return nanoseconds since 1970
     */
    public abstract long epochNanos();

    /**
     * Waits about that long, or less: an interrupted thread returns at once with its flag
     * set.
     * @param nanos at least 1
     */
    public abstract void park(long nanos);

    private static final class SystemTime extends TimeSource {

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public long epochNanos() {
            return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        }

        @Override
        public void park(long nanos) {
            LockSupport.parkNanos(this, nanos);
        }

    }

}
