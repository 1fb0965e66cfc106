package io.shardedid;

/**
 * An engine as the simulation drives it: one attempt at a time, never waiting. The broken
 * variants live here, where the engine's parts are visible.
 */
public final class EngineProbe {

    private final EngineTerms terms;

    private Engine engine;

    /** Makes a probe of a fresh engine. */
    public EngineProbe(EngineTerms terms, LeaseSource source) {
        this.terms = terms;
        this.engine = new Engine(terms, source, Engine.NO_TICK);
    }

    /** One attempt: an id, or a negative number. */
    public long tryNext(int shard) {
        return this.engine.tryNext(shard);
    }

    /** One attempt without a shard key. */
    public long tryNextKeyless() {
        return this.engine.tryNextKeyless();
    }

    /** One attempt at many ids: how many were made, or a negative number. */
    public long tryFill(int shard, long[] into) {
        return this.engine.tryFill(shard, into, 0);
    }

    /**
     * Whether there is a lease that allows ids, now or when the clock has caught up with
     * a burst.
     */
    public boolean usable() {
        long id = tryNextKeyless();
        return id >= 0 || id == Engine.AHEAD_OF_CLOCK;
    }

    /** The engine as the source of leases sees it. */
    public LeaseHolder holder() {
        return this.engine;
    }

    /** The lease that is held. */
    public TickLease lease() {
        return this.engine.grant().lease;
    }

    /**
     * Broken: checks the deadline first, then reads the clock again, and trusts it
     * without a limit.
     */
    public long checkFirstThenReadTheClock(int shard) {
        Grant held = this.engine.grant();
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
        long highest = this.engine.grant().cells.highest();
        this.engine.hold(TickLease.NONE);
        return highest < 0 ? -1 : highest >>> this.terms.layout().sequenceBits();
    }

    /** Broken: forgets what was claimed so far. */
    public void forgetCells(LeaseSource source) {
        this.engine = new Engine(this.terms, source, Engine.NO_TICK);
    }

}
