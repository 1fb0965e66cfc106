package io.shardedid;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class EngineStatsTest {

    private final StandingTime time = new StandingTime();

    @Test
    void countsIdsOfEachKind() {
        try (ShardedIdEngine ids = open()) {
            ids.next(1);
            ids.next(2, new long[10]);
            ids.nextFor(3);
            ids.next();

            assertThat(ids.stats().issued()).isEqualTo(13);
        }
    }

    @Test
    void countsSpentSequencesNotTheWaitsForThem() {
        try (ShardedIdEngine ids = open()) {
            ids.next(1, new long[8]);
            assertThat(ids.stats().sequencesExhausted()).isZero();
            long waitsForTheLease = ids.stats().waits();

            ids.next(1, new long[320]);

            assertThat(ids.stats().sequencesExhausted()).isBetween(9L, 20L);
            assertThat(ids.stats().waits() - waitsForTheLease).isGreaterThan(ids.stats().sequencesExhausted());
        }
    }

    @Test
    void idsThatBeginLaterHaveSpentNoSequence() {
        EngineRig rig = new EngineRig();
        rig.hold(EngineRig.WORKER, rig.tick + 1_800_000, rig.tick + 1_900_000);
        rig.engine.numbers().next(1);
        rig.engine.relinquish();
        rig.hold(4, rig.tick, rig.tick + 30_000);

        assertThatExceptionOfType(IdsAheadOfClockException.class).isThrownBy(() -> rig.engine.numbers().next(1))
            .withMessageContaining("this");
        assertThat(rig.engine.stats().sequencesExhausted()).isZero();
    }

    private ShardedIdEngine open() {
        return ShardedIds.builder()
            .workers(WorkerLeases.fixed(9))
            .maxAhead(Duration.ofMillis(1))
            .timeSource(this.time)
            .registry(new EngineRegistry())
            .open();
    }

    /** Goes on only while somebody waits. */
    private static final class StandingTime extends TimeSource {

        private long now = Duration.ofDays(20_000).toNanos();

        @Override
        public long nanoTime() {
            return this.now;
        }

        @Override
        public long epochNanos() {
            return Duration.ofDays(20_500).toNanos();
        }

        @Override
        public void park(long nanos) {
            this.now += nanos;
        }

    }

}
