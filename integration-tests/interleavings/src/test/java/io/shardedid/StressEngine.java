package io.shardedid;

import java.time.Duration;
import java.time.Instant;

/**
 * Engines at which time stands still, so that every id of a race has a small number: the
 * worker times 1,000 plus how many values it lies above the first of tick 1,000.
 */
final class StressEngine {

    static final int TICK = 1000;

    private static final TimeSource STOPPED = new StoppedTime();

    private static final long DEADLINE_NANOS = Duration.ofMinutes(1).toNanos();

    private static final IdLayout LAYOUT = IdLayout.standard();

    private static final IdLayout TIGHT_LAYOUT = LAYOUT.toBuilder().sequenceBits(1).build();

    private StressEngine() {
    }

    /** An engine of one shard and 32 ids a tick, at tick 1,000. */
    static Engine leased(TickLease lease) {
        return leased(LAYOUT, 1, lease);
    }

    /** The same with 2 ids a tick. */
    static Engine tight(TickLease lease) {
        return leased(TIGHT_LAYOUT, 1, lease);
    }

    /** The same with 2 ids a tick in each of 4 shards. */
    static Engine spread(TickLease lease) {
        return leased(TIGHT_LAYOUT, 4, lease);
    }

    private static Engine leased(IdLayout layout, int shards, TickLease lease) {
        Engine engine = new Engine(
                new EngineTerms(layout, shards, "modulo", Duration.ofSeconds(1), Duration.ofSeconds(5), null, STOPPED),
                WorkerLeases.fixed(0), CellClaims.NO_TICK);
        engine.hold(lease);
        return engine;
    }

    /** The lease {@code [1000, hi)} of a worker whose clock shows a tick. */
    static TickLease lease(int worker, int clockTick, int hi) {
        Instant now = LAYOUT.instantAt(clockTick);
        return new TickLease(worker, TICK, hi, DEADLINE_NANOS,
                new LeaseClock(0, Duration.between(Instant.EPOCH, now).toNanos()));
    }

    /** Returns the small number of an id; why there is none stays as it is. */
    static int number(Engine engine, long id) {
        if (id < 0) {
            return (int) id;
        }
        IdLayout layout = engine.terms().layout();
        long value = layout.tickOf(id) - TICK << layout.sequenceBits() | layout.parse(id).sequence();
        return layout.workerOf(id) * 1000 + (int) value;
    }

    static int next(Engine engine) {
        return number(engine, engine.numbers().tryNext(0));
    }

    static int nextKeyless(Engine engine) {
        return number(engine, engine.numbers().tryNextKeyless());
    }

    /**
     * Makes an id over all shards, and returns the worker times 1,000 plus how many ids
     * lie between it and the first one of the shard that chance picks for tick 1,000.
     */
    static int nextOverShards(Engine engine) {
        long id = engine.numbers().tryNextKeyless();
        if (id < 0) {
            return (int) id;
        }
        IdLayout layout = engine.terms().layout();
        int picked = engine.numbers().pickShard(TICK, engine.numbers().held());
        long shards = (layout.tickOf(id) - TICK) * 4 + layout.shardOf(id) - picked;
        return layout.workerOf(id) * 1000 + (int) (shards << layout.sequenceBits() | layout.parse(id).sequence());
    }

    private static final class StoppedTime extends TimeSource {

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public long epochNanos() {
            return 0;
        }

        @Override
        public void park(long nanos) {
            throw new IllegalStateException("nobody waits here");
        }

    }

}
