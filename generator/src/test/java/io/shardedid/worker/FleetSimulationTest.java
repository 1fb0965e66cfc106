package io.shardedid.worker;

import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;

import io.shardedid.worker.FleetSimulation.Outcome;
import io.shardedid.worker.FleetSimulation.Trouble;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The protocol, the keeper's dialogue and the engine against everything at once, seed by
 * seed. A failure names its seed; {@code -Dseed=} runs that one alone.
 */
class FleetSimulationTest {

    /** {@code -Dproof.length=long} is for the run by hand. */
    private static final int PROOF_SEEDS = "long".equals(System.getProperty("proof.length")) ? 20_000 : 5_000;

    private static final int SEEDS_PER_GUARD = 5_000;

    @Test
    void noFaultMakesTwoEqualIds() {
        noFaultMakesTwoEqualIds(300);
    }

    @Test
    @Tag("proof")
    void noFaultMakesTwoEqualIdsInManySeeds() {
        noFaultMakesTwoEqualIds(PROOF_SEEDS);
    }

    private static void noFaultMakesTwoEqualIds(int seeds) {
        LongAdder ids = new LongAdder();
        seeds(seeds).forEach((seed) -> {
            Outcome outcome = run(seed, RemovedGuard.NONE, Trouble.CLOCKS, false);
            ids.add(outcome.ids());
            assertThat(outcome.duplicates()).as("duplicates of seed %d", seed).isZero();
            assertThat(outcome.lowered()).as("renewals of seed %d that lowered a bound", seed).isZero();
            assertThat(outcome.usableAtEnd()).as("processes of seed %d with a lease after the faults", seed)
                .isGreaterThanOrEqualTo(outcome.expectedAtEnd());
        });
        System.out.printf("fleet simulation: seeds=%d, ids=%,d, duplicates=0%n", seeds, ids.sum());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void eachRemovedGuardIsFound(RemovedGuard removed) {
        long seed = 1;
        while (!found(run(seed, removed, Trouble.CLOCKS, false), removed)) {
            seed++;
            assertThat(seed).as("seeds without a find for %s", removed).isLessThanOrEqualTo(SEEDS_PER_GUARD);
        }
        System.out.printf("removed guard %s: found by seed %d%n", removed, seed);
    }

    /**
     * What a renewal does without the row's own bound breaks the invariant that the
     * argument rests on, but makes no duplicates by itself: nobody but the owner could
     * have used the ticks in between.
     */
    private static boolean found(Outcome outcome, RemovedGuard removed) {
        return (removed == RemovedGuard.RENEWAL_WITHOUT_ROW_HWM_TICK) ? outcome.lowered() > 0
                : outcome.duplicates() > 0;
    }

    @Test
    void toleratesLostCommitsWhenToldTo() {
        toleratesLostCommits(100);
    }

    @Test
    @Tag("proof")
    void toleratesLostCommitsInManySeeds() {
        toleratesLostCommits(PROOF_SEEDS);
    }

    private static void toleratesLostCommits(int seeds) {
        LongAdder ids = new LongAdder();
        seeds(seeds).forEach((seed) -> {
            Outcome outcome = run(seed, RemovedGuard.NONE, Trouble.LOST_COMMITS, true);
            ids.add(outcome.ids());
            assertThat(outcome.duplicates()).as("duplicates of seed %d", seed).isZero();
        });
        System.out.printf("lost commits, tolerated: seeds=%d, ids=%,d, duplicates=0%n", seeds, ids.sum());
    }

    @Test
    void lostCommitsBreakThePlainMode() {
        long broken = LongStream.rangeClosed(1, 100)
            .parallel()
            .filter((seed) -> run(seed, RemovedGuard.NONE, Trouble.LOST_COMMITS, false).duplicates() > 0)
            .count();
        System.out.printf("lost commits, plain mode: seeds=100, with duplicates=%d%n", broken);
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
