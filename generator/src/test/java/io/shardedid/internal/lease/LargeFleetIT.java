package io.shardedid.internal.lease;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.shardedid.IdLayout;
import io.shardedid.LargeFleet;
import io.shardedid.testdb.PostgresMajor;
import io.shardedid.tools.ProofLength;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many processes on one PostgreSQL: 127 of the standard layout insert rows, and 900 of
 * {@code many-processes} make ids for half a minute, or for ten minutes with
 * {@code -Dproof.length=long}, and print what they take of the server.
 */
@Tag("proof")
@Tag("nightly")
class LargeFleetIT {

    private static final int ROWS = 1000;

    private static final int PROCESSES = 900;

    private static final Duration LENGTH = ProofLength.of(Duration.ofSeconds(30), Duration.ofMinutes(10));

    @Test
    void processesOfTheStandardLayoutInsertOnAllItsWorkerIds() throws Exception {
        IdLayout layout = IdLayout.standard();
        int all = (1 << layout.workerBits()) - 1;
        try (EmbeddedPostgres server = PostgresMajor.V18.server().setServerConfig("max_connections", "200").start();
                Connection look = server.getPostgresDatabase().getConnection();
                Statement create = look.createStatement()) {
            create.execute("CREATE TABLE photo (id bigint PRIMARY KEY, worker int NOT NULL)");
            String url = "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(server.getPort());
            try (LargeFleet fleet = new LargeFleet(all, layout, LeaseConnections.url(url, "postgres", ""))) {
                assertThat(fleet.workers())
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, all).boxed().toList());

                fleet.insert(server.getPostgresDatabase(), ROWS);
            }
            assertThat(number(look, "SELECT count(*) FROM photo")).isEqualTo(all * ROWS);
            assertThat(number(look, "SELECT count(*) FROM photo WHERE (id >> 5 & 127) <> worker")).isZero();
            assertThat(number(look, "SELECT count(DISTINCT worker) FROM photo")).isEqualTo(all);
        }
    }

    @Test
    void nineHundredProcessesMakeNoDuplicateIds() throws Exception {
        try (EmbeddedPostgres server = PostgresMajor.V18.server()
            .setServerConfig("max_connections", "1000")
            .setServerConfig("fsync", "on")
            .start()) {
            String url = "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(server.getPort());
            long began = System.nanoTime();
            try (LargeFleet fleet = new LargeFleet(PROCESSES, IdLayout.manyProcesses(),
                    LeaseConnections.url(url, "postgres", ""));
                    Connection look = DriverManager.getConnection(url, "postgres", "")) {
                double start = (System.nanoTime() - began) / 1e9;
                assertThat(fleet.workers()).doesNotContain(-1).doesNotHaveDuplicates().hasSize(PROCESSES);
                TimeUnit.SECONDS.sleep(10);
                long statements = number(look, "SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'");
                began = System.nanoTime();

                LargeFleet.Outcome outcome = fleet.run(LENGTH);

                double aSecond = (number(look, "SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'")
                        - statements) / ((System.nanoTime() - began) / 1e9);
                long connections = number(look,
                        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'shardedid-lease'");
                System.out.printf("large fleet: started after %.0f s, connections=%s, statements a second=%.0f, %s%n",
                        start, connections, aSecond, outcome);
                assertThat(outcome.ids()).isGreaterThan(PROCESSES * LENGTH.toSeconds() * 8);
                assertThat(outcome.equal()).isZero();
                assertThat(outcome.disordered()).isZero();
                assertThat(outcome.lost()).isZero();
                assertThat(outcome.renewals()).isBetween(PROCESSES / 15.0, PROCESSES / 6.0);
                assertThat(aSecond).isBetween(PROCESSES / 8.0, PROCESSES / 3.0);
                assertThat(connections).isEqualTo(PROCESSES);
            }
        }
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (ResultSet rows = connection.createStatement().executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

}
