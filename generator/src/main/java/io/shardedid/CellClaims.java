package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;

/**
 * Claims values for one kind of ids, in cells of its own, under the lease that the engine
 * holds. {@link NumberMaker} makes numbers of such values and {@link UuidMaker} UUIDs.
 * Claiming is thread-safe, without a lock, and allocates nothing. The lease is changed
 * under the lock of the engine.
 *
 * @implNote the makers extend this class because one more reference on the way to the
 * cells costs an id two per cent of its time
 */
abstract class CellClaims {

    /* Attempts that claimed nothing. All negative, as no value is. */

    static final long NO_LEASE = -1;

    static final long AHEAD_OF_CLOCK = -2;

    static final long LEASE_EXPIRED = -3;

    static final long RANGE_EXHAUSTED = -4;

    /** The last tick of cells in which nothing was claimed. */
    static final long NO_TICK = -1;

    /** In place of a shard: any will do. */
    static final int KEYLESS = -1;

    private final EngineTerms terms;

    private final IdLayout layout;

    private final TimeSource time;

    private final TickRate rate;

    private final int shards;

    private final int cellCount;

    private final int sequenceBits;

    private final int workerBits;

    /** Picks the cell of a shard: all bits, or none if one cell serves all shards. */
    private final int cellMask;

    /** Makes fresh cells for a number of shards; fails when the heap is full. */
    private final IntFunction<ShardCells> freshCells;

    private volatile LeasedCells held;

    /* What follows is guarded by the lock of the engine. */

    private boolean poisoned;

    /** The worker whose ids the present cells have made. */
    private int worker = TickLease.NONE.worker();

    /**
     * The highest tick that was claimed under the latest lease, as poisoned cells told,
     * or NO_TICK. It is kept because cells return it only once: an attempt that fails
     * after the poison must not lose it.
     */
    private long highestTick = NO_TICK;

    /** The tick after which fresh cells go on, so that ids of a shard are in order. */
    private long lastTick;

    /**
     * Makes claims that are all later than a tick, under no lease.
     * @param cellCount one cell for each shard, or 1
     * @param lastTick the tick, or NO_TICK
     * @param freshCells makes cells that nothing was claimed in, and may fail
     */
    CellClaims(EngineTerms terms, int cellCount, int sequenceBits, int workerBits, long lastTick,
            IntFunction<ShardCells> freshCells) {
        this.terms = terms;
        this.layout = terms.layout();
        this.time = terms.time();
        this.shards = terms.shards();
        this.cellCount = cellCount;
        this.sequenceBits = sequenceBits;
        this.workerBits = workerBits;
        this.cellMask = (cellCount == 1) ? 0 : -1;
        this.rate = new TickRate(this.layout.tick().toNanos(), this.sequenceBits);
        this.freshCells = freshCells;
        this.lastTick = lastTick;
        ShardCells first = fresh();
        first.startAfter(lastCellOf(lastTick));
        this.held = leasedCells(TickLease.NONE, first);
    }

    /**
     * Returns the lease and its cells, to be read once for each attempt, so that an id
     * carries the worker under which its value was claimed.
     */
    final LeasedCells held() {
        return this.held;
    }

    final void checkShard(int shard) {
        if (shard < 0 || shard >= this.shards) {
            throw new ShardKeyException(
                    "Could not make an id: shard must be in [0, %s]: shard=%s".formatted(this.shards - 1, shard));
        }
    }

    final int cellOf(int shard) {
        return shard & this.cellMask;
    }

    /**
     * One attempt at a value of a shard, which never waits.
     * @param followsClock whether values follow the clock inside a tick, too, so that ids
     * of all shards come in order to an index; the sequence needs room for it. It is a
     * constant of the caller, so the compiled code does not ask.
     * @return the value, or why there is none
     */
    final long claim(LeasedCells from, int shard, boolean followsClock) {
        int at = cellOf(shard);
        if (this.cellMask != 0) {
            // where all claim in one cell, its line would be gone again before the claim
            from.cells.fetch(at);
        }
        long elapsed = from.elapsedAt(this.time.nanoTime());
        if (elapsed < 0) {
            return NO_LEASE;
        }
        long floor = from.floor(elapsed);
        long start = from.start(elapsed);
        long cell = from.cells.claim(at, followsClock ? start : floor, start, from.limit(floor));
        return (cell >= 0) ? cell : refusal(from, floor);
    }

    /** Whether one cell serves all shards, so that its values are in order over them. */
    final boolean oneCell() {
        return this.cellMask == 0;
    }

    /** The shard that chance picks for a value or a tick, the same for all callers. */
    final int pickShard(long value, LeasedCells from) {
        long mixed = KeyShardFunction.mix(value * 31 + from.lease.worker());
        return (int) ((mixed >>> 32) * this.shards >>> 32);
    }

    /** Why nothing is left below the limit of a tick. */
    final long refusal(LeasedCells from, long floor) {
        return refusal(from, from.endsBeforeAhead(floor));
    }

