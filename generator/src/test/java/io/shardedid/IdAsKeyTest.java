package io.shardedid;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A shard key leads to a shard, and an id carries one: the two are told apart wherever a
 * key is taken.
 */
class IdAsKeyTest {

    private static final IdLayout LAYOUT = IdLayout.standard();

    private static final long NOW = LAYOUT.tickAt(EngineRig.NOW);

    private static final long PARENT = LAYOUT.compose(NOW, 619, 3, 0);

    private static final UUID PARENT_UUID = UuidLayout.pack(EngineRig.NOW.toEpochMilli(), 0, 619, 3, 77L << 40);

    private static final long SMALLEST = 1L << 40;

    private static final long TOO_OLD = LAYOUT.compose(NOW - 1001, 619, 3, 0);

    /** Its worker is beyond the layout. */
    private static final UUID UUID_OF_ANOTHER = UuidLayout.pack(EngineRig.NOW.toEpochMilli(), 0, 619, 128, 0);

    private final SettableTime time = SettableTime.at(EngineRig.NOW);

    private final ShardedIdEngine ids = leasedSince(NOW - 1000);

    private ShardedIdEngine leasedSince(long firstTick) {
        ScriptedLeases leases = ScriptedLeases.endless(3,
                new EngineTerms(LAYOUT, 2000, "modulo", Duration.ofSeconds(1), Duration.ofSeconds(5), null, this.time));
        return new OwnRegistry().builder().timeSource(this.time).workers(leases.firstTick(firstTick)).open();
    }

    static Stream<Object> ids() {
        return Stream.of(PARENT, BigInteger.valueOf(PARENT), Long.toString(PARENT), "0" + PARENT, PARENT_UUID,
                PARENT_UUID.toString(), PARENT_UUID.toString().toUpperCase(Locale.ROOT),
                LAYOUT.compose(NOW - 1000, 0, 31, 31), LAYOUT.compose(NOW + 1000, 1999, 0, 0));
    }

    @ParameterizedTest
    @MethodSource("ids")
    void idIsNoKey(Object id) {
        for (Runnable call : new Runnable[] { () -> this.ids.shardOfKey(id), () -> this.ids.nextFor(id),
                () -> this.ids.uuids().nextFor(id) }) {
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(call::run)
                .satisfies((ex) -> assertThat(ex.reason()).isEqualTo(ShardKeyException.Reason.KEY_IS_ID));
        }
        assertThat(this.ids.reader().shardForPlain(id)).isEqualTo(ShardFunction.modulo().shardOf(id, 2000));
    }

    @Test
    void namesBothShardsAndTheCallForAChild() {
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> this.ids.nextFor(PARENT))
            .withMessageContainingAll("key=" + PARENT, "shard 619", "shardForPlain");
        assertThat(this.ids.shardOf(this.ids.next(this.ids.shardOf(PARENT)))).isEqualTo(619);
        assertThat(this.ids.shardOf(this.ids.next(this.ids.reader().shardForPlain(PARENT))))
            .isEqualTo((int) (PARENT % 2000));
    }

    static Stream<Object> plainKeys() {
        return Stream.of(0L, 5, 5L, (short) 5, BigInteger.TEN.pow(30), SMALLEST - 1, -1L, -PARENT, "5", "ada",
                Long.toString(SMALLEST - 1), "-" + PARENT, " " + PARENT, PARENT + "0", Long.toString(TOO_OLD),
                "\u0665".repeat(18), PARENT_UUID.toString().replace("-", ""),
                "0" + PARENT_UUID.toString().substring(1).replace('-', '_'), UUID_OF_ANOTHER.toString(), TOO_OLD,
                LAYOUT.compose(NOW, 2000, 3, 0), LAYOUT.compose(NOW + 60_000, 619, 3, 0),
                UUID.fromString("123e4567-e89b-42d3-a456-426614174000"), UUID_OF_ANOTHER,
                UuidLayout.pack(EngineRig.NOW.toEpochMilli(), 0, 2000, 3, 0),
                UuidLayout.pack(EngineRig.NOW.minusSeconds(2).toEpochMilli(), 0, 619, 3, 0),
                UuidLayout.pack(EngineRig.NOW.plusSeconds(60).toEpochMilli(), 0, 619, 3, 0));
    }

    @ParameterizedTest
    @MethodSource("plainKeys")
    void keyThatCanBeNoIdIsPlain(Object key) {
        int shard = ShardFunction.modulo().shardOf(key, 2000);

        assertThat(this.ids.shardOfKey(key)).isEqualTo(this.ids.reader().shardForPlain(key)).isEqualTo(shard);
        assertThat(this.ids.shardOf(this.ids.nextFor(key))).isEqualTo(shard);
        assertThat(UuidLayout.shardOf(this.ids.uuids().nextFor(key))).isEqualTo(shard);
    }

    /** As in mode {@code fixed} without a line. */
    @Test
    void shortNumbersArePlainWhereNobodyKnowsSinceWhenIdsAreMade() {
        ShardedIdEngine fixed = leasedSince(0);

        assertThat(fixed.shardOfKey(4711L)).isEqualTo(711);
        assertThat(fixed.shardOfKey(SMALLEST - 1)).isEqualTo((int) ((SMALLEST - 1) % 2000));
        assertThat(fixed.shardOfKey(Long.toString(SMALLEST - 1))).isBetween(0, 1999);
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> fixed.shardOfKey(SMALLEST));
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> fixed.shardOfKey(Long.toString(SMALLEST)));
    }

    @Test
    void idThatAsAPlainKeyLeadsToItsOwnShardIsAccepted() {
        long own = Stream.iterate(LAYOUT.compose(NOW, 16, 0, 0), (id) -> id + 1)
            .filter((id) -> id % 2000 == LAYOUT.shardOf(id))
            .findFirst()
            .orElseThrow();

        assertThat(this.ids.shardOfKey(own)).isEqualTo(this.ids.shardOf(own));
    }

    @Test
    void noKeyHasNoShard() {
        for (Runnable call : new Runnable[] { () -> this.ids.shardOfKey(null), () -> this.ids.nextFor(null),
                () -> this.ids.uuids().nextFor(null), () -> this.ids.reader().shardForPlain(null) }) {
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(call::run)
                .withMessageContainingAll("key=null", "next");
        }
    }

    @Test
    void namesTypesAsTheyAreWritten() {
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> this.ids.nextFor(new byte[0]))
            .withMessageContainingAll("[]", "type=byte[", "shardedid.shard-function");
    }

    @Test
    void numberIsNotItsText() {
        assertThat(this.ids.shardOfKey(5L)).isEqualTo(this.ids.shardOfKey(5)).isEqualTo(5);
        assertThat(this.ids.shardOfKey("5")).isEqualTo(1203);
    }

}
