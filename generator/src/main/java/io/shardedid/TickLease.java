package io.shardedid;

/**
 * The right to put ticks of {@code [lo, hi)} under one worker id, and the clock that
 * shows which of them is the present one.
 *
 * <p>
 * The interval alone makes ids unique. The deadline and the clock decide only when a
 * process stops and how well its ids sort.
 *
 * @param worker the worker id that ids carry, or -1 for {@link #NONE}
 * @param lo the first tick that ids may carry
 * @param hi the first tick that they may not carry; never more than what was acknowledged
 * @param deadlineNanos when to stop, on the {@link TimeSource#nanoTime()} of this process
 * @param clock what time it was at some moment not long ago
 * @since 0.1
 */
public record TickLease(int worker, long lo, long hi, long deadlineNanos, LeaseClock clock) {

    /** Nothing is leased: every id has to wait. */
    public static final TickLease NONE = new TickLease(-1, 0, 0, 0, new LeaseClock(0, 0));

    /**
     * Returns whether anything is leased.
     * @return false for {@link #NONE}
     */
    public boolean leased() {
        return this.worker >= 0;
    }

}
