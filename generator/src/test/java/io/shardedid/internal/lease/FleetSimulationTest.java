package io.shardedid.internal.lease;

import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;

import io.shardedid.tools.ProofLength;
import io.shardedid.internal.lease.FleetSimulation.Outcome;
import io.shardedid.internal.lease.FleetSimulation.Trouble;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
    @EnumSource(names = { "CLOCKS", "FULL_HEAP", "STANDBY_CUT", "ANOTHER_TABLE", "BUSY_KEEPERS" })
    void noFaultMakesTwoDuplicateIds(Trouble trouble) {
        noFaultMakesTwoDuplicateIds(trouble, (trouble == Trouble.CLOCKS) ? 100 : 33);
    }

    @ParameterizedTest
    @EnumSource(names = { "CLOCKS", "FULL_HEAP", "STANDBY_CUT", "ANOTHER_TABLE", "BUSY_KEEPERS" })
    @Tag("proof")
    void noFaultMakesTwoDuplicateIdsInManySeeds(Trouble trouble) {
        noFaultMakesTwoDuplicateIds(trouble, PROOF_SEEDS);
    }

    private static void noFaultMakesTwoDuplicateIds(Trouble trouble, int seeds) {
        LongAdder ids = new LongAdder();
        seeds(seeds).forEach((seed) -> {
            Outcome outcome = run(seed, RemovedGuard.NONE, trouble, false);
            ids.add(outcome.ids());
            assertThat(outcome.duplicates()).as("duplicates of seed %s", seed).isZero();
            assertThat(outcome.early()).as("ids of seed %s that carry a time to come", seed).isZero();
            assertThat(outcome.disordered()).as("smaller ids after larger ones of seed %s", seed).isZero();
            assertThat(outcome.lowered()).as("renewals of seed %s that lowered a bound", seed).isZero();
            assertThat(outcome.raised()).as("releases of seed %s above what was leased", seed).isZero();
            assertThat(outcome.afterLoss()).as("ids of seed %s after a loss", seed).isZero();
            assertThat(outcome.lapsed()).as("leases of seed %s that ran out though the store answers", seed).isZero();
            assertThat(outcome.kept()).as("tasks of seed %s that did not run in time", seed).isZero();
            assertThat(outcome.heldByCopies()).as("leases of seed %s that a copy may hold, too", seed).isZero();
            assertThat(outcome.usableAtEnd()).as("processes of seed %s with a lease after the faults", seed)
                .isGreaterThanOrEqualTo(outcome.expectedAtEnd());
        });
        System.out.printf(Locale.ROOT, "fleet simulation, %s: seeds=%s, ids=%,d, duplicates=0%n", trouble, seeds,
                ids.sum());
    }

    @Test
    void noIdOfALeaseComesAfterItsLoss() {
        noIdOfALeaseComesAfterItsLoss(20);
    }

    @Test
    @Tag("proof")
    void noIdOfALeaseComesAfterItsLossInManySeeds() {
        noIdOfALeaseComesAfterItsLoss(PROOF_SEEDS);
    }

    /**
     * Duplicate ids are no failure here, nor is a release above a row: an operator who
     * changes rows may cause them.
     */
    private static void noIdOfALeaseComesAfterItsLoss(int seeds) {
        LongAdder ids = new LongAdder();
        LongAdder losses = new LongAdder();
        seeds(seeds).forEach((seed) -> {
            Outcome outcome = run(seed, RemovedGuard.NONE, Trouble.ROWS_CHANGED, false);
            ids.add(outcome.ids());
            losses.add(outcome.losses());
            assertThat(outcome.afterLoss()).as("ids of seed %s after a loss", seed).isZero();
            assertThat(outcome.early()).as("ids of seed %s that carry a time to come", seed).isZero();
            assertThat(outcome.disordered()).as("smaller ids after larger ones of seed %s", seed).isZero();
            assertThat(outcome.lowered()).as("renewals of seed %s that lowered a bound", seed).isZero();
            assertThat(outcome.usableAtEnd()).as("processes of seed %s with a lease after the faults", seed)
                .isGreaterThanOrEqualTo(outcome.expectedAtEnd());
        });
        System.out.printf(Locale.ROOT, "fleet simulation, rows changed: seeds=%s, ids=%,d, losses=%,d%n", seeds,
                ids.sum(), losses.sum());
        assertThat(losses.sum()).as("losses that were noticed").isPositive();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    @Tag("slow")
    void eachRemovedGuardIsFound(RemovedGuard removed) {
        long seed = 1;
        while (!found(run(seed, removed, removed.trouble(), removed.trouble().losesCommits()), removed)) {
            seed++;
            assertThat(seed).as("seeds without a find for %s", removed).isLessThanOrEqualTo(SEEDS_PER_GUARD);
        }
        System.out.printf(Locale.ROOT, "removed guard %s: found by seed %s%n", removed, seed);
    }

    /**
     * What a renewal does without the row's own bounds breaks the invariant that the
     * argument rests on, but makes no duplicates by itself: nobody but the owner could
     * have used the ticks in between. A change of worker that forgets what was claimed
     * makes smaller ids after larger ones, which differ by the worker.
     */
    private static boolean found(Outcome outcome, RemovedGuard removed) {
        return switch (removed) {
            case RELEASE_ABOVE_ITS_LEASE -> outcome.raised() > 0;
            case RENEWAL_WITHOUT_ROW_HWM_TICK, RENEWAL_LOWERS_LEASE_UNTIL -> outcome.lowered() > 0;
            case WORKER_CHANGE_POISONS_BEFORE_ALLOCATION -> outcome.disordered() > 0;
            case CLOCK_OF_THE_MACHINE -> outcome.early() > 0;
            case LEASE_KEPT_AFTER_LOSS, LOSS_WITHOUT_POISON -> outcome.afterLoss() > 0;
            case OTHERS_BEFORE_LEASE -> outcome.lapsed() > 0;
            case SUSPENSION_FORGOTTEN -> outcome.usableAtEnd() < outcome.expectedAtEnd();
            case LATE_REPLY_AFTER_SUSPENSION -> outcome.heldByCopies() > 0;
            case LAYOUT_TOKEN_NOT_COMPARED, CHANGE_OPENS_FIRST -> outcome.renewed() > 0;
            default -> outcome.duplicates() > 0;
        };
    }

    @ParameterizedTest
    @EnumSource(names = { "LOST_COMMITS", "CLOCK_BEHIND", "WINDOWS" })
    void toleratesLostCommitsWhenToldTo(Trouble trouble) {
        toleratesLostCommits(trouble, 17);
    }

    @ParameterizedTest
    @EnumSource(names = { "LOST_COMMITS", "CLOCK_BEHIND", "WINDOWS" })
    @Tag("proof")
    void toleratesLostCommitsInManySeeds(Trouble trouble) {
        toleratesLostCommits(trouble, PROOF_SEEDS);
    }

    private static void toleratesLostCommits(Trouble trouble, int seeds) {
        LongAdder ids = new LongAdder();
        seeds(seeds).forEach((seed) -> {
            Outcome outcome = run(seed, RemovedGuard.NONE, trouble, true);
            ids.add(outcome.ids());
            assertThat(outcome.duplicates()).as("duplicates of seed %s", seed).isZero();
            assertThat(outcome.early()).as("ids of seed %s that carry a time to come", seed).isZero();
            assertThat(outcome.disordered()).as("smaller ids after larger ones of seed %s", seed).isZero();
            assertThat(outcome.lowered()).as("renewals of seed %s that lowered a bound", seed).isZero();
            assertThat(outcome.raised()).as("releases of seed %s above what was leased", seed).isZero();
        });
        System.out.printf(Locale.ROOT, "lost commits, tolerated, %s: seeds=%s, ids=%,d, duplicates=0%n", trouble, seeds,
                ids.sum());
    }

    @ParameterizedTest
    @EnumSource(names = { "CHANGES", "REGIONS" })
    void noChangeMakesDuplicateIds(Trouble trouble) {
        noChangeMakesDuplicateIds(trouble, 12);
    }

    @ParameterizedTest
    @EnumSource(names = { "CHANGES", "REGIONS" })
    @Tag("proof")
    void noChangeMakesDuplicateIdsInManySeeds(Trouble trouble) {
        noChangeMakesDuplicateIds(trouble, PROOF_SEEDS / 2);
    }

    private static void noChangeMakesDuplicateIds(Trouble trouble, int seeds) {
        LongAdder ids = new LongAdder();
        LongAdder changes = new LongAdder();
        seeds(seeds).forEach((seed) -> {
            Outcome outcome = run(seed, RemovedGuard.NONE, trouble, false);
            ids.add(outcome.ids());
            changes.add(outcome.changes());
            assertThat(outcome.duplicates()).as("duplicates of seed %s", seed).isZero();
            assertThat(outcome.early()).as("ids of seed %s that carry a time to come", seed).isZero();
            assertThat(outcome.disordered()).as("smaller ids after larger ones of seed %s", seed).isZero();
            assertThat(outcome.lowered()).as("renewals of seed %s that lowered a bound", seed).isZero();
            assertThat(outcome.raised()).as("releases of seed %s above what was leased", seed).isZero();
            assertThat(outcome.renewed()).as("leases of seed %s that were renewed in a closed table", seed).isZero();
            assertThat(outcome.usableAtEnd()).as("processes of seed %s with a lease after the faults", seed)
                .isGreaterThanOrEqualTo(outcome.expectedAtEnd());
        });
        System.out.printf(Locale.ROOT, "fleet simulation, %s: seeds=%s, changes=%s, ids=%,d, duplicates=0%n", trouble,
                seeds, changes.sum(), ids.sum());
        assertThat(changes.sum()).as("changes that were made").isGreaterThan(seeds);
    }

    @Test
    void lostCommitsBreakThePlainMode() {
        long broken = LongStream.rangeClosed(1, 100)
            .parallel()
            .filter((seed) -> run(seed, RemovedGuard.NONE, Trouble.LOST_COMMITS, false).duplicates() > 0)
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
