package io.shardedid.clusters;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

/**
 * Three nodes of Galera, two processes on each. A process whose node is away takes
 * another one.
 */
class GaleraIT {

    private static final Duration WINDOW = Duration.ofSeconds(5);

    @TempDir
    private Path folder;

    @Test
    void nodesThatAreStoppedKilledAndCutOffMakeNoDuplicateIds() throws Exception {
        try (Galera galera = new Galera(this.folder);
                Trial trial = trial("Galera", galera, "", "wsrep_dirty_reads=ON")) {
            trial.fleet().disturb(Duration.ofSeconds(10), 1);
            trial.fault("a node stopped for 15 s", WINDOW, () -> {
                galera.stop(0);
                TimeUnit.SECONDS.sleep(15);
                galera.awaitAway(1);
                galera.resume(0);
                galera.awaitAllSynced();
            });
            trial.fault("a node killed", WINDOW, () -> galera.kill(1));
            trial.fleet().disturb(Duration.ofSeconds(5), 2);
            trial.fault("the node comes back by state transfer", WINDOW, () -> {
                galera.start(1);
                galera.awaitAllSynced();
            });
            trial.fault("a node in a minority for 15 s", WINDOW, () -> {
                galera.cutOff(2, true);
                galera.awaitMinority(2);
                TimeUnit.SECONDS.sleep(15);
                galera.cutOff(2, false);
                galera.awaitAllSynced();
            });
            trial.fault("no majority for 15 s", WINDOW, () -> {
                for (int node = 0; node < Galera.NODES; node++) {
                    galera.cutOff(node, true);
                }
                for (int node = 0; node < Galera.NODES; node++) {
                    galera.awaitMinority(node);
                }
                TimeUnit.SECONDS.sleep(15);
                for (int node = 0; node < Galera.NODES; node++) {
                    galera.cutOff(node, false);
                }
                galera.awaitAllSynced();
            });
            assertThat(trial.duplicateIds()).isZero();
        }
    }

    /** A process that takes another node sees another time. */
    @Test
    void nodesWhoseClocksDifferByAMinuteMakeNoDuplicateIds() throws Exception {
        try (Galera galera = new Galera(this.folder, 0, 30, -30);
                Trial trial = trial("Galera, clocks at 0, +30 and -30 s", galera, "")) {
            assertThat(galera.secondsAhead(1)).isCloseTo(30, within(3L));
            assertThat(galera.secondsAhead(2)).isCloseTo(-30, within(3L));
            trial.fleet().disturb(Duration.ofSeconds(20), 4);
            trial.fault("a node killed", WINDOW, () -> galera.kill(1));
            trial.fault("the node comes back by state transfer", WINDOW, () -> {
                galera.start(1);
                galera.awaitAllSynced();
            });
            trial.fault("the next node killed", WINDOW, () -> galera.kill(2));
            trial.fleet().disturb(Duration.ofSeconds(10), 5);
            assertThat(trial.duplicateIds()).isZero();
        }
    }

    /**
     * Processes that begin when a node is behind take that node later, and miss their
     * rows there. What they read decides nothing, but it looks like a broken lease.
     */
    @ParameterizedTest
    @CsvSource({ "'', true", "wsrep_sync_wait=1, false" })
    void nodeThatIsBehindRaisesAnAlarmUnlessProcessesWaitForIt(String session, boolean alarm) throws Exception {
        try (Galera galera = new Galera(this.folder);
                Trial trial = trial(session.isEmpty() ? "Galera" : "Galera, " + session, galera, session)) {
            trial.fault("a node is behind, and the next one stopped", WINDOW, () -> {
                try (AutoCloseable behind = galera.holdBack(1)) {
                    trial.fleet()
                        .awaitIds(trial.start(2,
                                List.of(Trial.Source.address(false, WINDOW, "ids", galera.url(0, session)))));
                    galera.stop(0);
                    TimeUnit.SECONDS.sleep(10);
                }
                galera.awaitAway(2);
                galera.resume(0);
                galera.awaitAllSynced();
            });
            assertThat(trial.duplicateIds()).isZero();
            assertThat(trial.alarms() > 0).isEqualTo(alarm);
        }
    }

    /** Each node would have leases of its own, as with a table that is not replicated. */
    @Test
    void leasesThatAreNotReplicatedAreRefused() throws Exception {
        try (Galera galera = new Galera(this.folder)) {
            WorkerLeases leases = JdbcLeases.leased(LeaseSettings.builder().build(),
                    LeaseConnections.url(galera.url(0, "wsrep_on=OFF"), "ids", ""), JdbcLeases.DEFAULT_TABLE,
                    SchemaInitialization.ALWAYS, List.of());
            assertThatExceptionOfType(ShardedIdConfigurationException.class)
                .isThrownBy(() -> ShardedIds.builder().workers(leases).open().close())
                .withMessageContaining(", wsrep_on=OFF (the server hides the writes of such a session");
        }
    }

    /** The processes of each node have these sessions in turn. */
    private Trial trial(String name, Galera galera, String... sessions) throws Exception {
        List<String> addresses = Stream.of(sessions)
            .flatMap((session) -> IntStream.range(0, Galera.NODES).mapToObj((node) -> galera.url(node, session)))
            .map((url) -> Trial.Source.address(false, WINDOW, "ids", url))
            .toList();
        return new Trial(name, this.folder, addresses);
    }

}
