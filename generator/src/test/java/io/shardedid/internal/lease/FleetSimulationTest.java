package io.shardedid.internal.lease;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.shardedid.tools.ProofLength;
import io.shardedid.internal.lease.FleetSimulation.Outcome;
import io.shardedid.internal.lease.FleetSimulation.Trouble;
import io.shardedid.internal.lease.FleetSimulation.Wrong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The protocol, the keeper's rounds and the engine against everything at once, seed by
 * seed. A failure names its seed; {@code -Dseed=} runs that one alone.
 */
class FleetSimulationTest {

    private static final int SEEDS_PER_GUARD = 2_000;

    /** Clocks are ahead all the time here. Kept, so that its level is. */
    private static final Logger ENGINE = Logger.getLogger("io.shardedid.Engine");

    @BeforeAll
    static void silence() {
        ENGINE.setLevel(Level.SEVERE);
    }

    @AfterAll
    static void speak() {
        ENGINE.setLevel(null);
    }

    private static final int PROOF_SEEDS = ProofLength.of(300, 20_000);

    @ParameterizedTest
    @EnumSource
    void nothingIsWrong(Trouble trouble) {
        nothingIsWrong(trouble, trouble.seeds());
    }

    @ParameterizedTest
    @EnumSource
    @Tag("proof")
    void nothingIsWrongInManySeeds(Trouble trouble) {
        nothingIsWrong(trouble, trouble.changes() ? PROOF_SEEDS / 2 : PROOF_SEEDS);
    }

    private static void nothingIsWrong(Trouble trouble, int seeds) {
        LongAdder ids = new LongAdder();
        LongAdder losses = new LongAdder();
        LongAdder changes = new LongAdder();
        seeds(seeds).forEach((seed) -> {
            Outcome outcome = run(seed, RemovedGuard.NONE, trouble, trouble.losesCommits());
            ids.add(outcome.ids());
            losses.add(outcome.losses());
            changes.add(outcome.changes());
            Map<Wrong, Integer> wrong = new EnumMap<>(outcome.wrong());
            wrong.keySet().removeAll(trouble.mayBe());
            assertThat(wrong).as("what is wrong with seed %s", seed).isEmpty();
        });
        System.out.printf(Locale.ROOT, "fleet simulation, %s: seeds=%s, changes=%s, losses=%,d, ids=%,d%n", trouble,
                seeds, changes.sum(), losses.sum(), ids.sum());
        if (trouble == Trouble.ROWS_CHANGED) {
            assertThat(losses.sum()).as("losses that were noticed").isPositive();
        }
        if (trouble.changes()) {
            assertThat(changes.sum()).as("changes that were made").isGreaterThan(seeds);
        }
    }

    @ParameterizedTest
    @MethodSource("guards")
    @Tag("proof")
    void eachRemovedGuardIsFound(RemovedGuard removed) {
        Trouble trouble = Objects.requireNonNull(removed.trouble());
        long seed = 1;
        while (!run(seed, removed, trouble, trouble.losesCommits()).wrong().containsKey(removed.wrong())) {
            seed++;
            assertThat(seed).as("seeds without a find for %s", removed).isLessThanOrEqualTo(SEEDS_PER_GUARD);
        }
        System.out.printf(Locale.ROOT, "removed guard %s: found by seed %s%n", removed, seed);
    }

    static Stream<RemovedGuard> guards() {
        return Stream.of(RemovedGuard.values()).filter((removed) -> removed.trouble() != null);
    }

    @Test
    void lostCommitsBreakThePlainMode() {
        long broken = LongStream.rangeClosed(1, 100)
            .parallel()
            .filter((seed) -> run(seed, RemovedGuard.NONE, Trouble.LOST_COMMITS, false).wrong()
                .containsKey(Wrong.DUPLICATE))
            .count();
        System.out.printf(Locale.ROOT, "lost commits, plain mode: seeds=100, with duplicates=%s%n", broken);
        assertThat(broken).as("seeds with duplicates out of 100").isGreaterThan(50);
    }

    @Test
    void theSameSeedIsTheSameRun() {
        assertThat(run(7, RemovedGuard.NONE, Trouble.CLOCKS, false))
            .isEqualTo(run(7, RemovedGuard.NONE, Trouble.CLOCKS, false));
    }

    private static LongStream seeds(int count) {
        Long one = Long.getLong("seed");
        return (one != null) ? LongStream.of(one) : LongStream.rangeClosed(1, count).parallel();
    }

    private static Outcome run(long seed, RemovedGuard removed, Trouble trouble, boolean tolerant) {
        return new FleetSimulation(seed, removed, trouble, tolerant).run();
    }

}
