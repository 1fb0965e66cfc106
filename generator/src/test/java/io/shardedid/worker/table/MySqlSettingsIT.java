package io.shardedid.worker.table;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.tools.Needs;
import io.shardedid.tools.Tool;
import io.shardedid.worker.LeaseStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What a role, a server or a pool sets for a session of MySQL. */
@Tag("proof")
@Needs(Tool.MYSQL)
class MySqlSettingsIT {

    @TempDir
    private static Path folder;

    private static Process server;

    private static int port;

    private static int databases;

    @BeforeAll
    static void startsAServer() throws Exception {
        Path found = Tool.MYSQL.files().get(0).toAbsolutePath();
        port = freePort();
        Path output = folder.resolve("output");
        server = new ProcessBuilder(Path.of("../proof/mysql/server").toString(), "run",
                found.getParent().getParent().getParent().toString(), folder.resolve("data").toString(),
                String.valueOf(port))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
        while (!answers()) {
            assertThat(server.isAlive()).as(() -> text(output)).isTrue();
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    @AfterAll
    static void stopsIt() throws InterruptedException {
        server.destroy();
        server.waitFor();
    }

    private static boolean answers() {
        try (Connection connection = database("").connect()) {
            return connection.isValid(1);
        }
        catch (SQLException ex) {
            return false;
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static TestDatabase database(String name) {
        return new TestDatabase("jdbc:mariadb://127.0.0.1:%d/%s".formatted(port, name), "root", "");
    }

    private static TestDatabase freshDatabase() {
        String name = "t" + databases++;
        database("").execute("CREATE DATABASE " + name);
        return database(name);
    }

    @ParameterizedTest
    @ValueSource(strings = { "SET autocommit = 0", "SET sql_mode = ''",
            "SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH,NO_UNSIGNED_SUBTRACTION'",
            "SET sql_select_limit = 1", "SET sql_safe_updates = 1",
            "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED",
            "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SET time_zone = '+05:45'",
            "SET completion_type = 1", "SET unique_checks = 0, foreign_key_checks = 0",
            "SET max_execution_time = 20000", "SET innodb_lock_wait_timeout = 1", "SET div_precision_increment = 0",
            "SET low_priority_updates = 1" })
    void holds(String setting) throws Exception {
        TestDatabase database = freshDatabase();
        try (Connection connection = database.connect()) {
            assertThat(LeaseDialect.of(connection.getMetaData())).isEqualTo(LeaseDialect.MYSQL);
        }
        StatementSettingsIT.assertHolds(database, setting);
    }

    @Test
    void saysThatTheSessionIsReadOnly() {
        StatementSettingsIT.assertSaysThatTheSessionIsReadOnly(freshDatabase());
    }

    @Test
    void refusesAConnectionWithATransactionOfOthers() throws SQLException {
        TestDatabase database = freshDatabase();
        database.execute("CREATE TABLE imported (id INT PRIMARY KEY)");
        try (Connection only = DriverManager.getConnection(database.url(), database.user(), database.password());
                Statement application = only.createStatement();
                LeaseStore table = LeaseTableContract.table(new LeaseConnectionsOfOne(only), "default")) {
            only.setAutoCommit(false);
            table.ensure();
            application.executeQuery("SELECT * FROM imported").close();
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(table::ensure)
                .withMessageContaining(" (a transaction is open on it: ");
            only.rollback();
            table.ensure();
        }
    }

    /** The server has a log of changes unless it is told otherwise. */
    @Test
    void refusesASessionWhoseWritesNoReplicaGets() {
        try (LeaseStore table = LeaseTableContract
            .table(TestConnections.to(freshDatabase()).with("SET sql_log_bin = 0"), "default")) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(table::ensure)
                .withMessageContaining(", sql_log_bin=OFF (the server hides the writes of such a session from all "
                        + "replicas and nodes");
        }
    }

    @Test
    void refusesAnotherEngine() {
        TestDatabase database = freshDatabase();
        try (LeaseStore table = LeaseTableContract.table(TestConnections.to(database), "default")) {
            table.ensure();
            database.execute("ALTER TABLE shardedid_worker ENGINE = MyISAM");
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(table::ensure)
                .withMessageContaining(
                        "(its engine is MyISAM, and only InnoDB is known to keep rows through a crash of "
                                + "the server); ");
        }
    }

}
