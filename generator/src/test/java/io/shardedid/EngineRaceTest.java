package io.shardedid;

import java.time.Duration;
import java.util.concurrent.CyclicBarrier;
import java.util.function.LongSupplier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two threads that meet in one call each, many times over: every outcome has to be one of
 * those allowed.
 */
@Tag("jdk")
class EngineRaceTest {

    private final EngineRig rig = new EngineRig();

    private final Engine engine = this.rig.engine;

    int rounds() {
        return 10_000;
    }

    @Test
    void twoFirstIdsOfAShardDiffer() throws Exception {
        meet((round) -> this.rig.hold(round % 2, this.rig.tick, this.rig.tick + 1_000_000_000),
                () -> this.engine.numbers().next(9), () -> this.engine.numbers().next(9),
                (one, two) -> assertThat(one).isNotEqualTo(two));
    }

    @Test
    void idThatMeetsAnotherWorkerIsBeforeAllOfItsIds() throws Exception {
        meet((round) -> this.rig.hold(1, this.rig.tick, this.rig.tick + 1_000_000_000),
                () -> this.engine.numbers().tryNext(9), () -> {
                    this.rig.hold(0, this.rig.tick, this.rig.tick + 1_000_000_000);
                    return this.engine.numbers().next(9);
                }, (one, two) -> {
                    if (one >= 0 && this.rig.layout.workerOf(one) == 1) {
                        assertThat(one).isLessThan(two);
                    }
                    else {
                        assertThat(one).isNotEqualTo(two);
                    }
                    assertThat(this.engine.numbers().next(9)).isGreaterThan(Math.max(one, two));
                });
    }

    @Test
    void keylessIdThatMeetsAnotherWorkerIsBeforeAllOfItsIds() throws Exception {
        meet((round) -> this.rig.hold(1, this.rig.tick, this.rig.tick + 1_000_000_000),
                this.engine.numbers()::tryNextKeyless, () -> {
                    this.rig.hold(0, this.rig.tick, this.rig.tick + 1_000_000_000);
                    return this.engine.numbers().nextKeyless();
                }, (one, two) -> {
                    assertThat(one).isNotEqualTo(two);
                    assertThat(this.engine.numbers().nextKeyless()).isGreaterThan(Math.max(one, two));
                });
    }

    @Test
    void idThatMeetsARenewalIsInOrder() throws Exception {
        this.rig.leased();
        meet((round) -> {
        }, () -> this.engine.numbers().next(9), () -> {
            this.rig.leased();
            return this.engine.numbers().next(9);
        }, (one, two) -> {
            assertThat(one).isNotEqualTo(two);
            assertThat(this.engine.numbers().next(9)).isGreaterThan(Math.max(one, two));
        });
    }

    @Test
    void idThatMeetsRelinquishIsNotAboveTheTickThatItTells() throws Exception {
        meet((round) -> this.rig.hold(1, this.rig.tick, this.rig.tick + 1_000_000_000),
                () -> this.engine.numbers().tryNext(9), this.engine::relinquish, (id, highest) -> {
                    if (id >= 0) {
                        assertThat(this.rig.layout.tickOf(id)).isLessThanOrEqualTo(highest);
                    }
                    assertThat(this.engine.numbers().tryNext(9)).isEqualTo(CellClaims.NO_LEASE);
                });
    }

    @Test
    void manyIdsThatMeetRelinquishAreNotAboveTheTickThatItTells() throws Exception {
        long[] many = new long[100];
        meet((round) -> this.rig.hold(1, this.rig.tick, this.rig.tick + 1_000_000_000),
                () -> this.engine.numbers().tryFill(9, many, 0), this.engine::relinquish, (made, highest) -> {
                    if (made > 0) {
                        assertThat(this.rig.layout.tickOf(many[(int) (made - 1)])).isLessThanOrEqualTo(highest);
                    }
                });
    }

    /** Lets two calls meet, and hands over what they returned. */
    private void meet(Before before, LongSupplier one, LongSupplier two, Outcome outcome) throws Exception {
        long[] results = new long[2];
        CyclicBarrier barrier = new CyclicBarrier(2);
        Crowd.platform(2).run((thread) -> {
            for (int round = 0; round < rounds(); round++) {
                if (thread == 0) {
                    this.rig.time.advance(Duration.ofMillis(2));
                    before.prepare(round);
                }
                barrier.await();
                results[thread] = (thread == 0) ? one.getAsLong() : two.getAsLong();
                barrier.await();
                if (thread == 0) {
                    outcome.check(results[0], results[1]);
                }
            }
        });
    }

    private interface Before {

        void prepare(int round);

    }

    private interface Outcome {

        void check(long one, long two);

    }

}
