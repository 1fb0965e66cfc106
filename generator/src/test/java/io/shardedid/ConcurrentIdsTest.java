package io.shardedid;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many threads on one engine and the real clock. The same race has to find generators
 * that are broken on purpose.
 */
@Tag("jdk")
class ConcurrentIdsTest {

    private static final int IDS = 10_000_000;

    private final IdLayout layout = IdLayout.standard();

    private ShardedIdEngine ids = open(this.layout);

    @AfterEach
    void close() {
        this.ids.close();
    }

    private static ShardedIdEngine open(IdLayout layout) {
        EngineTerms terms = new EngineTerms(layout, ShardedIdsBuilder.DEFAULT_SHARDS, "modulo", Duration.ofSeconds(1),
                Duration.ofSeconds(5), null, TimeSource.system());
        return ShardedIds.builder()
            .layout(layout)
            .registry(new EngineRegistry())
            .workers(ScriptedLeases.endless(3, terms))
            .open();
    }

    @ParameterizedTest
    @MethodSource("io.shardedid.Crowd#all")
    void tenMillionIdsOfTwoThousandShardsAreUniqueAndInOrder(Crowd crowd) throws Exception {
        assertThat(new IdRace(this.layout, 2000).faults(crowd, IDS, this.ids::next)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("io.shardedid.Crowd#all")
    void idsOfOneHotShardAreUniqueAndInOrder(Crowd crowd) throws Exception {
        assertThat(new IdRace(this.layout, 1).faults(crowd, 64_000, this.ids::next)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("io.shardedid.Crowd#all")
    void idsOfALargeFleetAreUniqueAndInOrder(Crowd crowd) throws Exception {
        try (ShardedIdEngine large = open(IdLayout.manyProcesses())) {
            assertThat(new IdRace(IdLayout.manyProcesses(), 2000).faults(crowd, IDS / 10, large::next)).isEmpty();
            assertThat(new IdRace(IdLayout.manyProcesses(), 1).faults(crowd, 8000, large::next)).isEmpty();
        }
    }

    @Test
    void singleIdsAndManyAtOnceOfOneShardAreUniqueAndInOrder() throws Exception {
        IssuedIds issued = new IssuedIds(4, 8000);
        AtomicLong outOfOrder = new AtomicLong();
        Crowd.platform(4).run((thread) -> {
            long last = 0;
            long[] some = new long[1 + thread * 13];
            for (int made = 0; made < 8000;) {
                this.ids.next(7, some);
                for (int i = 0; i < some.length && made < 8000; i++) {
                    outOfOrder.addAndGet(some[i] > last ? 0 : 1);
                    last = some[i];
                    issued.put(thread, made++, last);
                }
            }
        });

        assertThat(issued.duplicates()).isEmpty();
        assertThat(outOfOrder).hasValue(0);
    }

    @Test
    void keylessIdsOfFourThreadsIncreaseOverAllShards() throws Exception {
        IdLayout wide = IdLayout.builder().workerBits(4).sequenceBits(8).build();
        try (ShardedIdEngine keyless = open(wide)) {
            IssuedIds issued = new IssuedIds(4, 100_000);
            AtomicLong returned = new AtomicLong();
            AtomicLong outOfOrder = new AtomicLong();
            AtomicLongArray shards = new AtomicLongArray(2000);
            Crowd.platform(4).run((thread) -> {
                for (int i = 0; i < 100_000; i++) {
                    long before = returned.get();
                    long id = keyless.next();
                    outOfOrder.addAndGet(id > before ? 0 : 1);
                    returned.accumulateAndGet(id, Math::max);
                    shards.incrementAndGet(wide.shardOf(id));
                    issued.put(thread, i, id);
                }
            });

            assertThat(outOfOrder).hasValue(0);
            assertThat(issued.duplicates()).isEmpty();
            assertThat(IntStream.range(0, 2000).filter((shard) -> shards.get(shard) > 0).count())
                .as("shards; ticks choose theirs by chance, and 1,000 are to be expected")
                .isGreaterThan(300);
        }
    }

    @Test
    void raceFindsANonAtomicClaim() throws Exception {
        assertFound(2, new BrokenIds() {
            @Override
            long next(long seen) {
                return seen + 1;
            }

            @Override
            boolean store(int shard, long seen, long next) {
                if (next % 64 == 0) {
                    Thread.yield();
                }
                this.cells.set(shard, next);
                return true;
            }
        });
    }

    @Test
    void raceFindsASequenceThatWrapsInsideItsTick() throws Exception {
        assertFound(2, new BrokenIds() {
            @Override
            long next(long seen) {
                return seen & ~31 | seen + 1 & 31;
            }
        });
    }

    @Test
    void raceFindsACellThatFollowsAClockThatGoesBack() throws Exception {
        AtomicLong clock = new AtomicLong(1000);
        assertFound(2, new BrokenIds() {
            @Override
            long next(long seen) {
                long tick = clock.incrementAndGet() % 5000 == 0 ? clock.addAndGet(-3000) : clock.get();
                return seen >>> 5 == tick ? seen + 1 : tick << 5;
            }
        });
    }

    private void assertFound(int shards, BrokenIds broken) throws Exception {
        assertThat(new IdRace(this.layout, shards).faults(Crowd.platform(4), 400_000, broken)).isNotEmpty();
    }

    /** A generator that has every guard but the one that a subclass breaks. */
    private abstract class BrokenIds implements IntToLongFunction {

        final AtomicLongArray cells = new AtomicLongArray(2);

        @Override
        public long applyAsLong(int shard) {
            while (true) {
                long seen = this.cells.get(shard);
                long next = next(seen);
                if (store(shard, seen, next)) {
                    return ConcurrentIdsTest.this.layout.pack(next >>> 5, shard, 3, next & 31);
                }
            }
        }

        abstract long next(long seen);

        boolean store(int shard, long seen, long next) {
            return this.cells.compareAndSet(shard, seen, next);
        }

    }

}
