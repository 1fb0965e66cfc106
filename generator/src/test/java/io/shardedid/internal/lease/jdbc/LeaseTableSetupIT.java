package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.Durability;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.testdb.EachServer;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Who makes the lease table, and what is said when it or a right is missing. */
@Tag("database")
class LeaseTableSetupIT {

    @ParameterizedTest
    @EachServer
    void makesTheTableInAnyDatabaseWhenAlways(TestServer server) {
        TestDatabase database = server.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        assertThat(database.query("SELECT COUNT(*) FROM shardedid_worker")).isEqualTo("0");
        ensure(database, SchemaInitialization.ALWAYS);
        ensure(database, SchemaInitialization.NEVER);
    }

    /**
     * PostgreSQL writes each failed statement into its log, where it alarms a newcomer.
     */
    @Test
    void makesTheTableWithoutAStatementThatFails() {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        assertNothingFailed(database);
    }

    /** Many processes may start at once. */
    @Test
    void asksFewTimesOnceTheTableIsThere() {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        database.execute("INSERT INTO shardedid_worker VALUES ('default', 3, 'a', 1, 0, 0, NULL, NULL)");
        TestConnections connections = TestConnections.to(database);
        try (LeaseStore table = LeaseTableContract.table(connections, "default")) {
            table.ensure();
        }
        assertThat(connections.executed).hasValue(10);
    }

    /** In PostgreSQL, a statement that failed was rolled back, as the probe is. */
    static void assertNothingFailed(TestDatabase database) {
        // a session says what it rolled back when it ends
        String sessions = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()";
        while (!database.query(sessions).equals("1")) {
            Thread.onSpinWait();
        }
        assertThat(database.query("SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()"))
            .isEqualTo("1");
    }

    @Test
    void makesTheTableInAnEmbeddedDatabase() {
        ensure(TestServer.H2.freshDatabase(), SchemaInitialization.EMBEDDED);
    }

    @ParameterizedTest
    @EachServer(except = TestServer.H2)
    void makesNoTableOnAServerByItself(TestServer server) throws SQLException {
        TestDatabase database = server.freshDatabase();
        assertRefused(database, SchemaInitialization.EMBEDDED, server);
    }

    @ParameterizedTest
    @EachServer
    void namesTheScriptOfAMissingTable(TestServer server) throws SQLException {
        TestDatabase database = server.freshDatabase();
        assertRefused(database, SchemaInitialization.NEVER, server);
    }

    @ParameterizedTest
    @EachServer
    void makesTheTableOnceWhenManyStartTogether(TestServer server) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try {
            for (int round = 0; round < 5; round++) {
                TestDatabase database = server.freshDatabase();
                CyclicBarrier gate = new CyclicBarrier(16);
                List<Callable<Boolean>> starts = new ArrayList<>();
                for (int i = 0; i < 16; i++) {
                    starts.add(() -> {
                        gate.await();
                        ensure(database, SchemaInitialization.ALWAYS);
                        return true;
                    });
                }
                for (Future<Boolean> start : threads.invokeAll(starts)) {
                    assertThat(start.get()).isTrue();
                }
            }
        }
        finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @EachServer
    void needsNoMoreThanTheThreeRights(TestServer server) {
        TestDatabase database = server.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        TestDatabase user = user(server, database, "app");
        database.execute("GRANT SELECT, INSERT, UPDATE ON shardedid_worker TO " + account(server, "app"));
        ensure(user, SchemaInitialization.NEVER);
        ensure(user, SchemaInitialization.ALWAYS);
        for (LeaseStoreCheck check : LeaseStoreCheck.of(Durability.CONFIGURED)) {
            database.execute("DELETE FROM shardedid_worker");
            try (LeaseStore table = table(user, SchemaInitialization.ALWAYS);
                    LeaseStore other = LeaseTableContract.table(TestConnections.to(user), "Default")) {
                check.run(table, other);
            }
        }
    }

