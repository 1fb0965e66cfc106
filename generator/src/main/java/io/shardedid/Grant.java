package io.shardedid;

/**
 * A lease as one id needs it: everything precomputed, and together with the cells that it
 * may claim in. Both stand behind one reference, so that a call which still holds a
 * relinquished lease meets poisoned cells, never fresh ones. Immutable.
 */
final class Grant {

    final TickLease lease;

    final ShardCells cells;

    /** The moment at which elapsed time is zero, on the monotonic clock. */
    final long anchorNanos;

    /** Elapsed times of this and more are past the deadline. */
    final long validNanos;

    /** The first cell value of the lease's end. */
    final long hiCell;

    /** The worker where it stands in the id. */
    final long workerBits;

    private final long anchorCell;

    private final TickRate rate;

    private final long sequenceMask;

    Grant(TickLease lease, ShardCells cells, IdLayout layout, TickRate rate) {
        long clockTick = layout.tickAtEpochNanos(lease.clock().epochNanos());
        long intoTick = lease.clock().epochNanos() - layout.epochNanosOf(clockTick);
        this.lease = lease;
        this.cells = cells;
        this.rate = rate;
        this.sequenceMask = (1L << layout.sequenceBits()) - 1;
        this.anchorNanos = lease.clock().nanoTime() - intoTick;
        this.validNanos = lease.leased()
                ? Math.min(Math.max(0, lease.deadlineNanos() - this.anchorNanos), TickRate.MAX_NANOS) : 0;
        // a clock behind lo must not let an id fall below lo: those ticks may have been
        // another owner's
        this.anchorCell = Math.max(lease.lo(), clockTick) << layout.sequenceBits();
        this.hiCell = Math.min(lease.hi(), layout.lastTick() + 1) << layout.sequenceBits();
        this.workerBits = layout.pack(0, 0, Math.max(0, lease.worker()), 0);
    }

    /**
     * Tells the time in cell units, the tick and the part of it that has passed.
     * @param elapsed nanoseconds since the anchor, 0 to validNanos - 1
     */
    long unitsAt(long elapsed) {
        return this.anchorCell + this.rate.units(elapsed);
    }

    /** The first cell value of the tick of a time. */
    long floor(long units) {
        return units & ~this.sequenceMask;
    }

    /**
     * The cell value with which a fresh tick starts: the part of the tick that has
     * passed, in the lower half of the sequence. So ids sort inside a tick, and at low
     * traffic they are not all multiples of 2<sup>sequence bits</sup>.
     */
    long start(long units) {
        return floor(units) | (units & this.sequenceMask) >>> 1;
    }

}
