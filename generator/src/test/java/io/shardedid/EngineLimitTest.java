package io.shardedid;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an id may never pass: the lead over the clock, the lease at both ends, the
 * deadline, the end of the layout.
 */
class EngineLimitTest {

    private final EngineRig rig = new EngineRig().atBegin();

    private final Engine engine = this.rig.engine;

    @ParameterizedTest
    @CsvSource({ "standard, 32000", "many-processes, 4000" })
    void idsRunAheadOfTheClockByMaxAheadAndNoFarther(String preset, int expected) {
        EngineRig burst = new EngineRig(IdLayout.preset(preset)).atBegin().leased();

        long[] ids = burst.drain(4);

        assertThat(ids).hasSize(expected).isSorted();
        assertThat(ids[expected - 1]).isEqualTo(burst.id(999, 4, burst.sequences() - 1));
        assertThat(burst.engine.numbers().tryNext(4)).isEqualTo(CellClaims.AHEAD_OF_CLOCK);
        assertThat(burst.engine.numbers().tryNext(5)).isEqualTo(burst.id(0, 5, 0));
    }

    @Test
    void eachTickThatPassesMakesRoomForOneMore() {
        this.rig.leased();
        this.rig.drain(4);
        this.rig.time.advance(Duration.ofMillis(1));

        assertThat(this.rig.drain(4)).hasSize(32).contains(this.rig.id(1000, 4, 31));
    }

    @ParameterizedTest
    @CsvSource({ "1, 1", "3, 3", "1.9, 1" })
    void maxAheadCountsWholeTicks(double maxAheadMillis, int ticks) {
        EngineRig brief = new EngineRig(IdLayout.standard(), Duration.ofNanos((long) (maxAheadMillis * 1e6)),
                CellClaims.NO_TICK)
            .atBegin()
            .leased();

        assertThat(brief.drain(4)).hasSize(ticks * 32);
    }

    @Test
    void neverReachesTheEndOfTheLease() {
        this.rig.hold(EngineRig.WORKER, this.rig.tick, this.rig.tick + 10);

        long[] ids = this.rig.drain(4);

        assertThat(ids).hasSize(320);
        assertThat(ids[319]).isEqualTo(this.rig.id(9, 4, 31));
        assertThat(this.engine.numbers().tryNext(4)).isEqualTo(CellClaims.LEASE_EXPIRED);
        assertThat(this.engine.numbers().tryFill(4, new long[3], 0)).isEqualTo(CellClaims.LEASE_EXPIRED);
        for (int i = 0; i < 320; i++) {
            long id = this.engine.numbers().tryNextKeyless();
            assertThat(id).isBetween(0L, this.rig.id(9, 2047, 31));
        }
    }

    @Test
    void clockPastTheEndOfTheLeaseMakesNoId() {
        this.rig.hold(EngineRig.WORKER, this.rig.tick, this.rig.tick + 10);
        this.rig.time.advance(Duration.ofMillis(10));

        assertThat(this.engine.numbers().tryNext(4)).isEqualTo(CellClaims.LEASE_EXPIRED);
        assertThat(this.engine.numbers().tryNextKeyless()).isEqualTo(CellClaims.LEASE_EXPIRED);
        assertThat(this.engine.numbers().tryFill(4, new long[1], 0)).isEqualTo(CellClaims.LEASE_EXPIRED);
    }

    @Test
    void clockBehindTheLeaseStartsAtItsFirstTick() {
        this.rig.hold(EngineRig.WORKER, this.rig.tick + 500, this.rig.tick + 5000);

        assertThat(this.engine.numbers().next(4)).isEqualTo(this.rig.id(500, 4, 0));
        assertThat(this.engine.numbers().next(4)).isEqualTo(this.rig.id(500, 4, 1));
        assertThat(this.rig.layout.tickOf(this.engine.numbers().nextKeyless())).isEqualTo(this.rig.tick + 500);
        this.rig.time.advance(Duration.ofMillis(2));
        assertThat(this.engine.numbers().next(4)).isEqualTo(this.rig.id(500, 4, 2));
        assertThat(this.engine.instant()).isEqualTo(EngineRig.NOW.plusMillis(500));
        this.rig.time.advance(Duration.ofMillis(500));
        assertThat(this.engine.numbers().next(4)).isEqualTo(this.rig.id(502, 4, 0));
        assertThat(this.engine.instant()).isEqualTo(EngineRig.NOW.plusMillis(502));
    }

    @Test
    void clockSetBackByARenewalChangesNoOrder() {
        this.rig.leased();
        this.rig.time.advance(Duration.ofMillis(400));
        long before = this.engine.numbers().next(4);
        long keyless = this.engine.numbers().nextKeyless();
        this.rig.time.stepWall(Duration.ofMillis(-300));
        this.rig.hold(EngineRig.WORKER, this.rig.tick, this.rig.tick + 1_000_000);

        assertThat(this.engine.numbers().next(4)).isEqualTo(before + 1);
        assertThat(this.engine.numbers().nextKeyless()).isGreaterThan(keyless);
        assertThat(this.engine.numbers().next(5)).isEqualTo(this.rig.id(100, 5, 0));
    }

    @Test
    void makesNoIdWithoutALease() {
        assertThat(this.engine.numbers().tryNext(4)).isEqualTo(CellClaims.NO_LEASE);
        assertThat(this.engine.numbers().tryNextKeyless()).isEqualTo(CellClaims.NO_LEASE);
        assertThat(this.engine.numbers().tryFill(4, new long[1], 0)).isEqualTo(CellClaims.NO_LEASE);
    }

