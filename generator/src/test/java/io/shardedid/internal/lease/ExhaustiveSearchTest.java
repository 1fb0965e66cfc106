package io.shardedid.internal.lease;

import java.util.Locale;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

import io.shardedid.internal.lease.ExhaustiveSearch.Scene;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

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

    @ParameterizedTest
    @EnumSource(names = { "PLAIN_STANDBY", "PLAIN" })
    void noIdIsMadeTwice(Scene scene) {
        endsWithoutAnEqualId(scene, RemovedGuard.NONE);
    }

    @ParameterizedTest
    @EnumSource(
            names = { "TOLERANT", "PLAIN_TWO_IDS", "PLAIN_THREE_PROCESSES", "PLAIN_HALF_WINDOWS", "TOLERANT_SECONDS" })
    @Tag("nightly")
    void noIdIsMadeTwiceWithinLargeBounds(Scene scene) {
        endsWithoutAnEqualId(scene, RemovedGuard.NONE);
    }

    private static void endsWithoutAnEqualId(Scene scene, RemovedGuard removed) {
        ExhaustiveSearch search = run(scene, removed);
        assertThat(search.trace()).as("what makes an id twice").isEmpty();
        assertThat(search.complete()).as("whether every state was met").isTrue();
    }

    private static ExhaustiveSearch run(Scene scene, RemovedGuard removed) {
        long began = System.nanoTime();
        ExhaustiveSearch search = new ExhaustiveSearch(scene.bounds(), removed);
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
    @MethodSource("guards")
    void missingRuleIsFound(RemovedGuard removed) {
        ExhaustiveSearch search = run(Objects.requireNonNull(removed.scene()), removed);
        assertThat(search.trace()).as("what makes an id twice").isNotEmpty();
    }

    static Stream<RemovedGuard> guards() {
        return Stream.of(RemovedGuard.values()).filter((removed) -> removed.scene() != null);
    }

    /** Another rule holds where one of these is missing. */
    @ParameterizedTest
    @EnumSource(names = { "MARK_NOT_COMPARED", "RENEWAL_WITHOUT_ROW_MARK", "TAKEN_WHILE_LEASED" })
    void secondGuardIsNotMissed(RemovedGuard removed) {
        endsWithoutAnEqualId(Scene.PLAIN_STANDBY, removed);
    }

    @Test
    @Tag("nightly")
    void secondGuardThatComparesTheTokenIsNotMissed() {
        endsWithoutAnEqualId(Scene.PLAIN_STANDBY, RemovedGuard.ACQUIRE_WITHOUT_TOKEN);
    }

    /** Another rule holds where one of these is missing, on a database that forgets. */
    @ParameterizedTest
    @EnumSource(names = { "TAKEN_AT_ONCE", "RENEWAL_LOWERS_LEASE_UNTIL", "RELEASE_TO_LO", "MARK_NOT_COMPARED" })
    @Tag("nightly")
    void secondGuardOfTheTolerantModeIsNotMissed(RemovedGuard removed) {
        endsWithoutAnEqualId(Scene.TOLERANT, removed);
    }

}
