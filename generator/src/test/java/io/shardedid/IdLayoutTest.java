package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class IdLayoutTest {

    private static final Instant INSTAGRAM_EPOCH = Instant.parse("2011-01-01T00:00:00Z");

    @ParameterizedTest
    @CsvSource({ "264384000000, 5001, 9001, 2217813737473025833, 2019-05-19T00:00:00Z, 1001, 809",
            "1387263000, 31341, 5001, 11637205501278089, 2011-01-17T01:21:03Z, 1341, 905" })
    void packsAndReadsTheExamplesOfInstagram(long tick, long user, int count, long id, Instant instant, int shard,
            int sequence) {
        IdLayout layout = IdLayout.instagramExact().toBuilder().epoch(INSTAGRAM_EPOCH).build();

        assertThat(ShardFunction.modulo().shardOf(user, 2000)).isEqualTo(shard);
        assertThat(layout.compose(tick, shard, 0, count % 1024)).isEqualTo(id);
        assertThat(layout.parse(id)).isEqualTo(new IdParts(instant, shard, 0, sequence));
        assertThat(layout.tickOf(id)).isEqualTo(tick);
    }

    @Test
    void manyShardsSplitTheTailOfInstagramBetweenWorkerAndSequence() {
        IdLayout layout = IdLayout.manyShards().toBuilder().epoch(INSTAGRAM_EPOCH).build();

        long id = layout.compose(264384000000L, 1001, 25, 9);

        assertThat(id).isEqualTo(2217813737473025833L);
        assertThat(layout.parse(id)).isEqualTo(new IdParts(Instant.parse("2019-05-19T00:00:00Z"), 1001, 25, 9));
        assertThat(id >> 10 & 8191).isEqualTo(1001);
        assertThat(id >> 23).isEqualTo(264384000000L);
    }

    @ParameterizedTest
    @CsvSource({ "0, 0", "7, 7", "0000000000000000007, 7", "9223372036854775807, 9223372036854775807", "-1, -1",
            "-9223372036854775808, -9223372036854775808" })
    void readsIdsWrittenInDecimal(String text, long id) {
        assertThat(IdLayout.parseText(text)).hasValue(id);
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "-", "-0", "--1", " ", " 12", "12 ", "12a", "12.0", "1e3", "+12", "1_2", "0x1f", "#1f",
            "\u0661\u0662", "9223372036854775808", "-9223372036854775809", "10000000000000000000",
            "00000000000000000007" })
    void readsNoIdFromOtherTexts(String text) {
        assertThat(IdLayout.parseText(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({ "standard, 11, 7, 5", "many-shards, 13, 5, 5", "many-processes, 11, 10, 2",
            "instagram-exact, 13, 0, 10", "dense, 11, 5, 7" })
    void presetHasItsWidths(String name, int shard, int worker, int sequence) {
        IdLayout layout = IdLayout.preset(name);

        assertThat(layout.timeBits()).isEqualTo(40);
        assertThat(layout.shardBits()).isEqualTo(shard);
        assertThat(layout.workerBits()).isEqualTo(worker);
        assertThat(layout.sequenceBits()).isEqualTo(sequence);
        assertThat(layout.order())
            .isEqualTo(name.equals("dense") ? List.of(IdField.SEQUENCE, IdField.SHARD, IdField.WORKER)
                    : List.of(IdField.SHARD, IdField.WORKER, IdField.SEQUENCE));
        assertThat(layout.tick()).isEqualTo(Duration.ofMillis(1));
        assertThat(layout.epoch()).isEqualTo(Instant.parse("2025-01-01T00:00:00Z"));
        assertThat(layout.lastId()).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @MethodSource("io.shardedid.IdLayout#presetNames")
    void buildsUponEveryFieldOfALayout(String preset) {
        IdLayout layout = IdLayout.preset(preset);

        assertThat(layout.toBuilder().build()).isEqualTo(layout);
    }

    @Test
    void presetsOfTheCodeAreThoseOfTheConfiguration() {
        assertThat(List.of(IdLayout.standard(), IdLayout.manyShards(), IdLayout.manyProcesses(),
                IdLayout.instagramExact(), IdLayout.dense()))
            .containsExactly(IdLayout.preset("standard"), IdLayout.preset("many-shards"),
                    IdLayout.preset("many-processes"), IdLayout.preset("instagram-exact"), IdLayout.preset("dense"))
            .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(strings = { "twitter", "INSTAGRAM", "instagram_exact", "standart", "" })
    void refusesAnUnknownPreset(String name) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> IdLayout.preset(name))
            .withMessageContaining("shardedid.layout.preset='" + name + "'");
    }

    /** The name is Instagram's, and two presets have a claim to it. */
    @Test
    void refusesThePresetInstagramAndNamesBoth() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> IdLayout.preset("instagram"))
            .withMessageContaining("shardedid.layout.preset='instagram'")
            .satisfies((refused) -> {
                assertThat(refused.problem().keys()).containsExactly("shardedid.layout.preset");
                assertThat(refused.problem().remedy()).contains("'many-shards'", "'instagram-exact'");
            });
    }

    @Test
    void defaultRangeEndsInNovember2059() {
        IdLayout layout = IdLayout.standard();

        assertThat(layout.lastUsableInstant()).isEqualTo("2059-11-04T19:53:47.775Z");
        assertThat(layout.lastTick()).isEqualTo((1L << 40) - 1);
        assertThat(layout.compose(layout.lastTick(), 2047, 127, 31)).isEqualTo(Long.MAX_VALUE);
        assertThat(layout.instantOf(Long.MAX_VALUE)).isEqualTo(layout.lastUsableInstant());
    }

    @Test
    void firstTickOfTheTopTimeBitStaysPositive() {
        IdLayout layout = IdLayout.standard();

        assertThat(layout.compose(1L << 39, 0, 0, 0)).isEqualTo(1L << 62);
        assertThat(layout.tickOf(1L << 62)).isEqualTo(1L << 39);
    }

    @Test
    void packsFieldsInTheOrderChosen() {
        IdLayout layout = IdLayout.builder()
            .timeBits(39)
            .tick(Duration.ofMillis(10))
            .shardBits(0)
            .sequenceBits(8)
            .workerBits(16)
            .order(IdField.SEQUENCE, IdField.WORKER, IdField.SHARD)
            .build();

        assertThat(layout.compose(1, 0, 2, 3)).isEqualTo(1L << 24 | 3L << 16 | 2);
        assertThat(layout.lastUsableInstant()).isEqualTo("2199-03-19T03:28:58.870Z");
    }

    @Test
    void refusesIdsThatTheLayoutCannotHold() {
        IdLayout standard = IdLayout.standard();
        IdLayout narrow = IdLayout.builder().timeBits(30).shardBits(4).workerBits(0).sequenceBits(4).build();

        assertThatIllegalArgumentException().isThrownBy(() -> standard.parse(-1))
            .withMessageContainingAll("[0, 9223372036854775807]", "id=-1");
        assertThatIllegalArgumentException().isThrownBy(() -> standard.shardOf(Long.MIN_VALUE))
            .withMessageContainingAll("[0, 9223372036854775807]", "id=-9223372036854775808");
        assertThatIllegalArgumentException().isThrownBy(() -> narrow.instantOf(1L << 38))
            .withMessageContainingAll("[0, 274877906943]", "id=274877906944");
        assertThat(narrow.lastId()).isEqualTo((1L << 38) - 1);
    }

    @Test
    void refusesPartsThatDoNotFit() {
        IdLayout layout = IdLayout.standard();

        assertThatIllegalArgumentException().isThrownBy(() -> layout.compose(1L << 40, 0, 0, 0))
            .withMessageContainingAll("[0, 1099511627775]", "tick=1099511627776");
        assertThatIllegalArgumentException().isThrownBy(() -> layout.compose(-1, 0, 0, 0))
            .withMessageContainingAll("[0, 1099511627775]", "tick=-1");
        assertThatIllegalArgumentException().isThrownBy(() -> layout.compose(0, 2048, 0, 0))
            .withMessageContainingAll("[0, 2047]", "shard=2048");
        assertThatIllegalArgumentException().isThrownBy(() -> layout.compose(0, 0, 128, 0))
            .withMessageContainingAll("[0, 127]", "worker=128");
        assertThatIllegalArgumentException().isThrownBy(() -> layout.compose(0, 0, 0, -1))
            .withMessageContainingAll("[0, 31]", "sequence=-1");
        assertThatIllegalArgumentException().isThrownBy(() -> IdLayout.instagramExact().compose(0, 0, 1, 0))
            .withMessageContainingAll("[0, 0]", "worker=1");
    }

    @Test
    void equalLayoutsHaveEqualFingerprints() {
        assertThat(IdLayout.standard()).isEqualTo(IdLayout.builder().build())
            .hasSameHashCodeAs(IdLayout.builder().build())
            .hasToString("epoch=2025-01-01T00:00:00Z,tick=PT0.001S,time=40,shard=11,worker=7,sequence=5")
            .isNotEqualTo(IdLayout.standard().toBuilder().epoch(INSTAGRAM_EPOCH).build())
            .isNotEqualTo(
                    IdLayout.standard().toBuilder().order(IdField.SHARD, IdField.SEQUENCE, IdField.WORKER).build());
        assertThat(IdLayout.manyShards().toBuilder().build()).isEqualTo(IdLayout.manyShards());
    }

}