    @Test
    void makesNoIdFromTheDeadlineOn() {
        this.rig.hold(EngineRig.WORKER, this.rig.tick, this.rig.tick + 60_000, Duration.ofSeconds(8));
        this.rig.time.advance(Duration.ofSeconds(8).minusNanos(1));
        assertThat(this.engine.numbers().tryNext(4)).isPositive();

        this.rig.time.advance(Duration.ofNanos(1));

        assertThat(this.engine.numbers().tryNext(4)).isEqualTo(CellClaims.NO_LEASE);
        assertThat(this.engine.numbers().tryNextKeyless()).isEqualTo(CellClaims.NO_LEASE);
        assertThat(this.engine.numbers().tryFill(4, new long[1], 0)).isEqualTo(CellClaims.NO_LEASE);
    }

    @Test
    void makesNoIdUnderALeaseWhoseClockIsStillToCome() {
        TickLease lease = this.rig.lease(EngineRig.WORKER, this.rig.tick, this.rig.tick + 1000, Duration.ofSeconds(8));
        this.rig.time.advance(Duration.ofNanos(-1));
        this.engine.hold(lease);

        assertThat(this.engine.numbers().tryNext(4)).isEqualTo(CellClaims.NO_LEASE);
    }

    @Test
    void rangeIsSpentAfterTheLastIdOfTheLayout() {
        EngineRig end = atTheEnd();
        long last = end.layout.lastTick();
        end.hold(0, last - 1, last + 1);

        long[] ids = end.drain(0);

        assertThat(ids).hasSize(64);
        assertThat(ids[63]).isEqualTo(end.layout.compose(last, 0, 0, 31));
        assertThatExceptionOfType(IdRangeExhaustedException.class).isThrownBy(() -> end.engine.numbers().next(0))
            .withMessageContainingAll("instant=2026-01-01T00:00:00.001Z", "layout");
        assertThatExceptionOfType(IdRangeExhaustedException.class)
            .isThrownBy(() -> end.engine.numbers().next(0, new long[1]));
        assertThat(end.time.parks()).isZero();
    }

    @Test
    void keylessRangeIsExhaustedToo() {
        EngineRig end = atTheEnd();
        end.time.advance(Duration.ofMillis(1));
        end.hold(0, end.tick, end.layout.lastTick() + 1);
        for (int i = 0; i < 32; i++) {
            assertThat(end.layout.tickOf(end.engine.numbers().nextKeyless())).isEqualTo(end.layout.lastTick());
        }

        assertThatExceptionOfType(IdRangeExhaustedException.class).isThrownBy(end.engine.numbers()::nextKeyless);
    }

    @Test
    void leaseBeyondTheLayoutDoesNotCarryIdsBeyondIt() {
        EngineRig end = atTheEnd();
        end.hold(0, end.tick, end.tick + 1_000_000);

        assertThat(end.drain(0)).hasSize(64).isSorted().endsWith(end.layout.lastId());
        assertThat(end.engine.numbers().tryNext(0)).isEqualTo(CellClaims.RANGE_EXHAUSTED);
    }

    @Test
    void clockFarPastTheRangeIsExhaustedAndDoesNotWrap() {
        IdLayout tiny = IdLayout.builder()
            .tick(Duration.ofNanos(1000))
            .timeBits(30)
            .shardBits(2)
            .workerBits(1)
            .sequenceBits(30)
            .build();
        EngineRig past = new EngineRig(tiny, Duration.ofHours(1), CellClaims.NO_TICK).atBegin();
        past.hold(1, past.tick, tiny.lastTick() + 1);

        assertThat(past.engine.numbers().tryNext(3)).isEqualTo(CellClaims.RANGE_EXHAUSTED);
        assertThat(past.engine.numbers().tryNextKeyless()).isEqualTo(CellClaims.RANGE_EXHAUSTED);
        past.time.advance(Duration.ofMinutes(9));
        assertThat(past.engine.numbers().tryNext(3)).isEqualTo(CellClaims.RANGE_EXHAUSTED);
    }

    /** A layout that ends one tick after now. */
    private static EngineRig atTheEnd() {
        IdLayout layout = IdLayout.builder()
            .timeBits(20)
            .shardBits(0)
            .workerBits(0)
            .epoch(EngineRig.NOW.minusMillis((1L << 20) - 2))
            .build();
        EngineRig end = new EngineRig(layout).atBegin();
        assertThat(end.tick).isEqualTo(layout.lastTick() - 1);
        return end;
    }

    @Test
    void leaseOfAnHourIsValidForAnHour() {
        EngineRig rig = new EngineRig().atBegin();
        rig.hold(EngineRig.WORKER, rig.tick, rig.tick + 3_600_000, Duration.ofHours(1));
        assertThat(rig.engine.stats().leaseRemaining()).isEqualTo(Duration.ofHours(1));

        rig.time.advance(Duration.ofHours(1).minusNanos(1));
        assertThat(rig.layout.tickOf(rig.engine.numbers().tryNext(5))).isEqualTo(rig.tick + 3_599_999);

        rig.time.advance(Duration.ofNanos(1));
        assertThat(rig.engine.numbers().tryNext(5)).isEqualTo(CellClaims.NO_LEASE);
    }

}
