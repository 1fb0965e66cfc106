package io.shardedid.clusters;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.shardedid.clusters.Patroni.Mode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * PostgreSQL under Patroni, by the URL of all nodes. Patroni has no watchdog here.
 */
class PatroniIT {

    private static final Duration TOLERANT_WINDOW = Duration.ofSeconds(10);

    /** How many processes reach one node alone, or come after a failover. */
    private static final int OTHERS = 3;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({ "STRICT, false", "SYNCHRONOUS, false", "ASYNCHRONOUS, true" })
    void failoversMakeNoDuplicateIds(Mode mode, boolean tolerant) throws Exception {
        Duration window = tolerant ? TOLERANT_WINDOW : Duration.ofSeconds(5);
        try (Patroni patroni = new Patroni(this.folder, mode);
                Trial trial = trial(patroni, mode, tolerant, window, "")) {
            trial.fleet().disturb(Duration.ofSeconds(5), 1);
            int first = patroni.awaitStandbys();
            trial.fault("the primary killed", window, () -> {
                patroni.kill(first);
                patroni.awaitPrimary(first);
            });
            trial.fault("the node comes back", window, () -> {
                patroni.start(first);
                patroni.awaitStandbys();
            });
            int second = patroni.awaitStandbys();
            trial.fault("switchover", window, () -> {
                patroni.switchover(second);
                patroni.awaitPrimary(second);
                patroni.awaitStandbys();
            });
            int third = patroni.awaitStandbys();
            trial.fault("both standbys away for 15 s", window, () -> {
                patroni.cutStandbys(third);
                TimeUnit.SECONDS.sleep(15);
                patroni.joinStandbys(third);
                patroni.awaitStandbys();
            });
            if (mode != Mode.ASYNCHRONOUS) {
                trial.fault("two primaries for 20 s", window, () -> {
                    patroni.stopManager(third);
                    int promoted = patroni.awaitPrimary(third);
                    assertThat(patroni.primaries()).contains(third, promoted);
                    TimeUnit.SECONDS.sleep(10);
                    // They take the worker ids of processes that asked the old primary.
                    trial.fleet().awaitIds(trial.start(OTHERS, addresses(tolerant, window, patroni.url(promoted))));
                    TimeUnit.SECONDS.sleep(8);
                    patroni.resumeManager(third);
                    patroni.awaitStandbys();
                });
            }
            assertThat(trial.duplicateIds()).isZero();
        }
    }

    /**
     * The primary goes on without its standbys, then it dies and a standby is promoted
     * that lacks the latest leases. Some processes reached the old primary alone, and
     * others come afterwards.
     */
    @ParameterizedTest
    @CsvSource({ "STRICT, false, false", "SYNCHRONOUS, false, true", "SYNCHRONOUS, true, false",
            "ASYNCHRONOUS, false, true", "ASYNCHRONOUS, true, false" })
    void standbyWithoutTheLatestLeasesIsPromoted(Mode mode, boolean tolerant, boolean equal) throws Exception {
        Duration window = tolerant ? TOLERANT_WINDOW : Duration.ofSeconds(50);
        try (Patroni patroni = new Patroni(this.folder, mode);
                Trial trial = trial(patroni, mode, tolerant, window, ", commits lost")) {
            int old = patroni.awaitStandbys();
            int stale = (old + 1) % Patroni.NODES;
            patroni.cutStandbys(old);
            TimeUnit.SECONDS.sleep(5);
            int[] apart = trial.start(OTHERS, addresses(tolerant, window, patroni.urlOf(old)));
            if (mode == Mode.STRICT) {
                TimeUnit.SECONDS.sleep(15);
            }
            else {
                trial.fleet().awaitIds(apart);
            }
            patroni.kill(old);
            int[] late = trial.start(OTHERS, addresses(tolerant, window, urls(patroni)));
            if (mode != Mode.ASYNCHRONOUS) {
                TimeUnit.SECONDS.sleep(Patroni.TTL.toSeconds() + 3);
                assertThat(patroni.primaries()).as("Patroni promotes none without a synchronous standby").isEmpty();
                patroni.failover(stale);
            }
            patroni.awaitPrimary(old);
            trial.fleet().awaitIds(late);
            trial.fleet().run(Duration.ofSeconds(3));
            assertThat(trial.duplicateIds() > 0).isEqualTo(equal);
        }
    }

    /** The tolerant mode assumes that one primary at a time takes writes. */
    @Test
    void twoPrimariesWithoutSynchronousReplicationMakeDuplicateIds() throws Exception {
        try (Patroni patroni = new Patroni(this.folder, Mode.ASYNCHRONOUS);
                Trial trial = trial(patroni, Mode.ASYNCHRONOUS, true, TOLERANT_WINDOW, ", two primaries")) {
            int old = patroni.awaitStandbys();
            trial.fleet().awaitIds(trial.start(OTHERS, addresses(true, TOLERANT_WINDOW, patroni.urlOf(old))));
            patroni.stopManager(old);
            int promoted = patroni.awaitPrimary(old);
            // The leases of those apart have run out there, by more than the bound of the
            // clock.
            TimeUnit.SECONDS.sleep(25);
            trial.fleet().awaitIds(trial.start(OTHERS, addresses(true, TOLERANT_WINDOW, patroni.url(promoted))));
            // They begin ahead of the clock.
            trial.fleet().run(Duration.ofSeconds(25));
            assertThat(trial.duplicateIds()).isPositive();
        }
    }

    private Trial trial(Patroni patroni, Mode mode, boolean tolerant, Duration window, String what) throws Exception {
        return new Trial("Patroni, %s, %s%s".formatted(mode, tolerant ? "tolerant" : "plain", what), this.folder,
                addresses(tolerant, window, urls(patroni)));
    }

    /** The drivers ask the nodes in different orders. */
    private static String[] urls(Patroni patroni) {
        return IntStream.range(0, Patroni.NODES).mapToObj(patroni::url).toArray(String[]::new);
    }

    private static List<String> addresses(boolean tolerant, Duration window, String... urls) {
        return Stream.of(urls).map((url) -> Trial.Source.address(tolerant, window, "postgres", url)).toList();
    }

}
