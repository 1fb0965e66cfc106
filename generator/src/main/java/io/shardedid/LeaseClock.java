package io.shardedid;

/**
 * A moment seen on two clocks: from it and {@link TimeSource#nanoTime()} alone a process
 * computes the time.
 *
 * @param nanoTime the moment on the monotonic clock of this process
 * @param epochNanos the same moment in nanoseconds since 1970
 * @since 0.1
 */
public record LeaseClock(long nanoTime, long epochNanos) {

    /**
     * Returns the time at another moment of the monotonic clock.
     * @param now the moment
     * @return nanoseconds since 1970
     */
    public long epochNanosAt(long now) {
        return this.epochNanos + (now - this.nanoTime);
    }

}
