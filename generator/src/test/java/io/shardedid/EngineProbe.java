package io.shardedid;

import java.util.function.BooleanSupplier;

import io.shardedid.internal.LeaseHolder;

/**
 * An engine as the simulation drives it: one attempt at a time, never waiting. The broken
 * variants live here, where the engine's parts are visible.
 */
public final class EngineProbe {

    private final EngineTerms terms;

    private final BooleanSupplier heapFull;

    /** The worker of a broken change of workers. */
    private int cellsWorker = -1;

    private Engine engine;

    /**
     * Makes a probe of a fresh engine.
     * @param heapFull asked at each change of the cells: whether there is no memory for
     * it
     */
    public EngineProbe(EngineTerms terms, LeaseSource source, BooleanSupplier heapFull) {
        this.terms = terms;
        this.heapFull = heapFull;
        this.engine = new Engine(terms, source, CellClaims.NO_TICK, this::cells);
    }

    /**
     * Makes a probe of a fresh engine that never lacks memory.
     */
    public EngineProbe(EngineTerms terms, LeaseSource source) {
        this(terms, source, () -> false);
    }

    private ShardCells cells(int shards) {
        if (this.engine != null && this.heapFull.getAsBoolean()) {
            throw new OutOfMemoryError("simulated");
        }
        return new ShardCells(shards, -1);
    }

    /** One attempt: an id, or a negative number. */
    public long tryNext(int shard) {
        return this.engine.numbers().tryNext(shard);
    }

    /** One attempt without a shard key. */
    public long tryNextKeyless() {
        return this.engine.numbers().tryNextKeyless();
    }

    /**
     * One attempt at a UUID, without its random bits, which would hide an equal claim.
     * @param ahead how many values are claimed first, so that the cell runs ahead of the
     * clock
     */
    public UuidClaim tryNextUuid(int shard, int ahead) {
        UuidMaker uuids;
        try {
            uuids = this.engine.uuids();
        }
        catch (OutOfMemoryError ex) {
            // no memory for their first cells
            return new UuidClaim(CellClaims.NO_LEASE, -1);
        }
        LeasedCells held = uuids.held();
        long elapsed = held.elapsedAt(this.terms.time().nanoTime());
        if (ahead > 0 && elapsed >= 0) {
            long floor = held.floor(elapsed);
            held.cells.claim(shard, floor, held.start(elapsed), held.limit(floor), ahead);
        }
        long cell = uuids.tryClaim(held, shard);
        return new UuidClaim(cell, (cell < 0) ? -1 : held.lease.worker());
    }

    /**
     * A claim of a UUID.
     *
     * @param cell tick and sequence
     * @param worker the worker, or -1
     */
    public record UuidClaim(long cell, int worker) {

        public boolean made() {
            return this.worker >= 0;
        }

        public long tick() {
            return this.cell >>> UuidLayout.SEQUENCE_BITS;
        }

    }

    /** One attempt at many ids: how many were made, or a negative number. */
    public long tryFill(int shard, long[] into) {
        return this.engine.numbers().tryFill(shard, into, 0);
    }

    /**
     * Whether there is a lease that allows ids, now or when the clock has caught up with
     * a burst.
     */
    public boolean usable() {
        long id = tryNextKeyless();
        return id >= 0 || id == CellClaims.AHEAD_OF_CLOCK;
    }

    /** Whether there is a lease whose deadline has passed. */
    public boolean lapsed() {
        LeasedCells held = this.engine.numbers().held();
        return held.lease.leased() && held.elapsedAt(this.terms.time().nanoTime()) < 0;
    }

    /** Lets the lease go until {@link #resume()}. */
    public void suspend() {
        this.engine.suspend();
    }

    /** Takes leases again. */
    public void resume() {
        this.engine.beforeResumption();
    }

    /** The engine as the source of leases sees it. */
    public LeaseHolder holder() {
        return this.engine;
    }

    /** The highest tick of all ids whose cells are poisoned, of any lease, or -1. */
    public long lastTick() {
        return this.engine.lastTick();
    }

    /** The lease that is held. */
    public TickLease lease() {
        return this.engine.numbers().held().lease;
    }

