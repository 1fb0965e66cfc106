package io.shardedid;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long ids can be made without another renewal: health is DOWN when nothing remains.
 */
class EngineRemainingTest {

    private static Duration remaining(EngineRig rig) {
        return rig.engine.stats().leaseRemaining();
    }

    /** Ids can be made as long as something remains, and no longer. */
    private static void spendsIn(EngineRig rig, Duration left) {
        assertThat(remaining(rig)).isEqualTo(left);
        rig.time.advance(left.minusNanos(1));
        assertThat(remaining(rig)).isEqualTo(Duration.ofNanos(1));
        assertThat(rig.engine.numbers().tryNext(4)).isNotNegative();

        rig.time.advance(Duration.ofNanos(1));

        assertThat(remaining(rig)).isZero();
        assertThat(rig.engine.numbers().tryNext(5)).isNegative();
        rig.time.advance(Duration.ofMinutes(5));
        assertThat(remaining(rig)).isZero();
    }

    @Test
    void endsWithTheDeadline() {
        EngineRig rig = new EngineRig().atBegin();
        spendsIn(rig.hold(EngineRig.WORKER, rig.tick, rig.tick + 1_000_000, Duration.ofMillis(70)),
                Duration.ofMillis(70));
    }

    @Test
    void endsWithTheLastTickAlsoIfTheDeadlineComesBeforeTheNextOne() {
        EngineRig rig = new EngineRig().atBegin();
        spendsIn(rig.hold(EngineRig.WORKER, rig.tick, rig.tick + 10, Duration.ofNanos(10_500_000)),
                Duration.ofMillis(10));
    }

    @ParameterizedTest
    @ValueSource(longs = { 0, 500 })
    void endsWithTheLastTickThatIsLeased(long ahead) {
        EngineRig rig = new EngineRig().atBegin();
        spendsIn(rig.hold(EngineRig.WORKER, rig.tick + ahead, rig.tick + ahead + 10), Duration.ofMillis(ahead + 10));
    }

    @Test
    void endsWithTheLastTickOfTheLayout() {
        EngineRig rig = new EngineRig(
                IdLayout.builder().timeBits(30).epoch(EngineRig.NOW.plusMillis(10 - (1L << 30))).build())
            .atBegin();
        spendsIn(rig.leased(), Duration.ofMillis(10));
    }

    /** The clock was ahead under the lease before, and ids go on where that one came. */
    @Test
    void nothingRemainsWhereIdsBeginLater() {
        EngineRig rig = new EngineRig();
        rig.hold(EngineRig.WORKER, rig.tick + 1_800_000, rig.tick + 1_900_000);
        rig.engine.numbers().next(1);
        rig.engine.relinquish();
        rig.hold(4, rig.tick, rig.tick + 30_000);

        assertThat(rig.engine.numbers().tryNext(1)).isNegative();
        assertThat(remaining(rig)).isZero();
    }

    @Test
    void nothingRemainsOfALeaseWithoutTicks() {
        EngineRig rig = new EngineRig().atBegin();
        rig.hold(EngineRig.WORKER, rig.tick, rig.tick);
        assertThat(remaining(rig)).isZero();
        rig.hold(EngineRig.WORKER, rig.tick - 20, rig.tick - 10);
        assertThat(remaining(rig)).isZero();
    }

}
