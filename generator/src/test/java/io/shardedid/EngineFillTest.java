package io.shardedid;

import java.time.Duration;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Many ids of a shard in one call.
 */
class EngineFillTest {

    private final EngineRig rig = new EngineRig();

    private final Engine engine = this.rig.engine;

    @ParameterizedTest
    @ValueSource(strings = { "standard", "many-processes" })
    void idsAreThoseThatSingleCallsWouldMake(String preset) {
        EngineRig single = new EngineRig(IdLayout.preset(preset)).leased();
        EngineRig filling = new EngineRig(IdLayout.preset(preset)).leased();
        long[] many = new long[1000];

        filling.engine.numbers().next(6, many);

        assertThat(many).isEqualTo(LongStream.generate(() -> single.engine.numbers().next(6)).limit(1000).toArray());
        assertThat(filling.engine.numbers().next(6)).isEqualTo(single.engine.numbers().next(6));
    }

    @ParameterizedTest
    @ValueSource(strings = { "standard", "many-processes" })
    void splitsAtMaxAheadAndWaitsForTheRest(String preset) {
        EngineRig filling = new EngineRig(IdLayout.preset(preset)).leased();
        long[] many = new long[1250 * filling.sequences() - filling.begin()];

        filling.engine.numbers().next(6, many);

        assertThat(many).isSorted().doesNotHaveDuplicates().startsWith(filling.id(0, 6, 0));
        assertThat(many[many.length - 1]).isEqualTo(filling.id(1249, 6, filling.sequences() - 1));
        assertThat(Duration.between(EngineRig.NOW, filling.time.instant())).isBetween(Duration.ofMillis(250),
                Duration.ofMillis(400));
    }

    @ParameterizedTest
    @ValueSource(strings = { "standard", "many-processes" })
    void eachStallIsBoundedByMaxWaitNotTheirSum(String preset) {
        EngineRig filling = new EngineRig(IdLayout.preset(preset)).leased();
        long[] many = new long[20_000 * filling.sequences() - filling.begin()];

        filling.engine.numbers().next(6, many);

        assertThat(many[many.length - 1]).isEqualTo(filling.id(19_999, 6, filling.sequences() - 1));
        assertThat(Duration.between(EngineRig.NOW, filling.time.instant())).isGreaterThan(Duration.ofSeconds(18));
    }

    @ParameterizedTest
    @ValueSource(strings = { "standard", "many-processes", "dense" })
    void callsInTheMidstOfOneTickMakeNoIdTwice(String preset) {
        EngineRig filling = new EngineRig(IdLayout.preset(preset)).leased();
        int sequence = filling.begin();
        for (int call = 0; call < 3; call++) {
            long[] two = new long[2];
            filling.engine.numbers().next(6, two);

            assertThat(two).as("call %s", call)
                .containsExactly(inOrder(filling, sequence), inOrder(filling, sequence + 1));
            sequence += 2;
            filling.time.advance(Duration.ofNanos(100_000));
        }
    }

    private static long inOrder(EngineRig rig, int sequence) {
        return rig.layout.compose(rig.tick + sequence / rig.sequences(), 6, EngineRig.WORKER,
                sequence % rig.sequences());
    }

    @Test
    void splitsAtTheEndOfTheLeaseAndGoesOnUnderTheNextOne() {
        this.rig.hold(EngineRig.WORKER, this.rig.tick, this.rig.tick + 2);
        this.rig.leases.onRenew(() -> this.rig.hold(EngineRig.WORKER, this.rig.tick, this.rig.tick + 1000));
        long[] many = new long[100];

        this.engine.numbers().next(6, many);

        assertThat(many).isSorted().doesNotHaveDuplicates().endsWith(this.rig.id(3, 6, 3 + this.rig.begin()));
        assertThat(this.rig.leases.renewals()).isOne();
        assertThat(this.rig.time.parks()).isZero();
    }

    @Test
    void refusesWhenTheRestDoesNotComeInTime() {
        this.rig.hold(EngineRig.WORKER, this.rig.tick, this.rig.tick + 2);

        assertThatExceptionOfType(WorkerLeaseException.class)
            .isThrownBy(() -> this.engine.numbers().next(6, new long[100]))
            .withMessageContaining("worker=3");
    }

    @Test
    void fillsNothingIntoNothing() {
        this.engine.numbers().next(6, new long[0]);

        assertThat(this.rig.time.parks()).isZero();
    }

}
