package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.THROWABLE;

/**
 * The way of one id while nothing is in its way.
 */
class EngineTest {

    private final EngineRig rig = new EngineRig().atBegin().leased();

    private final Engine engine = this.rig.engine;

    @Test
    void idCarriesTickShardWorkerAndSequence() {
        assertThat(this.engine.numbers().next(1001)).isEqualTo(this.rig.id(0, 1001, 0));
        assertThat(this.engine.numbers().next(1001)).isEqualTo(this.rig.id(0, 1001, 1));
        assertThat(this.engine.numbers().next(7)).isEqualTo(this.rig.id(0, 7, 0));
    }

    @Test
    void readsTheClockOncePerId() {
        long before = this.rig.time.reads();

        this.engine.numbers().next(1);
        assertThat(this.rig.time.reads() - before).isOne();
        this.engine.numbers().nextKeyless();
        assertThat(this.rig.time.reads() - before).isEqualTo(2);
        this.engine.numbers().next(1, new long[100]);
        assertThat(this.rig.time.reads() - before).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({ "standard, 8, 15", "many-processes, 1, 1" })
    void sequenceOfAFreshTickStartsAtThePartOfItThatHasPassed(String preset, int half, int end) {
        EngineRig fresh = new EngineRig(IdLayout.preset(preset)).atBegin().leased();
        fresh.time.advance(Duration.ofNanos(500_000));
        assertThat(fresh.engine.numbers().next(1)).isEqualTo(fresh.id(0, 1, half));
        fresh.time.advance(Duration.ofNanos(499_999));
        assertThat(fresh.engine.numbers().next(2)).isEqualTo(fresh.id(0, 2, end));
    }

    @ParameterizedTest
    @ValueSource(strings = { "standard", "many-processes" })
    void idsOfLowTrafficAreNotAllMultiplesOfTheSequence(String preset) {
        EngineRig quiet = new EngineRig(IdLayout.preset(preset)).atBegin().leased();
        int starts = quiet.sequences() / 2;
        long[] ids = new long[1000];
        for (int i = 0; i < ids.length; i++) {
            quiet.time.advance(Duration.ofNanos(1_370_000));
            ids[i] = quiet.engine.numbers().next(5);
        }

        assertThat(ids).isSorted().doesNotHaveDuplicates();
        for (int start = 0; start < starts; start++) {
            int wanted = start;
            assertThat(LongStream.of(ids).filter((id) -> quiet.layout.parse(id).sequence() == wanted).count())
                .as("sequences of %s", start)
                .isBetween(500L / starts, 1600L / starts);
        }
    }

    @Test
    void idsOfDifferentWorkersSortInsideATick() {
        EngineRig other = new EngineRig().atBegin().hold(0, this.rig.tick, this.rig.tick + 1000);
        IdLayout layout = this.rig.layout;
        this.rig.time.advance(Duration.ofNanos(100_000));
        other.time.advance(Duration.ofNanos(900_000));

        assertThat(layout.parse(this.engine.numbers().next(1)).sequence())
            .isLessThan(layout.parse(other.engine.numbers().next(1)).sequence());
    }

    @ParameterizedTest
    @ValueSource(strings = { "standard", "many-processes" })
    void spentSequenceCarriesIntoTheNextTick(String preset) {
        EngineRig busy = new EngineRig(IdLayout.preset(preset)).atBegin().leased();
        for (int i = 0; i < busy.sequences(); i++) {
            assertThat(busy.engine.numbers().next(9)).isEqualTo(busy.id(0, 9, i));
        }
        assertThat(busy.engine.numbers().next(9)).isEqualTo(busy.id(1, 9, 0));
        assertThat(busy.engine.numbers().next(8)).isEqualTo(busy.id(0, 8, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = { "standard", "many-processes" })
    void idsGoOnFromWhereTheyRanAheadWhenTheClockCatchesUp(String preset) {
        EngineRig busy = new EngineRig(IdLayout.preset(preset)).atBegin().leased();
        for (int i = 0; i < busy.sequences() * 5 / 4; i++) {
            busy.engine.numbers().next(9);
        }
        busy.time.advance(Duration.ofMillis(1));

        assertThat(busy.engine.numbers().next(9)).isEqualTo(busy.id(1, 9, busy.sequences() / 4));
        busy.time.advance(Duration.ofMillis(1));
        assertThat(busy.engine.numbers().next(9)).isEqualTo(busy.id(2, 9, 0));
    }

    @Test
    void layoutWithoutSequenceMakesOneIdATick() {
        EngineRig single = new EngineRig(IdLayout.builder().sequenceBits(0).build()).atBegin().leased();

        assertThat(single.engine.numbers().next(1)).isEqualTo(single.id(0, 1, 0));
        assertThat(single.engine.numbers().next(1)).isEqualTo(single.id(1, 1, 0));
    }

    @Test
    void fieldsStandInTheOrderOfTheLayout() {
        EngineRig mixed = new EngineRig(IdLayout.builder()
            .tick(Duration.ofMillis(10))
            .order(IdField.SEQUENCE, IdField.WORKER, IdField.SHARD)
            .build()).atBegin().leased();
        mixed.time.advance(Duration.ofMillis(25));

        assertThat(mixed.engine.numbers().next(77)).isEqualTo(mixed.id(2, 77, 8));
    }

    @Test
    void refusesAShardThatDoesNotExist() {
        for (int shard : new int[] { -1, 2048, Integer.MIN_VALUE, Integer.MAX_VALUE }) {
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> this.engine.numbers().next(shard))
                .withMessageContainingAll("[0, 2047]", "shard=" + shard);
            assertThatExceptionOfType(ShardKeyException.class)
                .isThrownBy(() -> this.engine.numbers().next(shard, new long[1]))
                .withMessageContainingAll("[0, 2047]", "shard=" + shard);
        }
    }

    @Test
    void clockTellsTheTimeThatIdsCarry() {
        this.rig.time.stepWall(Duration.ofHours(-3));
        this.rig.time.advance(Duration.ofNanos(1_234_567));

        assertThat(this.engine.instant()).isEqualTo(EngineRig.NOW.plusNanos(1_234_567));
        assertThat(this.rig.layout.instantOf(this.engine.numbers().next(1))).isEqualTo(EngineRig.NOW.plusMillis(1));
    }

    @Test
    void clockOutlivesTheLease() {
        this.engine.relinquish();
        this.rig.time.stepWall(Duration.ofHours(-3));
        this.rig.time.advance(Duration.ofMinutes(1));

        assertThat(this.engine.instant()).isEqualTo(EngineRig.NOW.plusSeconds(60));
    }

    /** A renewal corrects the line that ids go by, and another worker brings its own. */
    @ParameterizedTest
    @ValueSource(ints = { EngineRig.WORKER, EngineRig.WORKER + 1 })
    void clockGoesByTheLatestLease(int worker) {
        this.rig.time.stepWall(Duration.ofSeconds(2));
        this.rig.hold(worker, this.rig.tick, this.rig.tick + 1_000_000);

        assertThat(this.engine.instant()).isEqualTo(EngineRig.NOW.plusSeconds(2));
        assertThat(this.rig.layout.instantOf(this.engine.numbers().next(1))).isEqualTo(EngineRig.NOW.plusSeconds(2));
    }

    @Test
    void clockIsTheWallClockBeforeTheFirstLease() {
        EngineRig fresh = new EngineRig().atBegin();
        fresh.time.stepWall(Duration.ofSeconds(7));

        assertThat(fresh.engine.instant()).isEqualTo(EngineRig.NOW.plusSeconds(7));
    }

    @Test
    void statsTellWorkerLeaseAndLead() {
        for (int i = 0; i < 100; i++) {
            this.engine.numbers().next(9);
        }
        this.rig.time.advance(Duration.ofMillis(1));

        assertThat(this.engine.stats()).isEqualTo(new EngineStats(3, Duration.ofMinutes(10).minusMillis(1),
                Duration.ofMillis(2), 0, Duration.ZERO, 100, 0));
        assertThat(new EngineRig().atBegin().engine.stats())
            .isEqualTo(new EngineStats(-1, Duration.ZERO, Duration.ZERO, 0, Duration.ZERO, 0, 0));
    }

    @Test
    void leadIsThatOfTheForemostKindAndNeverNegative() {
        this.engine.numbers().next(9, new long[100]);
        this.engine.uuids().next(9);
        assertThat(this.engine.stats().ahead()).as("numbers").isEqualTo(Duration.ofMillis(3));

        for (int i = 0; i < 5 * 4096; i++) {
            this.engine.uuids().next(9);
        }
        assertThat(this.engine.stats().ahead()).as("UUIDs").isEqualTo(Duration.ofMillis(5));

        this.rig.time.advance(Duration.ofSeconds(1));
        assertThat(this.engine.stats().ahead()).as("idle").isZero();
    }

    @Test
    void idsAreLaterThanThoseOfTheEngineBefore() {
        long last = this.rig.tick + 5;
        EngineRig successor = new EngineRig(IdLayout.standard(), Duration.ofSeconds(1), last).atBegin().leased();

        assertThat(successor.engine.numbers().next(1)).isEqualTo(this.rig.id(6, 1, 0));
        assertThat(this.rig.layout.tickOf(successor.engine.numbers().nextKeyless())).isEqualTo(last + 1);
    }

    /** The source may wait for its store as long as it is patient. */
    @Test
    void callersThatWaitHearOfTheEndWhileTheSourceGivesTheLeaseBack() {
        EngineRig ending = new EngineRig();
        List<Throwable> heard = new ArrayList<>();
        ending.leases.onClose(() -> heard.add(catchThrowable(() -> ending.engine.numbers().next(1))));

        ending.engine.close();

        assertThat(heard).singleElement(THROWABLE).hasMessageContaining("meanwhile");
    }

    @Test
    void layoutsThatStartBefore1970AndLastLongMakeIdsToo() {
        EngineRig old = new EngineRig(IdLayout.builder()
            .epoch(Instant.parse("1815-12-10T00:00:00Z"))
            .timeBits(50)
            .shardBits(5)
            .workerBits(3)
            .sequenceBits(5)
            .build()).atBegin().leased();

        assertThat(old.layout.instantOf(old.engine.numbers().next(1))).isEqualTo(EngineRig.NOW);
    }

}
