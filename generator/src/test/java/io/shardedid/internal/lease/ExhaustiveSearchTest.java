package io.shardedid.internal.lease;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All that may happen to a fleet within bounds, with each rule of the protocol and
 * without. A search that ends has met every state there is within its bounds.
 */
@Tag("proof")
class ExhaustiveSearchTest {

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

    /** No search of this class comes so far. */
    private static final int MOST_STATES = 20_000_000;

    /** What is searched, and how far. */
    enum Scene {

        /** One thing goes wrong, and the synchronous standby may be cut off. */
        PLAIN_STANDBY(plain(1, 2, 1, 2, 2_000)),

        /** Any two things go wrong. */
        PLAIN(plain(1, 2, 2, 0, 2_000)),

        /**
         * Commits may be lost, a promoted clock is behind, and the mode changes.
         */
        TOLERANT(tolerant(1, Duration.ofSeconds(10), List.of(20_000L))),

        /** Two worker ids, of which the processes choose. */
        PLAIN_TWO_IDS(plain(2, 2, 1, 0, 2_000)),

        /** Three processes at a time. */
        PLAIN_THREE_PROCESSES(plain(1, 3, 1, 0, 2_000)),

        /** Time goes on by half a window. */
        PLAIN_HALF_WINDOWS(plain(1, 2, 2, 0, 1_000)),

        /** Time goes on by one second, too, within which a write is in time. */
        TOLERANT_SECONDS(tolerant(1, Duration.ZERO, List.of(1_000L, 19_000L)));

        private final SearchBounds bounds;

        Scene(SearchBounds bounds) {
            this.bounds = bounds;
        }

        private static SearchBounds plain(int workers, int processes, int faults, int forgotten, long stepMillis) {
            return new SearchBounds(false, workers, processes, faults, forgotten, Duration.ofSeconds(2), Duration.ZERO,
                    List.of(stepMillis), List.of(0L, stepMillis), false);
        }

        private static SearchBounds tolerant(int faults, Duration behind, List<Long> steps) {
            return new SearchBounds(true, 1, 2, faults, 2, Duration.ofSeconds(20), behind, steps,
                    behind.isZero() ? List.of(0L) : List.of(0L, -behind.toMillis()), true);
        }

    }

    @ParameterizedTest
    @EnumSource(names = { "PLAIN_STANDBY", "PLAIN" })
    void noIdIsMadeTwice(Scene scene) {
        endsWithoutAnEqualId(scene, SearchedGuard.NONE);
    }

    @ParameterizedTest
    @EnumSource(
            names = { "TOLERANT", "PLAIN_TWO_IDS", "PLAIN_THREE_PROCESSES", "PLAIN_HALF_WINDOWS", "TOLERANT_SECONDS" })
    @Tag("nightly")
    void noIdIsMadeTwiceWithinLargeBounds(Scene scene) {
        endsWithoutAnEqualId(scene, SearchedGuard.NONE);
    }

    private static void endsWithoutAnEqualId(Scene scene, SearchedGuard removed) {
        ExhaustiveSearch search = run(scene, removed);
        assertThat(search.trace()).as("what makes an id twice").isEmpty();
        assertThat(search.complete()).as("whether every state was met").isTrue();
    }

    private static ExhaustiveSearch run(Scene scene, SearchedGuard removed) {
        long began = System.nanoTime();
        ExhaustiveSearch search = new ExhaustiveSearch(scene.bounds, removed);
        search.run(MOST_STATES);
        Runtime runtime = Runtime.getRuntime();
        System.out.printf(Locale.ROOT,
                "exhaustive search, %s, without %s: states=%,d, transitions=%,d, depth=%d, complete=%s, %.1f s, %d MB%n",
                scene, removed, search.states(), search.transitions(), search.depth(), search.complete(),
                (System.nanoTime() - began) / 1e9, runtime.totalMemory() - runtime.freeMemory() >> 20);
        search.trace().forEach((line) -> System.out.println("  " + line));
        return search;
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = { "NONE", "ACQUIRE_WITHOUT_TOKEN", "MARK_NOT_COMPARED",
            "RENEWAL_WITHOUT_ROW_MARK", "TAKEN_WHILE_LEASED", "TAKEN_AT_ONCE", "RENEWAL_LOWERS_LEASE_UNTIL" })
    void missingRuleIsFound(SearchedGuard removed) {
        ExhaustiveSearch search = run(switch (removed) {
            case START_WITHOUT_DELAY, LATE_WRITES -> Scene.TOLERANT_SECONDS;
            case BEYOND_REACH, START_WITHOUT_REACH, START_WITHOUT_BEHIND, START_WITH_TICKS, RENEWAL_AFTER_END,
                    CHANGE_WITHOUT_WAIT ->
                Scene.TOLERANT;
            default -> Scene.PLAIN_STANDBY;
        }, removed);
        assertThat(search.trace()).as("what makes an id twice").isNotEmpty();
    }

    /** Another rule holds where one of these is missing. */
    @ParameterizedTest
    @EnumSource(names = { "MARK_NOT_COMPARED", "RENEWAL_WITHOUT_ROW_MARK", "TAKEN_WHILE_LEASED" })
    void secondGuardIsNotMissed(SearchedGuard removed) {
        endsWithoutAnEqualId(Scene.PLAIN_STANDBY, removed);
    }

    @Test
    @Tag("nightly")
    void secondGuardThatComparesTheTokenIsNotMissed() {
        endsWithoutAnEqualId(Scene.PLAIN_STANDBY, SearchedGuard.ACQUIRE_WITHOUT_TOKEN);
    }

    /** Another rule holds where one of these is missing, on a database that forgets. */
    @ParameterizedTest
    @EnumSource(names = { "TAKEN_AT_ONCE", "RENEWAL_LOWERS_LEASE_UNTIL", "RELEASE_TO_LO", "MARK_NOT_COMPARED" })
    @Tag("nightly")
    void secondGuardOfTheTolerantModeIsNotMissed(SearchedGuard removed) {
        endsWithoutAnEqualId(Scene.TOLERANT, removed);
    }

}
