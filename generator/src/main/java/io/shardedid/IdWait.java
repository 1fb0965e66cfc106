package io.shardedid;

/**
 * The waiting of one caller for one id: bounded by max-wait, outside any lock, in steps
 * that grow. Not safe for use by many threads; each caller has its own.
 */
final class IdWait {

    private static final long MIN_PARK_NANOS = 100_000;

    private static final long MAX_PARK_NANOS = 10_000_000;

    private final Engine engine;

    private final TimeSource time;

    private final long beganNanos;

    private long stepNanos = MIN_PARK_NANOS;

    private boolean retriedAtOnce;

    IdWait(Engine engine) {
        this.engine = engine;
        this.time = engine.terms().time();
        this.beganNanos = this.time.nanoTime();
    }

    /**
     * Waits before the next attempt, or refuses when there should be none.
     * @param why what became of the attempt, one of the engine's constants
     * @param shard the shard, or Engine.KEYLESS
     * @throws ShardedIdException if waiting is pointless, was interrupted, or took
     * max-wait
     */
    void once(long why, int shard) {
        if (this.engine.closed()) {
            throw closed("Could not make an id: the id engine was closed meanwhile");
        }
        if (why == Engine.RANGE_SPENT) {
            throw rangeSpent();
        }
        if (why != Engine.AHEAD_OF_CLOCK && renewed()) {
            return;
        }
        long waited = this.time.nanoTime() - this.beganNanos;
        long left = this.engine.terms().maxWait().toNanos() - waited;
        if (left <= 0) {
            throw why == Engine.AHEAD_OF_CLOCK ? tooFarAhead(shard) : this.engine.source().refusal();
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new ShardedIdException(
                    "Could not make an id: interrupted while waiting for it, after %d ms (max-wait=%s); no id was issued"
                        .formatted(waited / 1_000_000, this.engine.terms().maxWait()));
        }
        this.time.park(Math.min(this.stepNanos, left));
        this.engine.parked(this.time.nanoTime() - this.beganNanos - waited);
        this.stepNanos = Math.min(this.stepNanos * 2, MAX_PARK_NANOS);
    }

    /** Asks for a lease. One that comes at once is tried at once, but only one. */
    private boolean renewed() {
        LeasedCells before = this.engine.current();
        this.engine.source().renewSoon();
        boolean atOnce = !this.retriedAtOnce && this.engine.current() != before;
        this.retriedAtOnce |= atOnce;
        return atOnce;
    }

    /**
     * Returns the exception that refuses what only an open engine can do.
     * @param what what failed and why, without what to do
     */
    static ShardedIdException closed(String what) {
        return new ShardedIdException(what + "; open another with ShardedIds.builder()", false,
                "Something makes an id after the engine was closed. Stop it before the engine is closed; where a "
                        + "framework opened the engine, leave closing it to the framework.",
                null);
    }

    private ShardedIdException rangeSpent() {
        return new IdRangeSpentException(("Could not make an id: the time range of the layout is spent: "
                + "last usable instant=%s; move to a layout with more time bits or a later epoch, see UPGRADING.md")
            .formatted(this.engine.terms().layout().lastUsableInstant()));
    }

    private ShardedIdException tooFarAhead(int shard) {
        EngineTerms terms = this.engine.terms();
        return new IdsAheadOfClockException(("Could not make an id: shard=%s ran ahead of the clock and stayed so: "
                + "ahead=%s, waited=%s ('shardedid.clock.max-ahead', 'shardedid.clock.max-wait'); spread the load over "
                + "more shards%s")
            .formatted((shard == Engine.KEYLESS) ? "any" : shard, terms.maxAhead(), terms.maxWait(),
                    this.engine.makesUuids() ? "" : ", or choose a layout with more sequence bits"));
    }

}
