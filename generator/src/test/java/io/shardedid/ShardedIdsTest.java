package io.shardedid;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.UUID;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ShardedIdsTest {

    private final SettableTime time = SettableTime.at(EngineRig.NOW);

    private final OwnRegistry registry = new OwnRegistry();

    private final ScriptedLeases leases = leases();

    private final ShardedIdEngine ids = builder().workers(this.leases).open();

    private ShardedIdsBuilder builder() {
        return this.registry.builder().timeSource(this.time);
    }

    private ScriptedLeases leases() {
        return ScriptedLeases.endless(3, new EngineTerms(IdLayout.standard(), 2000, "modulo", Duration.ofSeconds(1),
                Duration.ofSeconds(5), null, this.time));
    }

    /** Another engine, whose first lease is of this time. */
    private ShardedIdEngine leasedSinceNow() {
        return new OwnRegistry().builder()
            .timeSource(this.time)
            .workers(leases().firstTick(IdLayout.standard().tickAt(EngineRig.NOW)))
            .open();
    }

    @Test
    void makesAndReadsIds() {
        long id = this.ids.next(1001);

        assertThat(this.ids.shardOf(id)).isEqualTo(1001);
        assertThat(this.ids.parse(id)).isEqualTo(new IdParts(EngineRig.NOW, 1001, 3, 0));
        assertThat(this.ids.layout()).isEqualTo(IdLayout.standard());
        assertThat(this.ids.shards()).isEqualTo(2000);
        assertThat(this.ids.reader().shardFunction()).isSameAs(ShardFunction.modulo());
    }

    /** A row may have it from before, so it has a home, but no parts. */
    @Test
    void negativeNumberIsNoIdOfTheLayout() {
        for (ThrowingCallable reader : new ThrowingCallable[] { () -> this.ids.parse(-5),
                () -> this.ids.layout().shardOf(-5), () -> this.ids.layout().instantOf(-5) }) {
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(reader)
                .withMessageContainingAll("[0, 9223372036854775807]", "id=-5");
        }
        assertThat(this.ids.problemsWith(-5)).containsExactly("it is negative, which no id is");
        assertThat(this.ids.shardOf(-5)).isEqualTo(this.ids.shardOfKey(-5)).isEqualTo(1995);
    }

    @Test
    void makesIdsForKeys() {
        assertThat(this.ids.shardOfKey(5001)).isEqualTo(1001);
        assertThat(this.ids.shardOf(this.ids.nextFor(31341L))).isEqualTo(1341);
        assertThat(this.ids.shardOf(this.ids.nextFor(new UUID(0, 0)))).isEqualTo(1871);
    }

    @Test
    void makesIdsWithoutKeysOverAllShards() {
        long last = 0;
        for (int i = 0; i < 1000; i++) {
            this.time.advance(Duration.ofMillis(1));
            long id = this.ids.next();
            assertThat(id).isGreaterThan(last);
            assertThat(this.ids.shardOf(id)).isLessThan(2000);
            last = id;
        }
    }

    @Test
    void fillsAnArray() {
        long first = this.ids.next(5);
        long[] some = new long[3];
        this.ids.next(5, some);

        assertThat(some).containsExactly(first + 1, first + 2, first + 3);
    }

    @Test
    void refusesAShardFunctionThatLeadsOutsideTheShards() {
        ShardedIdEngine odd = builder().workers(new ScriptedLeases("odd")).shardFunction(new ShardFunction() {
            @Override
            public int shardOf(Object key, int shards) {
                return (int) key;
            }

            @Override
            public String id() {
                return "identity";
            }
        }).open();

        assertThat(odd.shardOfKey(1999)).isEqualTo(1999);
        for (int shard : new int[] { -1, 2000 }) {
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> odd.nextFor(shard))
                .withMessageContainingAll("[0, 1999]", "key=" + shard, "shard=" + shard);
        }
    }

    @Test
    void clockTellsTheTimeOfIdsInAnyZone() {
        this.time.advance(Duration.ofMillis(1500));
        Clock clock = this.ids.clock();
        ZoneId zone = ZoneId.of("Europe/Berlin");

        assertThat(clock.instant()).isEqualTo(EngineRig.NOW.plusMillis(1500));
        assertThat(clock.getZone()).isEqualTo(ZoneOffset.UTC);
        assertThat(clock.withZone(zone).getZone()).isEqualTo(zone);
        assertThat(clock.withZone(zone).instant()).isEqualTo(clock.instant());
    }

    @Test
    void idsBeforeTheFirstLeaseAreOlder() {
        IdLayout layout = this.ids.layout();
        ShardedIdEngine leased = leasedSinceNow();

        assertThat(leased.reader().isOlder(layout.firstIdAt(EngineRig.NOW) - 1)).isTrue();
        assertThat(leased.reader().isOlder(layout.firstIdAt(EngineRig.NOW))).isFalse();
        assertThat(leased.reader().isOlder(5001)).isTrue();
        assertThat(leased.reader().isOlder(-1)).isTrue();
    }

    @Test
    void homeIsTheShardOfAnIdAndOfAPlainNumber() {
        IdLayout layout = this.ids.layout();
        assertThat(this.ids.shardOf(4711)).as("nobody knows the line").isEqualTo(1);
        ShardedIdEngine leased = leasedSinceNow();

        assertThat(leased.shardOf(leased.next(1001))).isEqualTo(1001);
        assertThat(leased.shardOf(4711)).isEqualTo(711);
        assertThat(leased.shardOf((1L << 40) - 1)).isEqualTo((int) (((1L << 40) - 1) % 2000));
        assertThat(leased.shardOf(-3)).isEqualTo(1997);
        long outside = layout.compose(layout.tickAt(EngineRig.NOW), 2000, 3, 0);
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> leased.shardOf(outside))
            .withMessageContainingAll("[0, 1999]", "id=" + outside, "shard=2000", "layout");
    }

    @Test
    void refusesAnIdOfTwoReadings() {
        IdLayout layout = this.ids.layout();
        ShardedIdEngine leased = leasedSinceNow();
        for (long id : new long[] { 1L << 40, layout.firstIdAt(EngineRig.NOW) - 1 }) {
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> leased.shardOf(id))
                .withMessageContainingAll("id=" + id, "bits=" + layout.instantOf(id), "shardedid.older-ids-before");
        }
    }

    @Test
    void oneShardIsTheHomeOfEveryReading() {
        ScriptedLeases single = new ScriptedLeases("single").firstTick(IdLayout.standard().tickAt(EngineRig.NOW));
        try (ShardedIdEngine one = builder().workers(single).shards(1).open()) {
            assertThat(one.shardOf(one.layout().firstIdAt(EngineRig.NOW) - (1 << 23))).isZero();
        }
    }

    @Test
    void lineThatIsSetTakesThePlaceOfTheFirstLease() {
        Instant line = EngineRig.NOW.minusSeconds(60);
        long after = this.ids.layout().compose(this.ids.layout().tickAt(line), 883, 3, 0);
        long before = this.ids.layout().compose(this.ids.layout().tickAt(line) - 1, 883, 3, 0);
        ScriptedLeases later = new ScriptedLeases("lined").firstTick(this.ids.layout().tickAt(EngineRig.NOW));
        try (ShardedIdEngine lined = builder().workers(later).olderIdsBefore(line).open()) {
            assertThat(lined.shardOf(after)).isEqualTo(883);
            assertThat(lined.shardOf(before)).isEqualTo((int) (before % 2000));
            assertThat(lined.reader().isOlder(after)).isFalse();
            assertThat(lined.reader().isOlder(before)).isTrue();
            assertThat(lined.terms().olderIdsBefore()).isEqualTo(line);
        }
    }

    @Test
    void refusesALineThatCannotBe() {
        Instant epoch = this.ids.layout().epoch();
        for (Instant line : new Instant[] { epoch.minusMillis(1), EngineRig.NOW.plusMillis(1) }) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class)
                .isThrownBy(() -> builder().workers(leases()).olderIdsBefore(line).open())
                .withMessageContainingAll("[" + epoch + " (the epoch), " + EngineRig.NOW + " (now)]",
                        "shardedid.older-ids-before=" + line);
        }
        assertThat(this.ids.next(7)).isPositive();
    }

    @Test
    void doubtsWhatNobodyHereCanHaveMade() {
        ShardedIdEngine leased = leasedSinceNow();
        assertThat(leased.problemsWith(leased.next(7))).isEmpty();
        assertThat(leased.problemsWith(-1)).containsExactly("it is negative, which no id is");
        assertThat(leased.problemsWith(leased.layout().firstIdAt(EngineRig.NOW.plusSeconds(11)))).isEmpty();
        assertThat(leased.problemsWith(leased.layout().firstIdAt(EngineRig.NOW.plusMillis(11_001)))).singleElement()
            .asString()
            .endsWith("has not come yet");
        assertThat(leased.problemsWith(4711)).singleElement()
            .asString()
            .contains("2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z");
    }

    @Test
    void idsThatTheLayoutCannotHoldAreOlder() {
        IdLayout narrow = IdLayout.builder().timeBits(36).shardBits(11).build();
        ShardedIdEngine few = builder().layout(narrow).workers(new ScriptedLeases("few")).open();

        assertThat(few.reader().isOlder(narrow.lastId())).isFalse();
        assertThat(few.reader().isOlder(narrow.lastId() + 1)).isTrue();
    }

    @Test
    void closedIdsMakeNoneAndStillRead() {
        long id = this.ids.next(7);
        this.ids.close();
        this.ids.close();

        assertClosed(() -> this.ids.next(7));
        assertClosed(() -> this.ids.next(7, new long[1]));
        assertClosed(() -> this.ids.nextFor(7));
        assertClosed(() -> this.ids.next());
        assertClosed(() -> this.ids.stats());
        assertClosed(() -> this.ids.workers());
        assertThat(this.ids.shardOf(id)).isEqualTo(7);
        assertThat(this.ids.shardOfKey(5001)).isEqualTo(1001);
        assertThat(this.ids.clock().instant()).isEqualTo(EngineRig.NOW);
        assertThat(this.leases.closes()).isOne();
    }

    private static void assertClosed(ThrowingCallable call) {
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(call).withMessageContaining("another");
    }

    @Test
    void instancesWithOneWorkerShareItsCellsUntilTheLastIsClosed() {
        try (ShardedIdEngine other = builder().workers(leases()).open()) {
            assertThat(other.next(7)).isEqualTo(this.ids.next(7) - 1);
            this.ids.close();
            this.ids.close();
            assertThat(other.next(7)).isPositive();
            assertThat(this.leases.closes()).isZero();
        }
        assertThat(this.leases.closes()).isOne();
    }

    @Test
    void refusesASecondInstanceWithOtherSettings() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> builder().workers(leases()).shards(1000).open())
            .withMessageContaining("endless:3");
    }

}
