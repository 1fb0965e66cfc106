package io.shardedid;

import java.time.Clock;
import java.time.Duration;
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

    private final ShardedIds ids = builder().workers(this.leases).open();

    private ShardedIdsBuilder builder() {
        return this.registry.builder().timeSource(this.time);
    }

    private ScriptedLeases leases() {
        return ScriptedLeases.endless(3, new EngineTerms(IdLayout.instagram(), 2000, "modulo", Duration.ofSeconds(1),
                Duration.ofSeconds(5), this.time));
    }

    @Test
    void makesAndReadsIds() {
        long id = this.ids.next(1001);

        assertThat(this.ids.shardOf(id)).isEqualTo(1001);
        assertThat(this.ids.parse(id)).isEqualTo(new IdParts(EngineRig.NOW, 1001, 3, 0));
        assertThat(this.ids.layout()).isEqualTo(IdLayout.instagram());
        assertThat(this.ids.shards()).isEqualTo(2000);
        assertThat(this.ids.shardFunction()).isSameAs(ShardFunction.modulo());
    }

    @Test
    void makesIdsForKeys() {
        assertThat(this.ids.shardFor(5001)).isEqualTo(1001);
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
        ShardedIds odd = builder().workers(new ScriptedLeases("odd")).shardFunction(new ShardFunction() {
            @Override
            public int shardOf(Object key, int shards) {
                return (int) key;
            }

            @Override
            public String id() {
                return "identity";
            }
        }).open();

        assertThat(odd.shardFor(1999)).isEqualTo(1999);
        for (int shard : new int[] { -1, 2000 }) {
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> odd.nextFor(shard))
                .withMessage("Could not find the shard of a key: function 'identity' must return a shard in [0, 1999]: "
                        + "key=%1$d, shard=%1$d".formatted(shard));
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
    void idsBeforeTheFirstLeaseAreLegacy() {
        IdLayout layout = this.ids.layout();
        this.leases.firstTick(layout.tickAt(EngineRig.NOW));

        assertThat(this.ids.legacy(layout.firstIdAt(EngineRig.NOW) - 1)).isTrue();
        assertThat(this.ids.legacy(layout.firstIdAt(EngineRig.NOW))).isFalse();
        assertThat(this.ids.legacy(5001)).isTrue();
        assertThat(this.ids.legacy(-1)).isTrue();
    }

    @Test
    void idsThatTheLayoutCannotHoldAreLegacy() {
        IdLayout narrow = IdLayout.builder().timeBits(36).shardBits(11).build();
        ShardedIds few = builder().layout(narrow).workers(new ScriptedLeases("few")).open();

        assertThat(few.legacy(narrow.lastId())).isFalse();
        assertThat(few.legacy(narrow.lastId() + 1)).isTrue();
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
        assertThat(this.ids.shardFor(5001)).isEqualTo(1001);
        assertThat(this.ids.clock().instant()).isEqualTo(EngineRig.NOW);
        assertThat(this.leases.closes()).isOne();
    }

    private static void assertClosed(ThrowingCallable call) {
        assertThatExceptionOfType(EngineClosedException.class).isThrownBy(call)
            .withMessage("Could not make or look up an id: this ShardedIds was closed; open another with "
                    + "ShardedIds.builder()");
    }

    @Test
    void instancesWithOneWorkerShareItsCellsUntilTheLastIsClosed() {
        try (ShardedIds other = builder().workers(leases()).open()) {
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
            .withMessageStartingWith("Could not open a second id engine 'endless:3' in this JVM: its terms differ: ");
    }

}
