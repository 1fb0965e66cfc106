package io.shardedid.clusters;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.LargeFleet;
import io.shardedid.tools.ProofLength;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Six processes that lease through PgBouncer. In session mode each of them keeps a
 * connection of the server; in transaction mode all of them share two.
 */
class PgBouncerIT {

    private static final Duration WINDOW = Duration.ofSeconds(5);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({ "session, 20, 6", "transaction, 2, 1" })
    void poolersAndServersThatAreStoppedAndKilledMakeNoDuplicateIds(String mode, int connections, int fewest)
            throws Exception {
        try (Postgres server = Postgres.start(this.folder.resolve("data"));
                PgBouncer pooler = new PgBouncer(this.folder, mode, connections, Map.of("ids", at(server)));
                Trial trial = trial("PgBouncer, " + mode + " mode", pooler.url("ids"))) {
            trial.fault("processes killed and stopped for 15 s", WINDOW,
                    () -> trial.fleet().disturb(Duration.ofSeconds(15), 1));
            trial.fault("the pooler killed, back after 2 s", WINDOW, () -> {
                pooler.kill();
                TimeUnit.SECONDS.sleep(2);
                pooler.start();
            });
            trial.fault("the pooler stopped for 8 s", WINDOW, () -> {
                pooler.stop();
                TimeUnit.SECONDS.sleep(8);
                pooler.resume();
            });
            trial.fault("the server killed, back after 2 s", WINDOW, () -> {
                server.kill();
                TimeUnit.SECONDS.sleep(2);
                server.start();
            });
            trial.fault("processes killed and stopped for 15 s", WINDOW,
                    () -> trial.fleet().disturb(Duration.ofSeconds(15), 2));
            assertThat(server.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'shardedid-lease'"))
                .hasSizeBetween(fewest, connections);
            assertThat(trial.duplicateIds()).isZero();
        }
    }

    /** For a minute, or for ten with {@code -Dproof.length=long}. */
    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void nineHundredProcessesShareTwentyConnections() throws Exception {
        try (Postgres server = Postgres.start(this.folder.resolve("data"), "max_connections=30");
                PgBouncer pooler = new PgBouncer(this.folder, "transaction", 20, Map.of("ids", at(server)));
                LargeFleet fleet = new LargeFleet(900, IdLayout.manyProcesses(),
                        LeaseConnections.url(pooler.url("ids"), "postgres", ""))) {
            assertThat(fleet.workers()).doesNotContain(-1).doesNotHaveDuplicates().hasSize(900);
            LargeFleet.Outcome outcome = fleet.run(ProofLength.of(Duration.ofMinutes(1), Duration.ofMinutes(10)));
            List<String> connections = server
                .query("SELECT pid FROM pg_stat_activity WHERE application_name = 'shardedid-lease'");
            System.out.printf("large fleet through PgBouncer: connections=%s, %s%n", connections.size(), outcome);
            assertThat(connections).hasSizeBetween(1, 20);
            assertThat(outcome.equal()).isZero();
            assertThat(outcome.disordered()).isZero();
            assertThat(outcome.lost()).isZero();
            assertThat(outcome.renewals()).isBetween(900 / 15.0, 900 / 6.0);
        }
    }

    /** As after a failover of which only one of two poolers was told. */
    @Test
    void poolersThatLeadToTwoServersMakeDuplicateIds() throws Exception {
        try (Postgres one = Postgres.start(this.folder.resolve("one"));
                Postgres other = Postgres.start(this.folder.resolve("other"));
                PgBouncer first = new PgBouncer(this.folder, "transaction", 2, Map.of("ids", at(one)));
                PgBouncer second = new PgBouncer(this.folder, "transaction", 2, Map.of("ids", at(other)));
                Trial trial = trial("PgBouncer, two poolers that lead to two servers", first.url("ids"),
                        second.url("ids"))) {
            trial.fleet().run(Duration.ofSeconds(5));
            assertThat(trial.duplicateIds()).isPositive();
        }
    }

    /** The keeper sets {@code prepareThreshold=0} itself, and an application has to. */
    @Test
    void statementsThatTheDriverPreparesOnTheServerFailInTransactionMode() throws Exception {
        try (Postgres server = Postgres.start(this.folder.resolve("data"));
                PgBouncer pooler = new PgBouncer(this.folder, "transaction", 1, Map.of("ids", at(server)))) {
            readByTwo(pooler.url("ids") + "?prepareThreshold=0");
            assertThatThrownBy(() -> readByTwo(pooler.url("ids"))).hasMessageContaining("prepared statement");
        }
    }

    private static void readByTwo(String url) throws SQLException {
        try (Connection one = DriverManager.getConnection(url, "postgres", "");
                Connection other = DriverManager.getConnection(url, "postgres", "");
                PreparedStatement ofOne = one.prepareStatement("SELECT 1");
                PreparedStatement ofOther = other.prepareStatement("SELECT 2")) {
            for (int i = 0; i < 10; i++) {
                ofOne.executeQuery().close();
                ofOther.executeQuery().close();
            }
        }
    }

    private Trial trial(String name, String... urls) throws Exception {
        return new Trial(name, this.folder,
                Stream.of(urls).map((url) -> Trial.Source.address(false, WINDOW, "postgres", url)).toList());
    }

    private static String at(Postgres server) {
        return "host=127.0.0.1 port=" + server.port();
    }

}
