package io.shardedid;

/**
 * A moment seen on two clocks: the line by which a process tells time from
 * {@link TimeSource#nanoTime()} alone.
 *
 * @param nanoTime the moment on the monotonic clock of this process
 * @param epochNanos the same moment in nanoseconds since 1970
 */
public record LeaseClock(long nanoTime, long epochNanos) {

    /**
     * Tells the time at another moment of the monotonic clock.
     * @param now the moment
     * @return nanoseconds since 1970
     */
    public long epochNanosAt(long now) {
        return this.epochNanos + (now - this.nanoTime);
    }

}
