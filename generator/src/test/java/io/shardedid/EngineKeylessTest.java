package io.shardedid;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ids without a shard key: their order over all shards, and which shards they get.
 */
@Tag("jdk")
class EngineKeylessTest {

    private static final int SHARDS = 2048;

    private static final int SEQUENCE = 32;

    private final EngineRig rig = new EngineRig(IdLayout.standard(), Duration.ofMillis(4), CellClaims.NO_TICK);

    private final NumberMaker numbers = this.rig.engine.numbers();

    private final IdLayout layout = this.rig.layout;

    @ParameterizedTest
    @ValueSource(strings = { "standard", "many-processes" })
    void goOnInTheNextShardOfTheTickWhenASequenceIsUsedUp(String preset) {
        EngineRig busy = new EngineRig(IdLayout.preset(preset), Duration.ofMillis(4), CellClaims.NO_TICK).atBegin()
            .leased();
        int sequences = busy.sequences();
        long[] ids = drain(busy);

        int first = busy.layout.shardOf(ids[0]);
        // two ticks of the four that may be made ahead of the clock
        assertThat(ids).hasSize((2 * SHARDS - first) * sequences).isSorted().doesNotHaveDuplicates();
        for (int i = 0; i < ids.length; i++) {
            int place = first + i / sequences;
            assertThat(ids[i]).isEqualTo(busy.id(place / SHARDS, place % SHARDS, i % sequences));
        }
        assertThat(busy.engine.numbers().tryNextKeyless()).isEqualTo(CellClaims.AHEAD_OF_CLOCK);
    }

    @ParameterizedTest
    @ValueSource(strings = { "standard", "many-processes" })
    void leaveHalfOfTheTicksAheadToCallersWithAKey(String preset) {
        EngineRig busy = new EngineRig(IdLayout.preset(preset), Duration.ofMillis(4), CellClaims.NO_TICK).leased();
        drain(busy);

        for (int shard = 0; shard < SHARDS; shard++) {
            assertThat(busy.engine.numbers().tryNext(shard)).isEqualTo(busy.id(2, shard, 0));
        }
    }

    @Test
    void goOnInTheNextTickWhereTheOneBeforeEndedUntilTicksUseUpNothing() {
        this.rig.leased();
        long[] ids = LongStream.generate(this.numbers::tryNextKeyless).limit(SEQUENCE + 1).toArray();
        int last = this.layout.shardOf(ids[SEQUENCE]);
        this.rig.time.advance(Duration.ofMillis(1));
        int next = this.layout.shardOf(this.numbers.tryNextKeyless());
        assertThat(next).isBetween(last + 1, last + 4);

        int goneOn = 0;
        for (int i = 0; i < 100; i++) {
            int before = next;
            this.rig.time.advance(Duration.ofMillis(1));
            next = this.layout.shardOf(this.numbers.tryNextKeyless());
            goneOn += (next > before && next <= before + 4) ? 1 : 0;
        }
        assertThat(goneOn).isLessThan(30);
    }

    /**
     * Chance gives the ids that a tick makes in one shard, its blocks, to a shard at
     * once. So the chi-square of the ids is divided by what blocks of that size make of
     * it.
     */
    @ParameterizedTest
    @CsvSource({ "standard, 16, 1", "standard, 16, 32", "standard, 16, 48", "standard, 16, 1000", "standard, 2048, 1",
            "standard, 2048, 32", "standard, 2048, 48", "standard, 2048, 10000", "many-processes, 16, 4",
            "many-processes, 16, 6", "many-processes, 16, 100", "many-processes, 2048, 4", "many-processes, 2048, 6",
            "many-processes, 2048, 1000" })
    void fallOnShardsNoLessEvenlyThanChanceWouldHaveIt(String preset, int shards, int idsOfATick) {
        EngineRig even = new EngineRig(IdLayout.preset(preset), shards, Duration.ofMillis(4), CellClaims.NO_TICK)
            .atBegin()
            .leased();
        int sequences = even.sequences();
        int[] counts = new int[shards];
        int ticks = Math.min(100_000, 10_000_000 / idsOfATick);
        for (int tick = 0; tick < ticks; tick++) {
            even.time.advance(Duration.ofMillis(1));
            LongStream.generate(even.engine.numbers()::tryNextKeyless)
                .limit(idsOfATick)
                .takeWhile((id) -> id >= 0)
                .forEach((id) -> counts[even.layout.shardOf(id)]++);
        }

        // all that were asked for, or all that there are
        double made = (double) IntStream.of(counts).sum() / ticks;
        assertThat(made).isBetween(0.99 * Math.min(idsOfATick, shards * sequences), (double) idsOfATick);
        double mean = IntStream.of(counts).average().orElseThrow();
        double rest = idsOfATick % sequences;
        double blocks = (idsOfATick / sequences * sequences * sequences + rest * rest) / idsOfATick;
        double chiSquare = IntStream.of(counts).mapToDouble((count) -> Math.pow(count - mean, 2) / mean).sum() / blocks;
        int freedom = shards - 1;
        double fiveDeviations = 5 * Math.sqrt(2 * freedom);
        assertThat(chiSquare).isLessThan(freedom + fiveDeviations);
        if (idsOfATick <= sequences) {
            assertThat(chiSquare).isGreaterThan(freedom - fiveDeviations);
        }
        if (idsOfATick >= 1000) {
            assertThat(IntStream.of(counts).min().orElseThrow() / mean).isGreaterThan(0.8);
            assertThat(IntStream.of(counts).max().orElseThrow() / mean).isLessThan(1.2);
        }
    }