    /** Why nothing is left below the nearer of two limits: the lease's end? */
    final long refusal(LeasedCells from, boolean leaseEnds) {
        if (!leaseEnds) {
            return AHEAD_OF_CLOCK;
        }
        return from.lease.hi() > this.layout.lastTick() ? RANGE_EXHAUSTED : LEASE_EXPIRED;
    }

    /*
     * When cells are replaced, everything is allocated first, for all kinds of ids, then
     * the old cells are poisoned, then the new ones become visible. Poison cannot be
     * taken back, so nothing may fail after it; an attempt that fails before it has
     * changed nothing and can be repeated.
     */

    /** Prepares the change to a lease. Changes nothing. */
    Change changeTo(TickLease lease) {
        boolean otherWorker = lease.leased() && lease.worker() != this.worker;
        if (otherWorker) {
            BitField.checkFits("worker", lease.worker(), this.workerBits);
        }
        boolean unusable = this.poisoned || otherWorker && this.worker >= 0;
        ShardCells cells = (lease.leased() && unusable) ? fresh() : this.held.cells;
        return new Change(leasedCells(lease, cells), otherWorker ? lease.worker() : this.worker);
    }

    /**
     * Prepares the end of the lease, which leaves fresh cells. Changes nothing. The rest
     * of the interval may be given to another process above {@link #highestTick}.
     */
    final Change changeToNone() {
        return new Change(leasedCells(TickLease.NONE, fresh()), this.worker);
    }

    /**
     * Ends the lease where the next one will bring fresh cells. Poisons the cells and
     * makes none, so that it cannot fail.
     */
    final void letGo() {
        ShardCells spent = this.held.cells;
        poison(spent);
        this.poisoned = true;
        try {
            this.held = leasedCells(TickLease.NONE, spent);
        }
        catch (OutOfMemoryError ex) {
            // The leased cells of before make no id either: they are poisoned.
        }
    }

    private void poison(ShardCells cells) {
        this.highestTick = Math.max(this.highestTick, tickOf(cells.poison()));
        this.lastTick = Math.max(this.lastTick, this.highestTick);
    }

    /**
     * The highest tick that was claimed under the latest lease, as far as its cells are
     * poisoned, or NO_TICK. What was claimed under the leases before it says nothing
     * about its interval.
     */
    final long highestTick() {
        return this.highestTick;
    }

    /** The highest tick of all ids, as far as their cells are poisoned, or NO_TICK. */
    final long lastTick() {
        return this.lastTick;
    }

    /**
     * Returns when ids begin, if that is later than they may run ahead of the clock:
     * earlier ones carry that time, because the clock was ahead then. Otherwise returns
     * null.
     */
    final @Nullable Instant beginsLater(long nanoTime) {
        LeasedCells now = this.held;
        return now.beginsLater(nanoTime)
                ? this.layout.instantAt(Math.min(tickOf(now.cells.first()), this.layout.lastTick())) : null;
    }

    /** Returns when the lease begins, if the clock has yet to come there, or null. */
    final @Nullable Instant leaseBegins(long nanoTime) {
        LeasedCells now = this.held;
        return now.isEarly(nanoTime) ? now.instantAt(nanoTime) : null;
    }

    final Duration ahead() {
        LeasedCells now = this.held;
        long elapsed = now.elapsedAt(this.time.nanoTime());
        return (elapsed < 0) ? Duration.ZERO : this.layout.tick()
            .multipliedBy(Math.max(0, tickOf(now.cells.highest()) - tickOf(now.floor(elapsed))));
    }

    private ShardCells fresh() {
        return this.freshCells.apply(this.cellCount);
    }

    private long lastCellOf(long tick) {
        return (tick + 1 << this.sequenceBits) - 1;
    }

    private long tickOf(long cell) {
        return (cell < 0) ? NO_TICK : cell >>> this.sequenceBits;
    }

    private LeasedCells leasedCells(TickLease lease, ShardCells cells) {
        return new LeasedCells(lease, cells, this.terms, this.rate, this.sequenceBits);
    }

    /** What replaces the present lease and cells. */
    final class Change {

        private final LeasedCells next;

        /** The worker whose ids the cells will have made. */
        private final int nextWorker;

        private Change(LeasedCells next, int nextWorker) {
            this.next = next;
            this.nextWorker = nextWorker;
        }

        LeasedCells next() {
            return this.next;
        }

        /** Makes the change visible. Allocates nothing. */
        void apply() {
            ShardCells before = CellClaims.this.held.cells;
            boolean begins = this.next.lease.leased() && !CellClaims.this.held.lease.leased();
            if (this.next.cells != before) {
                poison(before);
                // inside one tick a smaller worker makes a smaller id, so another worker
                // starts in a later tick
                this.next.cells.startAfter(lastCellOf(CellClaims.this.lastTick));
                CellClaims.this.poisoned = false;
            }
            if (begins) {
                CellClaims.this.highestTick = NO_TICK;
            }
            CellClaims.this.worker = this.nextWorker;
            CellClaims.this.held = this.next;
        }

    }

}
