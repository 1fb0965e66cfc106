package io.shardedid.internal.lease.jdbc;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import io.shardedid.LeaseSettings;
import io.shardedid.LoggedLines;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.testdb.MariaDbServer;
import io.shardedid.testdb.PostgresMajor;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.tools.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.hsqldb.server.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Servers whose settings lose what they have acknowledged. */
@Tag("proof")
class ServerSettingsIT {

    @TempDir
    private Path folder;

    private final LoggedLines lines = new LoggedLines(LeaseDatabaseCheck.class.getName());

    @AfterEach
    void closeLines() {
        this.lines.close();
    }

    @Test
    void mariaDbThatWritesItsLogOnceASecondServesOnlyTheTolerantMode() {
        try (MariaDbServer server = new MariaDbServer("--innodb-flush-log-at-trx-commit=0")) {
            assertServesOnlyTheTolerantMode(server::database);
        }
    }

    /** InnoDB writes its log once a second on this server, in MariaDB or MySQL. */
    static void assertServesOnlyTheTolerantMode(Function<String, TestDatabase> server) {
        try (LoggedLines lines = new LoggedLines(LeaseDatabaseCheck.class.getName())) {
            TestDatabase admin = server.apply("mysql");
            admin.execute("CREATE DATABASE feed", "CREATE USER 'keeper'@'localhost' IDENTIFIED BY 'k'");
            TestDatabase feed = server.apply("feed");
            feed.execute("CREATE TABLE made_by_the_application (id BIGINT)");
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> open(feed, false).close())
                .withMessageContainingAll("connection=" + feed.url(), "innodb_flush_log_at_trx_commit=0 (",
                        "'SET GLOBAL innodb_flush_log_at_trx_commit = 1'",
                        "'shardedid.worker.lease.tolerate-lost-commits=true'");
            try (ShardedIdEngine ids = open(feed, true)) {
                assertThat(ids.next(1)).isPositive();
            }
            assertThat(lines.lines()).isEmpty();

            // an account that may do nothing else is shown the setting too
            feed.execute("GRANT SELECT, INSERT, UPDATE ON feed.shardedid_worker TO 'keeper'@'localhost'");
            assertThatExceptionOfType(ShardedIdConfigurationException.class)
                .isThrownBy(() -> open(feed.as("keeper", "k"), false).close())
                .withMessageContaining("innodb_flush_log_at_trx_commit=0 (");

            feed.execute("DELETE FROM shardedid_worker", "SET GLOBAL innodb_flush_log_at_trx_commit = 2");
            open(feed, false).close();
            assertThat(lines.lines()).singleElement()
                .asString()
                .startsWith("WARNING ")
                .contains("connection=" + feed.url(), "innodb_flush_log_at_trx_commit=2",
                        "'innodb_flush_log_at_trx_commit = 1'");

            feed.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
            open(feed, false).close();
            assertThat(lines.lines()).hasSize(1);
        }
    }

    @Test
    void mariaDbThatHidesTheWritesOfTheSessionFromReplicasDoesNotServe() {
        try (MariaDbServer server = new MariaDbServer("--log-bin=changes", "--server-id=7")) {
            server.database("mysql").execute("CREATE DATABASE feed");
            TestDatabase feed = server.database("feed");
            TestDatabase hidden = new TestDatabase(feed.url() + "?sessionVariables=sql_log_bin=0", feed.user(),
                    feed.password());
            for (boolean tolerant : new boolean[] { false, true }) {
                assertThatExceptionOfType(ShardedIdConfigurationException.class)
                    .isThrownBy(() -> open(hidden, tolerant).close())
                    .withMessageContainingAll("connection=" + feed.url(), "sql_log_bin=OFF", "remove");
            }
            open(feed, false).close();
        }
    }

    /** The command line with which Testcontainers starts each server. */
    @Test
    void postgresWithoutFsyncIsWarnedOf() throws IOException {
        try (EmbeddedPostgres server = PostgresMajor.V18.server().setServerConfig("fsync", "off").start()) {
            TestDatabase database = new TestDatabase(
                    "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(server.getPort()), "postgres", "");
            assertThat(database.query("SHOW fsync")).isEqualTo("off");
            try (LoggedLines told = new LoggedLines(LeaseTableCheck.class.getName());
                    ShardedIdEngine ids = open(database, false)) {
                assertThat(ids.next(1)).isPositive();
                assertThat(told.lines()).singleElement()
                    .asString()
                    .startsWith("WARNING ")
                    .contains("fsync=off", "'fsync = on'");
            }
        }
    }

    @Test
    void hsqldbWithoutALogDoesNotServe() throws IOException {
        Server server = new Server();
        server.setLogWriter(null);
        server.setErrWriter(null);
        server.setSilent(true);
        server.setPort(FreePort.find());
        server.setDatabaseName(0, "x");
        server.setDatabasePath(0,
                "file:" + this.folder.resolve("x") + ";hsqldb.write_delay=false;hsqldb.log_data=false");
        server.start();
        try {
            TestDatabase database = new TestDatabase("jdbc:hsqldb:hsql://127.0.0.1:" + server.getPort() + "/x", "SA",
                    "");
            assertThatExceptionOfType(ShardedIdConfigurationException.class)
                .isThrownBy(() -> open(database, false).close())
                .withMessageContainingAll("connection=" + database.url(), "hsqldb.log_data=false");
            database.execute("SET FILES LOG TRUE");
            try (ShardedIdEngine ids = open(database, false)) {
                assertThat(ids.next(1)).isPositive();
            }
        }
        finally {
            server.shutdown();
        }
    }

    private static ShardedIdEngine open(TestDatabase database, boolean tolerateLostCommits) {
        LeaseSettings settings = LeaseSettings.builder()
            .window(Duration.ofSeconds(10))
            .promotedClockBehind(Duration.ZERO)
            .tolerateLostCommits(tolerateLostCommits)
            .build();
        return SeparateProcess.open(ShardedIds.builder()
            .maxWait(Duration.ofSeconds(20))
            .workers(JdbcLeases.leased(settings,
                    LeaseConnections.url(database.url(), database.user(), database.password()), "shardedid_worker",
                    SchemaInitialization.ALWAYS, List.of())));
    }

}
