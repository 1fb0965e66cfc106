package io.shardedid;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import com.github.f4b6a3.uuid.util.UuidUtil;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * UUIDs out of cells of their own, under the lease of the numbers.
 */
@Tag("jdk")
class UuidMakerTest {

    private static final int SEQUENCES = 4096;

    private final EngineRig rig = new EngineRig().atBegin().leased();

    private final Engine engine = this.rig.engine;

    private UUID next(int shard) {
        return this.engine.uuids().next(shard);
    }

    /** Makes the UUIDs of a shard until an attempt fails. */
    private List<UUID> drain(int shard) {
        List<UUID> made = new ArrayList<>();
        UuidMaker uuids = this.engine.uuids();
        LeasedCells held = uuids.held();
        for (long cell = uuids.tryClaim(held, shard); cell >= 0; cell = uuids.tryClaim(held, shard)) {
            made.add(uuids.uuid(held, cell, shard));
        }
        return made;
    }

    private Instant after(long ticks) {
        return EngineRig.NOW.plusMillis(ticks);
    }

    @Test
    void carriesTimeSequenceShardAndWorker() {
        assertThat(UuidLayout.parse(next(1234))).isEqualTo(new IdParts(EngineRig.NOW, 1234, EngineRig.WORKER, 0));
        assertThat(UuidLayout.parse(next(1234))).isEqualTo(new IdParts(EngineRig.NOW, 1234, EngineRig.WORKER, 1));
        assertThat(UuidLayout.parse(next(7))).isEqualTo(new IdParts(EngineRig.NOW, 7, EngineRig.WORKER, 0));
    }

    @Test
    void libraryOfOthersReadsVersionVariantAndTime() {
        for (int i = 0; i < 10_000; i++) {
            this.rig.time.advance(Duration.ofNanos(77_777));
            UUID uuid = next(i % 2048);
            assertThat(UuidUtil.isTimeOrderedEpoch(uuid)).as(uuid.toString()).isTrue();
            assertThat(UuidUtil.getInstant(uuid)).isEqualTo(UuidLayout.instantOf(uuid));
            assertThat(uuid.version()).isEqualTo(7);
            assertThat(uuid.variant()).isEqualTo(2);
        }
    }

    @Test
    void lowestBitsAreRandom() {
        Set<Long> seen = new HashSet<>();
        long ones = 0;
        long zeros = 0;
        for (int i = 0; i < 1000; i++) {
            long random = next(5).getLeastSignificantBits() & (1L << 33) - 1;
            seen.add(random);
            ones |= random;
            zeros |= ~random;
        }
        assertThat(seen).hasSizeGreaterThan(990);
        assertThat(ones & zeros & (1L << 33) - 1).as("bits that were seen as 0 and as 1").isEqualTo((1L << 33) - 1);
    }

    @Test
    void spentSequenceCarriesIntoTheNextMillisecondUntilMaxAhead() {
        List<UUID> made = drain(9);

        assertThat(made).hasSize(1000 * SEQUENCES).isSorted();
        assertThat(UuidLayout.parse(made.get(SEQUENCES - 1)))
            .isEqualTo(new IdParts(after(0), 9, EngineRig.WORKER, SEQUENCES - 1));
        assertThat(UuidLayout.parse(made.get(SEQUENCES))).isEqualTo(new IdParts(after(1), 9, EngineRig.WORKER, 0));
        assertThat(UuidLayout.instantOf(made.get(made.size() - 1))).isEqualTo(after(999));
        long parks = this.rig.time.parks();
        assertThat(next(9)).isGreaterThan(made.get(made.size() - 1));
        assertThat(this.rig.time.parks()).as("waited for the clock").isGreaterThan(parks);
    }

    @Test
    void saysWhichShardRanAheadOfTheClock() {
        drain(9);
        this.rig.time.onPark(() -> this.rig.hold(EngineRig.WORKER, this.rig.tick, this.rig.tick + 1_000_000));
        Engine stuck = new EngineRig(IdLayout.standard(), Duration.ofMillis(1), CellClaims.NO_TICK).atBegin()
            .leased().engine;
        long ahead = (this.rig.tick + 100_000) * SEQUENCES;
        stuck.uuids().held().cells.claim(9, ahead, ahead, Long.MAX_VALUE);

        assertThatExceptionOfType(IdsAheadOfClockException.class).isThrownBy(() -> stuck.uuids().next(9))
            .withMessageContainingAll("shardedid.clock.max-ahead", "shardedid.clock.max-wait", "spread");
    }

    @Test
    void uuidsOfAllShardsSortByTheTimeInsideAMillisecond() {
        List<UUID> made = new ArrayList<>();
        for (int i = 0; i < 900; i++) {
            this.rig.time.advance(Duration.ofNanos(1_000));
            made.add(next((i * 7) % 5));
        }
        assertThat(made).isSorted().allMatch((uuid) -> UuidLayout.instantOf(uuid).equals(EngineRig.NOW));
        assertThat(UuidLayout.parse(made.get(899)).sequence()).isEqualTo(1843);
    }