    @Test
    void lookIntoABoundedNumberOfCellsAndGoOnFromThere() {
        EngineRig ahead = new EngineRig(IdLayout.standard(), Duration.ofMillis(8), CellClaims.NO_TICK).leased();
        for (int shard = 0; shard < SHARDS; shard++) {
            ahead.engine.numbers().next(shard, new long[(KeylessPlace.MOST_CELLS / SHARDS + 1) * SEQUENCE]);
        }

        assertThat(ahead.engine.numbers().tryNextKeyless()).isEqualTo(CellClaims.AHEAD_OF_CLOCK);
        assertThat(this.layout.tickOf(ahead.engine.numbers().tryNextKeyless())).isEqualTo(ahead.tick + 3);
    }

    @Test
    void areMadeAtOnceAfterAWorkerThatRanFarAhead() {
        EngineRig far = new EngineRig(IdLayout.standard(), Duration.ofSeconds(60), CellClaims.NO_TICK).leased();
        far.engine.numbers().next(4, new long[20_000 * SEQUENCE - far.begin()]);
        far.hold(0, far.tick, far.tick + 1_000_000);

        long id = far.engine.numbers().tryNextKeyless();
        assertThat(id).isNotNegative();
        assertThat(far.layout.tickOf(id)).isEqualTo(far.tick + 20_000);
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void areMadeAtOnceAfterACallThatLookedThroughTheCellsOfAnEndedLease(boolean suspended) {
        EngineRig changing = new EngineRig().leased();
        changing.engine.numbers().tryNextKeyless();
        changing.time.onNextRead(() -> {
            if (suspended) {
                changing.engine.suspend();
            }
            else {
                changing.hold(EngineRig.WORKER + 1, changing.tick, changing.tick + 1_000_000);
            }
        });
        assertThat(changing.engine.numbers().tryNextKeyless()).isEqualTo(CellClaims.AHEAD_OF_CLOCK);
        if (suspended) {
            changing.engine.beforeResumption();
            changing.leased();
        }

        assertThat(this.layout.tickOf(changing.engine.numbers().tryNextKeyless())).isEqualTo(changing.tick + 1);
    }

    @Test
    void increaseOverShardsWhenALeaseSetsTheClockBack() {
        EngineRig back = new EngineRig().leased();
        long last = back.engine.numbers().tryNextKeyless();
        for (int ticks = 1; ticks <= 20; ticks++) {
            long now = back.time.nanoTime();
            back.engine.hold(new TickLease(EngineRig.WORKER, back.tick - 100, back.tick + 1000, now + 60_000_000_000L,
                    new LeaseClock(now, back.time.epochNanos() - ticks * 1_000_000L)));
            long id = back.engine.numbers().tryNextKeyless();
            assertThat(id).isGreaterThan(last);
            last = id;
        }
    }

    @Test
    void takeOneShardOfATickWhereCallersWithAKeyUseUpEveryShard() {
        EngineRig full = fullOfKeys();
        assertThat(full.engine.numbers().tryNextKeyless()).isEqualTo(CellClaims.AHEAD_OF_CLOCK);
        long last = -1;
        for (int tick = 8; tick < 1000; tick++) {
            full.time.advance(Duration.ofMillis(1));
            long[] ids = drain(full);
            assertThat(ids).hasSizeBetween(1, SEQUENCE).isSorted();
            assertThat(ids[0]).isGreaterThan(last);
            last = ids[ids.length - 1];
            assertThat(IntStream.range(0, 16).mapToLong((shard) -> full.drain(shard).length).sum())
                .isBetween(15L * SEQUENCE, 16L * SEQUENCE);
        }
    }

    @Test
    void increaseWhereCallersWithAKeyLeaveSomeTicks() {
        EngineRig busy = new EngineRig(IdLayout.standard(), 16, Duration.ofMillis(8), CellClaims.NO_TICK).leased();
        makeWithAKey(busy, 4);
        long last = -1;
        int made = 0;
        for (int tick = 0; tick < 500; tick++) {
            if (tick % 2 == 0) {
                makeWithAKey(busy, 2);
            }
            long id = busy.engine.numbers().tryNextKeyless();
            if (id >= 0) {
                assertThat(id).as("the id of tick %s", tick).isGreaterThan(last);
                last = id;
                made++;
            }
            busy.time.advance(Duration.ofMillis(1));
        }
        assertThat(made).isGreaterThan(100);
    }

    /** Makes ids with a key in all sixteen shards, as many as some ticks hold. */
    private void makeWithAKey(EngineRig busy, int ticks) {
        for (int i = 0; i < 16 * ticks * SEQUENCE; i++) {
            busy.engine.numbers().tryNext(i % 16);
        }
    }

    @Test
    void leaveHalfOfTheTicksAheadAgainOnceCallersWithAKeyAreGone() {
        EngineRig full = fullOfKeys();
        for (int tick = 0; tick < 100; tick++) {
            full.time.advance(Duration.ofMillis(1));
            drain(full);
        }

        for (int shard = 0; shard < 16; shard++) {
            assertThat(full.drain(shard)).hasSizeGreaterThanOrEqualTo(3 * SEQUENCE);
        }
    }

    /** Sixteen shards whose callers with a key have come as far as they may. */
    private EngineRig fullOfKeys() {
        EngineRig full = new EngineRig(IdLayout.standard(), 16, Duration.ofMillis(8), CellClaims.NO_TICK).leased();
        for (int shard = 0; shard < 16; shard++) {
            full.drain(shard);
        }
        return full;
    }

    @Test
    @Tag("proof")
    @Tag("nightly")
    void areMadeWhileCallersWithAKeyUseUpEveryShard() throws Exception {
        EngineTerms terms = new EngineTerms(this.layout, 16, "modulo", Duration.ofMillis(100), Duration.ofSeconds(2),
                null, TimeSource.system());
        Engine engine = new Engine(terms, new ScriptedLeases("full"), CellClaims.NO_TICK);
        hold(engine, terms, 1);
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong keyed = new AtomicLong();
        AtomicLong keyless = new AtomicLong();
        long began = System.nanoTime();
        Crowd.platform(17).run((thread) -> {
            if (thread == 16) {
                try {
                    for (; System.nanoTime() - began < 10_000_000_000L; keyless.incrementAndGet()) {
                        engine.numbers().nextKeyless();
                    }
                }
                finally {
                    done.set(true);
                }
            }
            long[] batch = new long[1000];
            for (int shard = thread; !done.get(); keyed.addAndGet(batch.length)) {
                engine.numbers().next(shard, batch);
            }
        });

        assertThat(keyless).hasValueGreaterThan(1000);
        assertThat(keyed).as("ids with a key beside %s without one", keyless).hasValueGreaterThan(keyless.get() * 10);
    }

    @Test
    @Tag("proof")
    @Tag("nightly")
    void tenMillionOfSixteenThreadsIncreaseOverOutagesAndWorkers() throws Exception {
        EngineTerms terms = new EngineTerms(this.layout, SHARDS, "modulo", Duration.ofSeconds(1),
                Duration.ofSeconds(30), null, TimeSource.system());
        Engine engine = new Engine(terms, new ScriptedLeases("keyless"), CellClaims.NO_TICK,
                (shards) -> new ShardCells(shards, -1));
        hold(engine, terms, 1);
        IssuedIds issued = new IssuedIds(16, 625_000);
        AtomicBoolean done = new AtomicBoolean();
        Thread leases = new Thread(() -> {
            for (int worker = 2; !done.get(); worker = worker % 30 + 1) {
                terms.time().park(20_000_000);
                engine.relinquish();
                terms.time().park(5_000_000);
                hold(engine, terms, worker);
            }
        });
        leases.start();
        AtomicLong outOfOrder = new AtomicLong();
        AtomicLong returned = new AtomicLong();
        Crowd.platform(16).run((thread) -> {
            long mine = -1;
            for (int i = 0; i < 625_000; i++) {
                long before = Math.max(mine, returned.get());
                mine = engine.numbers().nextKeyless();
                outOfOrder.addAndGet(mine > before ? 0 : 1);
                if (i % 16 == 0) {
                    returned.accumulateAndGet(mine, Math::max);
                }
                issued.put(thread, i, mine);
            }
        });
        done.set(true);
        leases.join();

        assertThat(outOfOrder).hasValue(0);
        assertThat(issued.duplicates()).isEmpty();
    }

    private void hold(Engine engine, EngineTerms terms, int worker) {
        long now = terms.time().nanoTime();
        long tick = this.layout.tickAtEpochNanos(terms.time().epochNanos());
        engine.hold(new TickLease(worker, tick, tick + 10_000_000, now + Duration.ofMinutes(1).toNanos(),
                new LeaseClock(now, terms.time().epochNanos())));
    }

    /** Makes ids until an attempt fails. */
    private long[] drain() {
        return drain(this.rig);
    }

    private static long[] drain(EngineRig rig) {
        return LongStream.generate(rig.engine.numbers()::tryNextKeyless).takeWhile((id) -> id >= 0).toArray();
    }

}
