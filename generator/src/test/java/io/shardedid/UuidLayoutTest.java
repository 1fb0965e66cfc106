package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class UuidLayoutTest {

    private static final UUID VERSION_4 = UUID.fromString("936da01f-9abd-4d9d-80c7-02af85c822a8");

    private static final UUID OTHER_VARIANT = UUID.fromString("019aab8d-b1eb-7abc-c6af-7ddfffffffff");

    private final ScriptedLeases leases = new ScriptedLeases("uuids");

    private final ShardedIdEngine ids = ShardedIds.builder()
        .registry(new EngineRegistry())
        .workers(this.leases.firstTick(IdLayout.standard().tickAt(Instant.parse("2026-01-01T00:00:00Z"))))
        .open();

    @AfterEach
    void close() {
        this.ids.close();
    }

    @Test
    void bitsStandWhereTheyStandForever() {
        UUID uuid = UuidLayout.pack(Instant.parse("2026-11-22T10:15:30.123Z").toEpochMilli(), 0xabc, 0x1357, 0xbeef,
                -1);

        assertThat(uuid).hasToString("019aab8d-b1eb-7abc-a6af-7ddfffffffff".replace("019aab8d-b1eb",
                "%012x".formatted(Instant.parse("2026-11-22T10:15:30.123Z").toEpochMilli())
                    .replaceFirst("(.{8})", "$1-")));
        assertThat(UuidLayout.parse(uuid))
            .isEqualTo(new IdParts(Instant.parse("2026-11-22T10:15:30.123Z"), 0x1357, 0xbeef, 0xabc));
    }

    @Test
    void whatIsPackedIsReadAgain() {
        Random random = new Random(20);
        for (int i = 0; i < 100_000; i++) {
            IdParts parts = new IdParts(Instant.ofEpochMilli(random.nextLong() >>> 16), random.nextInt(1 << 13),
                    random.nextInt(1 << 16), random.nextInt(1 << 12));
            UUID uuid = UuidLayout.pack(parts.instant().toEpochMilli(), parts.sequence(), parts.shard(), parts.worker(),
                    random.nextLong());
            assertThat(UuidLayout.parse(uuid)).isEqualTo(parts);
            assertThat(UuidLayout.isVersion7(uuid)).isTrue();
        }
    }

    @Test
    void firstIdOfAMomentIsBeforeAllOthers() {
        Instant instant = Instant.parse("2026-11-22T10:15:30.123Z");
        UUID first = UuidLayout.firstIdAt(instant);

        assertThat(first).isLessThan(UuidLayout.pack(instant.toEpochMilli(), 0, 0, 0, Long.MIN_VALUE))
            .isGreaterThan(UuidLayout.pack(instant.toEpochMilli() - 1, 4095, 8191, 65535, -1));
        assertThat(UuidLayout.isVersion7(first)).isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> UuidLayout.firstIdAt(Instant.EPOCH.minusMillis(1)))
            .withMessageContainingAll("[1970-01-01T00:00:00Z, +10889-08-02T05:31:50.655Z]",
                    "time=1969-12-31T23:59:59.999Z");
    }

    @Test
    void otherVersionsAreNotRead() {
        assertThat(UuidLayout.isVersion7(VERSION_4)).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> UuidLayout.parse(VERSION_4))
            .withMessageContainingAll("uuid=936da01f-9abd-4d9d-80c7-02af85c822a8", "version=4", "variant=2");
        assertThatIllegalArgumentException().isThrownBy(() -> UuidLayout.parse(OTHER_VARIANT))
            .withMessageContainingAll("uuid=019aab8d-b1eb-7abc-c6af-7ddfffffffff", "version=7", "variant=6");
    }

    @Test
    void presetsOfOurOwnHaveRoomForUuids() {
        for (String preset : new String[] { "standard", "many-shards", "many-processes", "instagram-exact",
                "snowflake" }) {
            assertThatCode(() -> UuidLayout.check(IdLayout.preset(preset))).as(preset).doesNotThrowAnyException();
        }
    }

    @Test
    void layoutsWithoutRoomAreRefused() {
        assertRefused(IdLayout.builder().tick(Duration.ofMillis(10)).build(), "tick=10ms");
        assertRefused(IdLayout.builder().epoch(Instant.parse("2025-01-01T00:00:00.000500Z")).build(),
                "epoch=2025-01-01T00:00:00.000500Z");
        assertRefused(IdLayout.builder().epoch(Instant.parse("1969-01-01T00:00:00Z")).timeBits(42).shardBits(4).build(),
                "epoch=1969-01-01T00:00:00Z");
        assertRefused(IdLayout.builder().shardBits(14).workerBits(4).sequenceBits(5).build(), "shard-bits=14");
        assertRefused(IdLayout.builder().shardBits(2).workerBits(17).sequenceBits(4).build(), "worker-bits=17");
        assertRefused(IdLayout.builder().timeBits(49).shardBits(4).workerBits(5).sequenceBits(5).build(),
                "time-bits=49");
    }

    private static void assertRefused(IdLayout layout, String why) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> UuidLayout.check(layout))
            .withMessageContainingAll(why, "layout=" + layout, "standard");
    }

    @Test
    void childrenLiveInTheShardOfAUuid() {
        UUID parent = UuidLayout.pack(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli(), 5, 1999, 3, 77);

        assertThat(this.ids.uuids().shardOf(parent)).isEqualTo(1999);
    }

    @Test
    void uuidThatCannotBeOfThisFleetHasNoShard() {
        assertNoShard(VERSION_4, "version=4, variant=2");
        assertNoShard(OTHER_VARIANT, "version=7, variant=6");
        assertNoShard(UuidLayout.pack(Instant.parse("2025-12-31T23:59:59.999Z").toEpochMilli(), 5, 7, 3, 77),
                "time=2025-12-31T23:59:59.999Z, first lease=2026-01-01T00:00:00Z");
        assertNoShard(UuidLayout.pack(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli(), 5, 2000, 3, 77),
                "shard=2000");
    }

    private void assertNoShard(UUID uuid, String fields) {
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> this.ids.uuids().shardOf(uuid))
            .withMessageContainingAll("uuid=" + uuid, fields);
    }

}
