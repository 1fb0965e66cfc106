package io.shardedid;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

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
        EngineRig rig = new EngineRig(IdLayout.preset(preset)).atBegin()
            .hold(worker, 0, Long.MAX_VALUE / 2, Duration.ofMinutes(10));
        long last = 0;
        for (int i = 0; i < 20_000; i++) {
            long id = (i % 2 == 0) ? rig.engine.numbers().next(0) : rig.engine.numbers().nextKeyless();
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
            assertThat(ids.shardOfKey(5001)).isZero();
        }
    }

    private ShardedIdsBuilder builder() {
        return new OwnRegistry().builder().timeSource(this.time).workers(this.leases);
    }

}