    @Test
    void leaseEndBoundsUuidsToo() {
        this.rig.hold(EngineRig.WORKER, this.rig.tick, this.rig.tick + 2);

        assertThat(drain(9)).hasSize(2 * SEQUENCES);
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> next(9))
            .withMessageContaining("worker=3");
    }

    @Test
    void leaseThatBeginsAheadOfTheClockIsNotLeft() {
        this.rig.hold(EngineRig.WORKER, this.rig.tick + 50, this.rig.tick + 100);

        assertThat(UuidLayout.instantOf(next(9))).isEqualTo(after(50));
    }

    @Test
    void relinquishTellsTheHighestTickOfBothKinds() {
        this.engine.numbers().next(1);
        for (int i = 0; i < 3 * SEQUENCES; i++) {
            next(9);
        }
        assertThat(this.engine.relinquish()).isEqualTo(this.rig.tick + 2);

        this.rig.leased();
        for (int i = 0; i < 320; i++) {
            this.engine.numbers().next(7);
        }
        next(9);
        assertThat(this.engine.relinquish()).isEqualTo(this.rig.tick + 10);
    }

    @Test
    void callThatReadTheLeaseBeforeItWasRelinquishedMakesNoUuid() {
        next(9);
        UuidMaker uuids = this.engine.uuids();
        LeasedCells stale = uuids.held();
        this.engine.relinquish();

        for (int shard = 0; shard < 2048; shard++) {
            assertThat(uuids.tryClaim(stale, shard)).isNegative();
        }
        assertThat(uuids.tryClaim(stale, CellClaims.KEYLESS)).isNegative();
        this.rig.leased();
        assertThat(UuidLayout.instantOf(next(9))).isEqualTo(after(1));
    }

    @Test
    void anotherWorkerMakesLaterUuids() {
        UUID before = drainOne(3);
        this.rig.hold(0, this.rig.tick, this.rig.tick + 1000);

        UUID now = next(9);
        assertThat(UuidLayout.parse(now)).isEqualTo(new IdParts(after(3), 9, 0, 0));
        assertThat(now).isGreaterThan(before);
    }

    private UUID drainOne(int ticks) {
        UUID last = next(9);
        for (int i = 1; i < ticks * SEQUENCES; i++) {
            last = next(9);
        }
        return last;
    }

    @Test
    void sameWorkerAfterALostLeaseGoesOn() {
        UUID before = drainOne(2);
        this.engine.hold(TickLease.NONE);
        assertThat(this.engine.uuids().tryClaim(this.engine.uuids().held(), 9)).isEqualTo(CellClaims.NO_LEASE);
        this.rig.leased();

        assertThat(next(9)).isGreaterThan(before);
    }

    @Test
    void firstUuidIsLaterThanTheEngineBefore() {
        Engine second = new EngineRig(IdLayout.standard(), Duration.ofSeconds(1), this.rig.tick + 400).atBegin()
            .leased().engine;

        assertThat(UuidLayout.instantOf(second.uuids().next(9))).isEqualTo(after(401));
    }

    @Test
    void closedEngineTellsTheHighestTickOfItsUuids() {
        drainOne(5);

        assertThat(this.engine.close()).isEqualTo(this.rig.tick + 4);
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> next(9)).withMessageContaining("another");
    }

    @Test
    void uuidsThatAreAskedForAfterTheEndAreRefused() {
        this.engine.close();

        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> next(9)).withMessageContaining("another");
    }

    @Test
    void leaseThatCannotBeRelinquishedForWantOfMemoryLosesNothing() {
        drainOne(3);
        this.rig.heapFull = true;
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this.engine::relinquish);
        assertThat(UuidLayout.instantOf(next(9))).isEqualTo(after(3));

        this.rig.heapFull = false;
        assertThat(this.engine.relinquish()).isEqualTo(this.rig.tick + 3);
    }

    @Test
    void numbersAndUuidsDoNotSpendEachOthersSequences() {
        UUID first = next(1);
        long[] numbers = this.rig.drain(1);

        assertThat(numbers).hasSize(32_000);
        assertThat(UuidLayout.parse(next(1))).isEqualTo(new IdParts(after(0), 1, EngineRig.WORKER, 1));
        assertThat(UuidLayout.parse(first).sequence()).isZero();
        assertThat(this.engine.stats().issued()).as("attempts by the rig do not count").isEqualTo(2);
    }

    @Test
    void keylessUuidsIncreaseOverAllShardsAndChangesOfTheWorker() {
        List<UUID> made = new ArrayList<>();
        Set<Integer> shards = new HashSet<>();
        for (int i = 0; i < 3000; i++) {
            if (i % 500 == 0) {
                this.rig.hold(31 - i / 500, this.rig.tick, this.rig.tick + 100_000);
            }
            if (i % 7 == 0) {
                this.rig.time.advance(Duration.ofMillis(1));
            }
            UUID uuid = this.engine.uuids().nextKeyless();
            made.add(uuid);
            shards.add(UuidLayout.shardOf(uuid));
        }
        assertThat(made).isSorted().doesNotHaveDuplicates();
        assertThat(shards).hasSizeGreaterThan(300);
    }

    /** Callers with a key have used up the shard that serves the tick. */
    @Test
    void keylessUuidsIncreaseWhenALeaseSetsTheClockBackFromATickThatIsUsedUp() {
        this.rig.time.advance(Duration.ofMillis(3));
        UuidMaker uuids = this.engine.uuids();
        long end = (this.rig.tick + 4) * SEQUENCES - 1;
        uuids.held().cells.claim(uuids.pickShard(this.rig.tick + 3, uuids.held()), end, end, Long.MAX_VALUE);
        UUID before = uuids.nextKeyless();
        assertThat(UuidLayout.instantOf(before)).isEqualTo(after(4));

        this.rig.time.stepWall(Duration.ofMillis(-2));
        this.rig.leased();
        assertThat(uuids.nextKeyless()).isGreaterThan(before);
    }

    /** The slow caller has read the clock before the others came. */
    @Test
    void keylessUuidsIncreaseWhenALeaseSetsTheClockBackBehindASlowCaller() {
        UuidMaker uuids = this.engine.uuids();
        List<UUID> meanwhile = new ArrayList<>();
        this.rig.time.onNextRead(() -> {
            this.rig.time.advance(Duration.ofMillis(5));
            meanwhile.add(uuids.nextKeyless());
            this.rig.time.advance(Duration.ofMillis(-5));
        });
        assertThat(UuidLayout.instantOf(uuids.nextKeyless())).isEqualTo(after(0));
        assertThat(meanwhile).extracting(UuidLayout::instantOf).containsExactly(after(5));

        this.rig.time.advance(Duration.ofMillis(5));
        this.rig.time.stepWall(Duration.ofMillis(-2));
        this.rig.leased();
        assertThat(uuids.nextKeyless()).isGreaterThan(meanwhile.get(0));
    }

    @Test
    void keylessUuidsOfOneShardNeverEqualKeyedOnes() {
        Set<String> claims = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            UUID uuid = (i % 2 == 0) ? this.engine.uuids().nextKeyless()
                    : next(UuidLayout.shardOf(this.engine.uuids().nextKeyless()));
            assertThat(claims.add(UuidLayout.parse(uuid).toString())).isTrue();
        }
    }

    @Test
    void refusesAShardThatIsNone() {
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> next(2048))
            .withMessageContainingAll("[0, 2047]", "shard=2048");
    }

    @Test
    void layoutWithOtherTicksHasNoUuids() {
        Engine other = new EngineRig(IdLayout.sonyflake()).atBegin().engine;

        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(other::uuids)
            .withMessageContainingAll("tick=10ms", "layout=" + other.terms().layout(), "standard");
    }

    @Test
    void nothingIsAllocatedButTheUuid() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        UUID[] made = new UUID[100_000];
        long each = 0;
        // the compiler may come in the midst of a round
        for (int round = 0; round < 5; round++) {
            this.rig.time.advance(Duration.ofMillis(1000));
            this.rig.leased();
            long before = threads.getThreadAllocatedBytes(thread);
            for (int i = 0; i < made.length; i++) {
                made[i] = next(9);
            }
            each = (threads.getThreadAllocatedBytes(thread) - before) / made.length;
        }
        assertThat(each).as("bytes: two words, and the header of the object").isLessThanOrEqualTo(32);
    }

    @ParameterizedTest
    @MethodSource("io.shardedid.Crowd#all")
    void uuidsOfManyThreadsAreUniqueAndInOrder(Crowd crowd) throws Exception {
        IdLayout claims = IdLayout.builder().shardBits(11).workerBits(0).sequenceBits(12).build();
        EngineTerms terms = new EngineTerms(IdLayout.standard(), 2000, "modulo", Duration.ofSeconds(1),
                Duration.ofSeconds(5), null, TimeSource.system());
        int ids = ProofLength.of(1_000_000, 10_000_000);
        try (ShardedIdEngine opened = ShardedIds.builder()
            .registry(new EngineRegistry())
            .workers(ScriptedLeases.endless(3, terms))
            .open()) {
            ShardedUuids uuids = opened.uuids();
            // without the random bits, which would hide an equal claim
            assertThat(new IdRace(claims, 2000).faults(crowd, ids, (shard) -> {
                IdParts parts = UuidLayout.parse(uuids.next(shard));
                return claims.compose(claims.tickAt(parts.instant()), parts.shard(), 0, parts.sequence());
            })).isEmpty();
        }
    }

}
