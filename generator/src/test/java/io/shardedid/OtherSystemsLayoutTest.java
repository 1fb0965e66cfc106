package io.shardedid;

import java.time.Duration;
import java.time.Instant;

import io.shardedid.worker.WorkerLeases;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Ids that other systems made, as their documentation takes them apart.
 */
class OtherSystemsLayoutTest {

    private final SettableTime time = SettableTime.at(EngineRig.NOW);

    private final ScriptedLeases leases = new ScriptedLeases("other systems");

    /** A tweet of Wikipedia's; source: Wikipedia, "Snowflake ID". */
    @Test
    void readsSnowflakeIds() {
        IdLayout layout = IdLayout.preset("snowflake");

        IdParts parts = layout.parse(1541815603606036480L);

        assertThat(parts).isEqualTo(new IdParts(Instant.parse("2022-06-28T16:07:40.105Z"), 0, 378, 0));
        assertThat(parts.worker() >> 5).as("datacenter").isEqualTo(11);
        assertThat(parts.worker() & 31).as("worker").isEqualTo(26);
    }

    /**
     * The id of a test of bwmarrin/snowflake, with the epoch and widths of its README.
     */
    @Test
    void readsBwmarrinsIds() {
        IdLayout layout = IdLayout.snowflake(Instant.ofEpochMilli(1288834974657L), 10, 12);

        assertThat(layout.parse(1428076403798048768L))
            .isEqualTo(new IdParts(Instant.parse("2021-08-18T19:28:41.699Z"), 0, 0, 0));
        assertThat(IdLayout.snowflake(EngineRig.NOW, 8, 14).compose(5, 0, 255, 16383))
            .isEqualTo(5L << 22 | 255 << 14 | 16383);
    }

    /** The worked example of Discord's API reference. */
    @Test
    void readsDiscordIds() {
        IdParts parts = IdLayout.preset("discord").parse(175928847299117063L);

        assertThat(parts).isEqualTo(new IdParts(Instant.parse("2016-04-30T11:18:25.796Z"), 0, 1 << 5, 7));
    }

    /** The status of Mastodon's API reference, created at 03:48:33.901. */
    @Test
    void readsMastodonIds() {
        IdParts parts = IdLayout.preset("mastodon").parse(103270115826048975L);

        assertThat(parts.instant()).isEqualTo("2019-12-08T03:48:33.849Z");
        assertThat(parts.sequence()).isEqualTo(103270115826048975L & 0xffff);
    }

    /** Two of the examples of tsid-creator's README, before and after a millisecond. */
    @Test
    void readsTsids() {
        IdLayout layout = IdLayout.preset("tsid");

        assertThat(layout.instantOf(38352658567418867L)).isEqualTo("2020-04-15T19:59:46.360Z");
        assertThat(layout.instantOf(38352658573940759L)).isEqualTo("2020-04-15T19:59:46.361Z");
        assertThat(layout.parse(38352658567418868L).sequence() - layout.parse(38352658567418867L).sequence()).isOne();
    }

    /** Of a test of SawdustSoftware/simpleflake: 1,234,321 s after its epoch. */
    @Test
    void readsSimpleflakes() {
        assertThat(IdLayout.preset("simpleflake").parse(1_234_321_000L << 23 | 17))
            .isEqualTo(new IdParts(Instant.ofEpochSecond(946702800 + 1_234_321), 0, 0, 17));
    }

    /** 39 bits of 10 ms, 8 of sequence, 16 of machine; source: sony/sonyflake, README. */
    @Test
    void readsSonyflakes() {
        IdLayout layout = IdLayout.preset("sonyflake");

        assertThat(layout.parse(12_345L << 24 | 200 << 16 | 0xa8_17))
            .isEqualTo(new IdParts(Instant.parse("2014-09-01T00:02:03.450Z"), 0, 0xa8_17, 200));
        assertThat(Duration.between(layout.epoch(), layout.lastUsableInstant()).toDays() / 365).isEqualTo(174);
    }

    @ParameterizedTest
    @CsvSource({ "snowflake, 1000", "sonyflake, 65000" })
    void makesIdsOfLayoutsWithoutAShard(String preset, int worker) {
        EngineRig rig = new EngineRig(IdLayout.preset(preset)).hold(worker, 0, Long.MAX_VALUE / 2,
                Duration.ofMinutes(10));
        long last = 0;
        for (int i = 0; i < 20_000; i++) {
            long id = (i % 2 == 0) ? rig.engine.next(0) : rig.engine.nextKeyless();
            assertThat(id).isGreaterThan(last);
            assertThat(rig.layout.workerOf(id)).isEqualTo(worker);
            last = id;
        }
        assertThat(rig.layout.tickOf(last) - rig.tick).as("ticks taken")
            .isEqualTo((20_000 - 1) >> rig.layout.sequenceBits());
    }

    @Test
    void layoutWithoutAShardHasOneShard() {
        try (ShardedIdEngine ids = builder().layout(IdLayout.snowflake()).open()) {
            assertThat(ids.shards()).isOne();
            assertThat(ids.shardFor(5001)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "discord", "mastodon", "tsid", "simpleflake" })
    void refusesToMakeIdsThatOnlyTheirSystemCanKeepApart(String preset) {
        IdLayout layout = IdLayout.preset(preset);

        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> builder().layout(layout.toBuilder().epoch(EngineRig.NOW).build()).open())
            .withMessage(
                    "Ids of this layout can be read, not made: layout=%s (%s); choose another layout, or "
                            + "'shardedid.worker.mode=none' to read",
                    layout.toBuilder().epoch(EngineRig.NOW).build(), layout.readOnlyReason().orElseThrow());
        assertThat(this.leases.holder()).as("not started").isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = { "discord", "mastodon", "tsid", "simpleflake" })
    void readsThem(String preset) {
        IdLayout layout = IdLayout.preset(preset).toBuilder().epoch(EngineRig.NOW).build();
        long id = layout.compose(1000, 0, 0, 3);

        try (ShardedIdEngine ids = builder().layout(layout).workers(WorkerLeases.none()).open()) {
            assertThat(ids.parse(id).instant()).isEqualTo(layout.instantAt(1000));
            assertThat(ids.parse(id).sequence()).isEqualTo(3);
            assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> ids.next(0));
        }
    }

    @Test
    void simpleflakeSaysWhy() {
        assertThat(IdLayout.preset("simpleflake").readOnlyReason()).hasValue(
                "it has 23 random bits and no worker: about 3,400 ids in one millisecond collide as likely as not");
        assertThat(IdLayout.preset("snowflake").readOnlyReason()).isEmpty();
    }

    private ShardedIdsBuilder builder() {
        return new OwnRegistry().builder().timeSource(this.time).workers(this.leases);
    }

}