    /**
     * Broken: checks the deadline first, then reads the clock again, and trusts it
     * without a limit.
     */
    public long checkFirstThenReadTheClock(int shard) {
        LeasedCells held = this.engine.numbers().held();
        if (held.elapsedAt(this.terms.time().nanoTime()) < 0) {
            return -1;
        }
        IdLayout layout = this.terms.layout();
        long tick = layout.tickAt(held.instantAt(this.terms.time().nanoTime()));
        long floor = tick << layout.sequenceBits();
        return held.pack(held.cells.claim(shard, floor, floor, Long.MAX_VALUE), shard);
    }

    /**
     * Broken: ends the lease without poison, so that a call under way still claims in it.
     */
    public long relinquishWithoutPoison() {
        long highest = this.engine.numbers().held().cells.highest();
        this.engine.hold(TickLease.NONE);
        return highest < 0 ? -1 : highest >>> this.terms.layout().sequenceBits();
    }

    /**
     * Broken: ends the lease as the numbers see it, and forgets how far UUIDs have come.
     */
    public long relinquishByNumbersAlone() {
        long highest = this.engine.numbers().held().cells.highest();
        this.engine.relinquish();
        return tickOf(highest);
    }

    /** A call for an id that has read the lease and the clock, and claims later. */
    public Call call(int shard) {
        LeasedCells held = this.engine.numbers().held();
        long elapsed = held.elapsedAt(this.terms.time().nanoTime());
        long floor = held.floor(elapsed);
        return () -> held.cells.claim(shard, floor, held.start(elapsed), held.limit(floor)) >= 0;
    }

    /** A call that is under way. */
    public interface Call {

        /** Goes on, and says whether there will be an id. */
        boolean claims();

    }

    /** Every call that has read the lease and has not claimed yet. */
    public Claimants claimants() {
        return new Claimants(this.engine.numbers().held(), this.terms.layout());
    }

    /**
     * Calls that have read a lease, at any time of its clock, however long ago.
     */
    public static final class Claimants {

        private final LeasedCells held;

        private final IdLayout layout;

        private Claimants(LeasedCells held, IdLayout layout) {
            this.held = held;
            this.layout = layout;
        }

        public int worker() {
            return this.held.lease.worker();
        }

        /** The first tick that may still be claimed. */
        public long from() {
            long next = Math.max(this.held.cells.first(), this.held.cells.highest() + 1);
            return Math.max(this.held.lease.lo(), next >> this.layout.sequenceBits());
        }

        /** The first tick that may not be claimed; not more than from() if none may. */
        public long end() {
            return this.held.cells.poisoned() ? 0 : this.held.lease.hi();
        }

        /** Whether others claim in the same cells. */
        public boolean share(Claimants other) {
            return this.held.cells == other.held.cells;
        }

        /** Claims a tick, and makes the id. */
        public long make(long tick) {
            long floor = tick << this.layout.sequenceBits();
            return this.held.pack(this.held.cells.claim(0, floor, floor, this.held.limit(floor)), 0);
        }

    }

    /** The highest tick that was claimed under the latest lease, or -1. */
    public long highestTick() {
        return this.engine.numbers().highestTick();
    }

    /** Broken: goes on with a lease that was lost. */
    public long keepsLease() {
        return tickOf(this.engine.numbers().held().cells.highest());
    }

    /** Broken: forgets what was claimed so far. */
    public void forgetCells(LeaseSource source) {
        this.engine = new Engine(this.terms, source, CellClaims.NO_TICK, this::cells);
    }

    /**
     * Broken: poisons the cells before there are new ones, and forgets what they told
     * when the heap is full then.
     */
    public long relinquishPoisonFirst() {
        long highest = this.engine.numbers().held().cells.poison();
        if (this.heapFull.getAsBoolean()) {
            throw new OutOfMemoryError("simulated");
        }
        this.engine = new Engine(this.terms, this.engine.source(), tickOf(highest), this::cells);
        return tickOf(highest);
    }

    /** Broken: changes the worker as {@link #relinquishPoisonFirst()} ends a lease. */
    public void holdPoisonFirst(TickLease lease) {
        int before = this.cellsWorker;
        if (lease.leased() && before >= 0 && before != lease.worker()) {
            relinquishPoisonFirst();
        }
        this.cellsWorker = lease.leased() ? lease.worker() : before;
        this.engine.hold(lease);
    }

    private long tickOf(long cell) {
        return (cell < 0) ? CellClaims.NO_TICK : cell >>> this.terms.layout().sequenceBits();
    }

}
