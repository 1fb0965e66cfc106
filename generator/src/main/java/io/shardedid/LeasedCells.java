package io.shardedid;

import java.time.Duration;
import java.time.Instant;

/**
 * A lease as one id needs it: everything precomputed, and together with the cells that it
 * may claim in. Both stand behind one reference, so that a call which still holds a
 * relinquished lease meets poisoned cells, never fresh ones. Immutable, apart from the
 * cells and from a memory that only saves work.
 *
 * <p>
 * Time is what elapsed since the anchor. It is counted in nanoseconds, or in cell units,
 * 2<sup>sequence bits</sup> a tick.
 */
final class LeasedCells {

    static final long OUT_OF_TIME = -1;

    final TickLease lease;

    final ShardCells cells;

    /** The moment at which elapsed time is zero, on the monotonic clock. */
    private final long anchorNanos;

    /**
     * How long before that moment the lease may begin, because its first tick lies ahead
     * of the clock. Until the clock has come there, elapsed time is zero.
     */
    private final long earlyNanos;

    /**
     * Elapsed times of this and more are past the deadline; negative if it comes before
     * the clock has come to the first tick.
     */
    private final long validNanos;

    private final long anchorCell;

    private final Instant anchor;

    /** The first cell value of the lease's end. */
    private final long hiCell;

    private final long aheadCells;

    /** Half of it, a tick at least: the rest is for callers with a key. */
    private final long keylessAheadCells;

    private final long sequenceMask;

    private final TickRate rate;

    private final long tickNanos;

    /**
     * Ticks between the anchor and the last call. Whether it is still the present one is
     * seen without the conversion, on whose result the compare-and-set would wait. Races
     * on it are harmless: it is checked by each call.
     */
    private long lastTick;

    /* Where the parts of an id stand; the worker is there already. */

    private final int sequenceBits;

    private final int timeShift;

    private final int shardShift;

    private final int sequenceShift;

    private final long workerBits;

    /**
     * Makes a lease over cells.
     * @param sequenceBits the width of the sequence in the cells; unless it is the
     * layout's, the values are not for {@link #pack}
     */
    LeasedCells(TickLease lease, ShardCells cells, EngineTerms terms, TickRate rate, int sequenceBits) {
        IdLayout layout = terms.layout();
        LeaseClock clock = lease.clock();
        long clockTick = layout.tickAtEpochNanos(clock.epochNanos());
        long intoTick = layout.nanosIntoTick(clock.epochNanos());
        long endTick = layout.lastTick() + 1;
        long aheadTicks = Math.min(terms.maxAhead().dividedBy(layout.tick()), endTick);
        this.lease = lease;
        this.cells = cells;
        this.rate = rate;
        this.tickNanos = layout.tick().toNanos();
        // without a lease there is no first tick, and time is never early
        long earlyTicks = lease.leased() ? Math.max(0, Math.min(lease.lo(), endTick) - clockTick) : 0;
        this.earlyNanos = Math.min(earlyTicks, TickRate.MAX_NANOS / this.tickNanos) * this.tickNanos;
        this.anchorNanos = clock.nanoTime() - intoTick + this.earlyNanos;
        this.validNanos = lease.leased()
                ? Math.min(Math.max(-this.earlyNanos, lease.deadlineNanos() - this.anchorNanos), TickRate.MAX_NANOS)
                : 0;
        // a clock behind lo must not let an id fall below lo: those ticks may have been
        // another owner's
        this.anchorCell = Math.min(Math.max(lease.lo(), clockTick), endTick) << sequenceBits;
        this.anchor = (clockTick >= lease.lo()) ? instantOf(clock.epochNanos() - intoTick)
                : layout.instantAt(Math.min(lease.lo(), layout.lastTick()));
        this.hiCell = Math.min(lease.hi(), endTick) << sequenceBits;
        this.aheadCells = aheadTicks << sequenceBits;
        this.keylessAheadCells = aheadTicks + 1 >> 1 << sequenceBits;
        this.sequenceMask = (1L << sequenceBits) - 1;
        this.sequenceBits = sequenceBits;
        this.timeShift = layout.timeShift();
        this.shardShift = layout.shiftOf(IdField.SHARD);
        this.sequenceShift = layout.shiftOf(IdField.SEQUENCE);
        this.workerBits = layout.pack(0, 0, Math.max(0, lease.worker()), 0);
    }

