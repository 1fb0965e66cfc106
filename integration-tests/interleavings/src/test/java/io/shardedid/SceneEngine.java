package io.shardedid;

import java.time.Duration;
import java.time.Instant;

/** Engines for scenes, at tick 1,000 of a clock that stands still. */
final class SceneEngine {

    static final int TICK = 1000;

    static final IdLayout LAYOUT = IdLayout.standard();

    static final EngineTerms TERMS = new EngineTerms(LAYOUT, 1, "modulo", Duration.ofSeconds(1), Duration.ofSeconds(5),
            null, new StoppedTime());

    private SceneEngine() {
    }

    static Engine of(LeaseSource source) {
        return new Engine(TERMS, source, CellClaims.NO_TICK);
    }

    static Engine leased(LeaseSource source) {
        Engine engine = of(source);
        engine.hold(lease(1));
        return engine;
    }

    /** A lease of a hundred ticks from the present one. */
    static TickLease lease(int worker) {
        Instant now = LAYOUT.instantAt(TICK);
        return new TickLease(worker, TICK, TICK + 100, Duration.ofMinutes(1).toNanos(),
                new LeaseClock(0, Duration.between(Instant.EPOCH, now).toNanos()));
    }

    private static final class StoppedTime extends TimeSource {

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public long epochNanos() {
            return Duration.between(Instant.EPOCH, LAYOUT.instantAt(TICK)).toNanos();
        }

        @Override
        public void park(long nanos) {
            throw new IllegalStateException("nobody waits here");
        }

    }

}