    @ParameterizedTest
    @EachServer
    void namesTheGrantForAMissingRight(TestServer server) {
        TestDatabase database = server.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        for (String granted : List.of("INSERT", "SELECT", "SELECT, INSERT", "SELECT, UPDATE")) {
            TestDatabase user = user(server, database, "reader" + granted.replace(", ", "_"));
            database.execute("GRANT " + granted + " ON shardedid_worker TO " + account(server, user.user()));
            try (LeaseStore table = table(user, SchemaInitialization.NEVER)) {
                assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)

                    .withMessageContainingAll("table=shardedid_worker",
                            "GRANT SELECT, INSERT, UPDATE ON shardedid_worker TO " + account(server, user.user()),
                            script(server))
                    .withCauseInstanceOf(SQLException.class);
            }
        }
    }

    @ParameterizedTest
    @EachServer(except = { TestServer.MARIADB, TestServer.MYSQL })
    void namesTheScriptWhenTheRightToCreateIsMissing(TestServer server) {
        TestDatabase database = server.freshDatabase();
        TestDatabase user = user(server, database, "creator");
        try (LeaseStore table = table(user, SchemaInitialization.ALWAYS)) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)
                .withMessageContainingAll("table=shardedid_worker", script(server),
                        "GRANT SELECT, INSERT, UPDATE ON shardedid_worker TO " + account(server, "creator"))
                .satisfies((ex) -> assertThat(ex).rootCause()
                    .extracting("SQLState")
                    .as("why it could not be made, and not that it is missing")
                    .isNotIn("42P01", "42S02", "42S04"));
        }
    }

    @Test
    void saysThatTheRoleIsReadOnly() {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        TestConnections connections = TestConnections.to(database).with("SET default_transaction_read_only = on");
        try (LeaseStore table = LeaseTableContract.table(connections, "default")) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)
                .withMessageContainingAll("read-only transaction", "primary");
        }
    }

    @ParameterizedTest
    @EachServer
    void comparesColumnsAtTheStart(TestServer server) {
        TestDatabase database = server.freshDatabase();
        database.execute("CREATE TABLE shardedid_worker (namespace VARCHAR(64), worker_id INTEGER)");
        try (LeaseStore table = table(database, SchemaInitialization.ALWAYS)) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)
                .withMessageContaining(script(server));
        }
    }

    /** A comparison with the script would be a wrong trail. */
    @ParameterizedTest
    @ValueSource(strings = { "P0001", "55000", "0A000" })
    void blamesNoTableForAStatementThatTheDatabaseRefuses(String state) {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        database.execute(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''%s'', MESSAGE = ''not today''; END'"
                    .formatted(state),
                "CREATE TRIGGER refusing BEFORE INSERT ON shardedid_worker EXECUTE FUNCTION refuse()");
        try (LeaseStore table = table(database, SchemaInitialization.ALWAYS)) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(table::ensure)
                .withMessageContaining("not today")
                .matches((ex) -> !ex.getMessage().contains(script(TestServer.POSTGRESQL)));
        }
    }

    /**
     * Also where the server gives a table that is made another engine than it asks for.
     */
    @ParameterizedTest
    @ValueSource(strings = { "MyISAM", "Aria", "MEMORY" })
    void refusesATableOfAnEngineThatLosesRows(String engine) {
        TestDatabase database = TestServer.MARIADB.freshDatabase();

        TestDatabase enforcing = new TestDatabase(
                database.url() + "?sessionVariables=sql_mode='',enforce_storage_engine=" + engine, database.user(),
                database.password());
        assertNotTaken(enforcing, engine);
        assertNotTaken(database, engine);
        database.execute("ALTER TABLE shardedid_worker ENGINE = InnoDB");
        ensure(database, SchemaInitialization.NEVER);
    }

    private static void assertNotTaken(TestDatabase database, String engine) {
        try (LeaseStore table = table(database, SchemaInitialization.ALWAYS)) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(table::ensure)
                .withMessageContainingAll("table=shardedid_worker", engine, "ENGINE = InnoDB");
        }
    }

    @Test
    void saysThatTheDatabaseIsNotReached() {
        try (LeaseStore table = new SqlLeaseTable(
                LeaseConnections.url("jdbc:postgresql://127.0.0.1:1/db?password=secret", "app", "secret"),
                LeaseTableName.DEFAULT, "default", SchemaInitialization.NEVER, LeaseTableContract.PATIENT)) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)
                .satisfies((ex) -> assertThat(ex).message()
                    .contains("table=shardedid_worker", "connection=jdbc:postgresql://127.0.0.1:1/db ",
                            "'shardedid.worker.lease.url'")
                    .doesNotContain("secret"));
            assertThat(table.execute(new LeaseStatement.ReadAll())).isInstanceOf(LeaseReply.Unknown.class);
        }
    }

    @Test
    void saysThatNoDriverKnowsTheUrl() {
        try (LeaseStore table = new SqlLeaseTable(LeaseConnections.url("jdbc:nothing:x", null, null),
                LeaseTableName.DEFAULT, "default", SchemaInitialization.NEVER, LeaseTableContract.PATIENT)) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)
                .withMessageContainingAll("connection=jdbc:nothing:x", "add the driver",
                        "'shardedid.worker.lease.url'");
        }
    }

    @ParameterizedTest
    @EachServer(except = { TestServer.MARIADB, TestServer.MYSQL })
    void findsTheTableOfASchemaInAnyCase(TestServer server) {
        TestDatabase database = server.freshDatabase();
        database.execute("CREATE SCHEMA ops");
        try (LeaseStore table = new SqlLeaseTable(TestConnections.to(database), LeaseTableName.of("Ops.Order_Worker"),
                "default", SchemaInitialization.ALWAYS, LeaseTableContract.PATIENT)) {
            table.ensure();
            LeaseStoreCheck.READS_WHAT_WAS_INSERTED.run(table, table);
        }
        assertThat(database.query("SELECT COUNT(*) FROM ops.order_worker")).isEqualTo("3");
    }

    @ParameterizedTest
    @EachServer(except = { TestServer.H2, TestServer.POSTGRESQL })
    void findsTheTableOfAnotherDatabaseOfTheServer(TestServer server) {
        TestDatabase database = server.freshDatabase();
        TestDatabase other = server.freshDatabase();
        String schema = other.query("SELECT DATABASE()");
        try (LeaseStore table = new SqlLeaseTable(TestConnections.to(database), LeaseTableName.of(schema + ".order"),
                "default", SchemaInitialization.ALWAYS, LeaseTableContract.PATIENT)) {
            table.ensure();
            LeaseStoreCheck.READS_WHAT_WAS_INSERTED.run(table, table);
        }
        assertThat(other.query("SELECT COUNT(*) FROM `order`")).isEqualTo("3");
    }

    private static void assertRefused(TestDatabase database, SchemaInitialization initialization, TestServer server)
            throws SQLException {
        String user;
        try (Connection connection = database.connect()) {
            user = connection.getMetaData().getUserName();
        }
        try (LeaseStore table = table(database, initialization)) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)
                .withMessageContainingAll(
                        "table=shardedid_worker", "user=" + user, "'shardedid.worker.lease.initialize-schema="
                                + initialization.name().toLowerCase(Locale.ROOT) + "'",
                        script(server), grant(server, database), "initialize-schema=always");
        }
    }

    private static void ensure(TestDatabase database, SchemaInitialization initialization) {
        try (LeaseStore table = table(database, initialization)) {
            table.ensure();
        }
    }

    private static LeaseStore table(TestDatabase database, SchemaInitialization initialization) {
        return new SqlLeaseTable(TestConnections.to(database), LeaseTableName.DEFAULT, "default", initialization,
                LeaseTableContract.PATIENT);
    }

    private static String script(TestServer server) {
        return "'io/shardedid/lease-table-%s.sql'".formatted(server.name().toLowerCase(Locale.ROOT));
    }

    private static String grant(TestServer server, TestDatabase database) {
        String user = (server == TestServer.H2) ? database.user().toUpperCase(Locale.ROOT) : database.user();
        return "GRANT SELECT, INSERT, UPDATE ON shardedid_worker TO " + switch (server) {
            case MARIADB, MYSQL -> "'root'@'localhost'";
            case H2, POSTGRESQL -> '"' + user + '"';
        };
    }

    /** Users are the server's, not the database's. */
    private TestDatabase user(TestServer server, TestDatabase database, String name) {
        switch (server) {
            case H2 -> database.execute("CREATE USER \"" + name.toUpperCase(Locale.ROOT) + "\" PASSWORD 'secret'");
            case POSTGRESQL -> database.execute("CREATE ROLE \"" + name + "\" LOGIN PASSWORD 'secret'");
            case MARIADB, MYSQL -> database.execute("CREATE USER " + account(server, name) + " IDENTIFIED BY 'secret'");
        }
        return database.as(name, "secret");
    }

    private static String account(TestServer server, String name) {
        return switch (server) {
            case H2 -> '"' + name.toUpperCase(Locale.ROOT) + '"';
            case POSTGRESQL -> '"' + name + '"';
            case MARIADB, MYSQL -> "'" + name + "'@'localhost'";
        };
    }

}