    /**
     * Returns the time.
     * @return nanoseconds since the anchor, 0 while the clock has yet to come there, or
     * OUT_OF_TIME if nothing is leased then
     */
    long elapsedAt(long nanoTime) {
        long elapsed = nanoTime - this.anchorNanos;
        return (elapsed < 0 || elapsed >= this.validNanos) ? early(elapsed) : elapsed;
    }

    private long early(long elapsed) {
        return (elapsed < 0 && elapsed >= -this.earlyNanos && elapsed < this.validNanos) ? 0 : OUT_OF_TIME;
    }

    /** The first cell value of the tick of a time. */
    long floor(long elapsed) {
        long tick = this.lastTick;
        // one comparison for both ends: a time before the tick is huge, unsigned
        if (Long.compareUnsigned(elapsed - tick * this.tickNanos, this.tickNanos) >= 0) {
            tick = this.rate.units(elapsed) >>> this.sequenceBits;
            this.lastTick = tick;
        }
        return this.anchorCell + (tick << this.sequenceBits);
    }

    /**
     * The cell value with which a fresh tick starts: the part of the tick that has
     * passed, in the lower half of the sequence. So ids sort inside a tick, and at low
     * traffic they are not all multiples of 2<sup>sequence bits</sup>.
     */
    long start(long elapsed) {
        long units = this.rate.units(elapsed);
        return this.anchorCell + (units & ~this.sequenceMask | (units & this.sequenceMask) >>> 1);
    }

    /** The first cell value that may not be claimed while a tick lasts. */
    long limit(long floor) {
        return Math.min(this.hiCell, floor + this.aheadCells);
    }

    /**
     * The first cell value that no id without a key may claim while a tick lasts. Such
     * ids use up every shard alike, so a caller with a key still finds the other half.
     * @param from the first value of the tick, or of cells that begin later
     */
    long keylessLimit(long floor, long from) {
        return Math.min(limit(floor), from + this.keylessAheadCells);
    }

    /** Makes the id of a cell value that was claimed. */
    long pack(long cell, int shard) {
        return cell >>> this.sequenceBits << this.timeShift | (long) shard << this.shardShift
                | (cell & this.sequenceMask) << this.sequenceShift | this.workerBits;
    }

    /** Returns whether the end of the lease is the nearer of the two limits in a tick. */
    boolean endsBeforeAhead(long floor) {
        return this.hiCell < floor + this.aheadCells;
    }

    /** Returns whether a limit is the lease's end. */
    boolean endsAt(long limit) {
        return this.hiCell <= limit;
    }

    /**
     * How long ids can still be made: until the deadline, or until the clock has passed
     * the last tick that is leased. On a database that may lose commits the ticks end
     * before the deadline.
     */
    Duration left(long nanoTime) {
        if (elapsedAt(nanoTime) < 0 || beginsLater(nanoTime) || endsBeforeItBegins()) {
            return Duration.ZERO;
        }
        long ticks = Math.max(0, (this.hiCell - this.anchorCell) >> this.sequenceBits);
        long end = (ticks > this.validNanos / this.tickNanos) ? this.validNanos : ticks * this.tickNanos;
        return Duration.ofNanos(Math.max(0, end - (nanoTime - this.anchorNanos)));
    }

    /** Returns whether the cells go on later than ids may run ahead of the clock. */
    boolean beginsLater(long nanoTime) {
        long elapsed = elapsedAt(nanoTime);
        return elapsed >= 0 && this.cells.first() >= limit(floor(elapsed));
    }

    /**
     * Returns whether the clock has yet to come to the first tick of the lease. Until
     * then a cell has no more values than the ticks that ids may run ahead.
     */
    boolean isEarly(long nanoTime) {
        return nanoTime - this.anchorNanos < 0 && elapsedAt(nanoTime) == 0;
    }

    /** Returns whether the clock does not come to the first tick within the lease. */
    boolean endsBeforeItBegins() {
        return this.validNanos < 0;
    }

    /** Returns the time as ids carry it, also after the lease. */
    Instant instantAt(long nanoTime) {
        long elapsed = nanoTime - this.anchorNanos;
        return (elapsed < 0 && this.earlyNanos > 0) ? this.anchor : this.anchor.plusNanos(elapsed);
    }

    static Instant instantOf(long epochNanos) {
        return Instant.ofEpochSecond(Math.floorDiv(epochNanos, 1_000_000_000),
                Math.floorMod(epochNanos, 1_000_000_000));
    }

}
