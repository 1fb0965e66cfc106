package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.shardedid.LoggedLines;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Who makes the lease table, and what is said when it or a right is missing. */
@Tag("database")
class LeaseTableSetupIT {

    private static final String OTHER_TABLE = "let 'shardedid.worker.lease.table' name a table that the script has made, "
            + "or a view that selects all rows and columns of one";

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

    /** In PostgreSQL, a statement that failed was rolled back. */
    static void assertNothingFailed(TestDatabase database) {
        // a session says what it rolled back when it ends
        String sessions = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()";
        while (!database.query(sessions).equals("1")) {
            Thread.onSpinWait();
        }
        assertThat(database.query("SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()"))
            .isEqualTo("0");
    }

    @Test
    void makesTheTableInAnEmbeddedDatabase() {
        ensure(TestServer.H2.freshDatabase(), SchemaInitialization.EMBEDDED);
    }

    @ParameterizedTest
    @EachServer(except = TestServer.H2)
    void makesNoTableOnAServerByItself(TestServer server) throws SQLException {
        TestDatabase database = server.freshDatabase();
        assertRefused(database, SchemaInitialization.EMBEDDED,
                "(it does not exist, and 'shardedid.worker.lease.initialize-schema=embedded' makes it only in an H2 "
                        + "or HSQLDB database inside this process); run " + script(server) + ", then "
                        + grant(server, database) + "; or set 'shardedid.worker.lease.initialize-schema=always'");
    }

    @ParameterizedTest
    @EachServer
    void namesTheScriptOfAMissingTable(TestServer server) throws SQLException {
        TestDatabase database = server.freshDatabase();
        assertRefused(database, SchemaInitialization.NEVER,
                "(it does not exist, and 'shardedid.worker.lease.initialize-schema=never' makes none); run "
                        + script(server) + ", then " + grant(server, database)
                        + "; or set 'shardedid.worker.lease.initialize-schema=always'");
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
                    .withMessageContaining("Could not use the lease table: table=shardedid_worker, database=")
                    .withMessageContaining("a right is missing: ")
                    .withMessageEndingWith(
                            " run GRANT SELECT, INSERT, UPDATE ON shardedid_worker TO " + account(server, user.user())
                                    + "; if the table is missing too, " + script(server) + " before")
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
                .withMessageContaining("(it does not exist, and making it failed: ")
                .withMessageEndingWith("); run " + script(server) + ", then GRANT SELECT, INSERT, UPDATE ON "
                        + "shardedid_worker TO " + account(server, "creator"));
        }
    }

    @Test
    void saysThatTheRoleIsReadOnly() {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        TestConnections connections = TestConnections.to(database).with("SET default_transaction_read_only = on");
        try (LeaseStore table = LeaseTableContract.table(connections, "default")) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)
                .withMessageEndingWith(
                        "(it cannot be written: ERROR: cannot execute INSERT in a read-only transaction); "
                                + "connect to the primary, as a user whose transactions are not read only");
        }
    }

    @ParameterizedTest
    @EachServer
    void comparesColumnsAtTheStart(TestServer server) {
        TestDatabase database = server.freshDatabase();
        database.execute("CREATE TABLE shardedid_worker (namespace VARCHAR(64), worker_id INTEGER)");
        try (LeaseStore table = table(database, SchemaInitialization.ALWAYS)) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)
                .withMessageEndingWith("); compare the table with " + script(server));
        }
    }

    /** As a table is that was moved by {@code CREATE TABLE AS}. */
    @ParameterizedTest
    @EachServer
    void refusesATableWithoutItsKey(TestServer server) throws SQLException {
        TestDatabase database = server.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        database.execute("CREATE TABLE moved AS SELECT * FROM shardedid_worker", "DROP TABLE shardedid_worker",
                "ALTER TABLE moved RENAME TO shardedid_worker");
        String key = "ALTER TABLE " + ((server == TestServer.POSTGRESQL) ? "public." : "") + "shardedid_worker ADD "
                + ((server == TestServer.H2) ? "UNIQUE" : "PRIMARY KEY") + " (namespace, worker_id)";

        assertNotTaken(database, "it has no primary key, so it can hold a worker id twice",
                "stop all processes that lease from it, then run " + key);
        TestDatabase user = user(server, database, "keyless");
        database.execute("GRANT SELECT, INSERT, UPDATE ON shardedid_worker TO " + account(server, "keyless"));
        assertNotTaken(user, "it has no primary key, so it can hold a worker id twice",
                "stop all processes that lease from it, then run " + key);

        database.execute("CREATE UNIQUE INDEX other ON shardedid_worker (namespace, worker_id, token)");
        assertNotTaken(database, "it has no primary key, so it can hold a worker id twice",
                "stop all processes that lease from it, then run " + key);
        database.execute(key);
        ensure(database, SchemaInitialization.NEVER);
        ensure(user, SchemaInitialization.NEVER);
    }

    @ParameterizedTest
    @EachServer
    void takesAUniqueIndexForAKey(TestServer server) {
        TestDatabase database = server.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        database.execute("CREATE TABLE moved AS SELECT * FROM shardedid_worker", "DROP TABLE shardedid_worker",
                "ALTER TABLE moved RENAME TO shardedid_worker",
                "CREATE UNIQUE INDEX mine ON shardedid_worker (worker_id, namespace)");
        ensure(database, SchemaInitialization.NEVER);
    }

    @Test
    void takesAnIndexWithMoreColumnsBesideItsKeyForAKey() {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        database.execute("ALTER TABLE shardedid_worker DROP CONSTRAINT shardedid_worker_pkey",
                "CREATE UNIQUE INDEX wide ON shardedid_worker (namespace, worker_id) INCLUDE (token)");
        ensure(database, SchemaInitialization.NEVER);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', value = {
            "has a condition|CREATE UNIQUE INDEX later ON shardedid_worker (namespace, worker_id) WHERE worker_id > 3",
            "is deferrable|ALTER TABLE shardedid_worker ADD CONSTRAINT later UNIQUE (namespace, worker_id) DEFERRABLE",
            "is not valid|UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'later'::regclass",
            "is not valid|UPDATE pg_index SET indisready = false WHERE indexrelid = 'later'::regclass" })
    void refusesAnIndexThatHoldsForSomeRowsOnly(String unfit, String statement) throws SQLException {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        database.execute("ALTER TABLE shardedid_worker DROP CONSTRAINT shardedid_worker_pkey");
        if (statement.startsWith("UPDATE")) {
            database.execute("CREATE UNIQUE INDEX later ON shardedid_worker (namespace, worker_id)");
        }
        database.execute(statement);
        assertNotTaken(database,
                "it has no primary key, and its index 'later' " + unfit + ", so it can hold a worker id twice",
                "stop all processes that lease from it, then run ALTER TABLE public.shardedid_worker ADD PRIMARY KEY "
                        + "(namespace, worker_id)");
    }

    /** As a unique index is that was made beside them and failed. */
    @ParameterizedTest
    @EachServer
    void refusesAWorkerIdThatIsThereTwice(TestServer server) throws SQLException {
        TestDatabase database = server.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        database.execute("CREATE TABLE moved AS SELECT * FROM shardedid_worker", "DROP TABLE shardedid_worker",
                "ALTER TABLE moved RENAME TO shardedid_worker",
                "INSERT INTO shardedid_worker VALUES ('default', 5, 'a', 0, 0, 7, NULL, NULL), "
                        + "('other', 6, 'c', 0, 0, 7, NULL, NULL), ('other', 6, 'd', 0, 0, 7, NULL, NULL), "
                        + "('default', 5, 'b', 0, 0, 9, NULL, NULL)");
        if (server == TestServer.POSTGRESQL) {
            assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> database
                .execute("CREATE UNIQUE INDEX CONCURRENTLY later ON shardedid_worker (namespace, worker_id)"));
        }
        assertNotTaken(database,
                "it holds worker id 5 of namespace 'default' twice, so two processes may lease it at once",
                "stop all processes that lease from it, delete all rows of this worker id but the one with the largest "
                        + "hwm_tick, and let the table have PRIMARY KEY (namespace, worker_id)");
    }

    @Test
    void refusesATableThatACrashEmpties() throws SQLException {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        database.execute("ALTER TABLE shardedid_worker SET UNLOGGED");
        assertNotTaken(database, "'public.shardedid_worker' is UNLOGGED: the server empties it after a crash",
                "run ALTER TABLE public.shardedid_worker SET LOGGED");
        database.execute("ALTER TABLE shardedid_worker SET LOGGED");
        ensure(database, SchemaInitialization.NEVER);
    }

    /**
     * Also where the server gives a table that is made another engine than it asks for.
     */
    @ParameterizedTest
    @ValueSource(strings = { "MyISAM", "Aria", "MEMORY" })
    void refusesATableOfAnEngineThatLosesRows(String engine) throws SQLException {
        TestDatabase database = TestServer.MARIADB.freshDatabase();
        String reason = "its engine is " + engine
                + ", and only InnoDB is known to keep rows through a crash of the server";
        String remedy = "set 'enforce_storage_engine' to InnoDB where it names another engine, then run ALTER TABLE "
                + "shardedid_worker ENGINE = InnoDB";
        TestDatabase enforcing = new TestDatabase(
                database.url() + "?sessionVariables=sql_mode='',enforce_storage_engine=" + engine, database.user(),
                database.password());
        assertNotTaken(enforcing, reason, remedy);
        assertNotTaken(database, reason, remedy);
        database.execute("ALTER TABLE shardedid_worker ENGINE = InnoDB");
        ensure(database, SchemaInitialization.NEVER);
    }

    @ParameterizedTest
    @EachServer(except = { TestServer.H2, TestServer.POSTGRESQL })
    void refusesAViewThatCannotBeUpdated(TestServer server) throws SQLException {
        TestDatabase database = server.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        database.execute("RENAME TABLE shardedid_worker TO leases",
                "CREATE ALGORITHM = TEMPTABLE VIEW shardedid_worker AS SELECT * FROM leases");
        assertNotTaken(database, "it is a view that cannot be updated", OTHER_TABLE);
        database.execute("CREATE OR REPLACE VIEW shardedid_worker AS SELECT * FROM leases");
        try (LoggedLines lines = new LoggedLines(LeaseTableCheck.class.getName())) {
            ensure(database, SchemaInitialization.NEVER);
            assertThat(lines.lines())
                .containsExactly("WARNING The start cannot see whether the lease table is what its "
                        + "script makes: table=shardedid_worker, database=" + product(database)
                        + " (the table behind the view is not shown); make sure that it is a permanent table with PRIMARY "
                        + "KEY (namespace, worker_id)");
        }
    }

    @ParameterizedTest
    @EachServer(except = { TestServer.H2, TestServer.POSTGRESQL })
    void takesPartitions(TestServer server) {
        TestDatabase database = server.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        database.execute("ALTER TABLE shardedid_worker PARTITION BY KEY (namespace) PARTITIONS 3");
        ensure(database, SchemaInitialization.NEVER);
    }

    /** A table, partitions, a view, a view of a view: each passes the contract. */
    @Tag("proof")
    @ParameterizedTest
    @ValueSource(strings = { "CREATE VIEW shardedid_worker AS TABLE leases",
            "CREATE VIEW inner_view AS TABLE leases; CREATE VIEW shardedid_worker AS TABLE inner_view",
            "CREATE TABLE shardedid_worker (LIKE leases INCLUDING ALL) PARTITION BY LIST (namespace); "
                    + "CREATE TABLE one PARTITION OF shardedid_worker FOR VALUES IN ('default'); "
                    + "CREATE TABLE other PARTITION OF shardedid_worker DEFAULT PARTITION BY HASH (worker_id); "
                    + "CREATE TABLE even PARTITION OF other FOR VALUES WITH (MODULUS 2, REMAINDER 0); "
                    + "CREATE TABLE odd PARTITION OF other FOR VALUES WITH (MODULUS 2, REMAINDER 1)" })
    void takesWhatWritesStraightIntoATable(String statements) {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        database.execute("ALTER TABLE shardedid_worker RENAME TO leases", statements);
        for (LeaseStoreCheck check : LeaseStoreCheck.of(Durability.CONFIGURED)) {
            database.execute("DELETE FROM shardedid_worker");
            try (LeaseStore table = table(database, SchemaInitialization.NEVER);
                    LeaseStore other = LeaseTableContract.table(TestConnections.to(database), "Default")) {
                table.ensure();
                assertThat(database.query("SELECT COUNT(*) FROM shardedid_worker")).as("rows of the start")
                    .isEqualTo("0");
                check.run(table, other);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', value = {
            // what writes in its place
            "rule 'mine' of 'public.shardedid_worker' writes in its place, so two processes may both hear that they wrote a row"
                    + "|drop it, or |CREATE VIEW shardedid_worker AS TABLE leases; CREATE RULE mine AS ON UPDATE TO "
                    + "shardedid_worker DO INSTEAD UPDATE leases SET token = NEW.token, fence = NEW.fence, lease_until = "
                    + "NEW.lease_until, hwm_tick = NEW.hwm_tick, owner = NEW.owner, layout = NEW.layout WHERE namespace = "
                    + "OLD.namespace AND worker_id = OLD.worker_id",
            "rule 'log' of 'public.shardedid_worker' writes in its place, so two processes may both hear that they wrote a row"
                    + "|drop it, or |CREATE VIEW shardedid_worker AS TABLE leases; CREATE RULE log AS ON INSERT TO "
                    + "shardedid_worker DO INSTEAD INSERT INTO leases VALUES (NEW.*)",
            "rule 'log' of 'public.leases' writes in its place, so two processes may both hear that they wrote a row"
                    + "|drop it, or |CREATE VIEW shardedid_worker AS TABLE leases; CREATE RULE log AS ON UPDATE TO "
                    + "leases DO ALSO NOTIFY changed",
            "INSTEAD OF trigger 'mine' of 'public.shardedid_worker' writes in its place, so two processes may both hear that "
                    + "they wrote a row|drop it, or |CREATE VIEW shardedid_worker AS TABLE leases; CREATE FUNCTION f() RETURNS "
                    + "trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; CREATE TRIGGER mine INSTEAD OF INSERT OR UPDATE "
                    + "ON shardedid_worker FOR EACH ROW EXECUTE FUNCTION f()",
            // what is no table
            "'public.shardedid_worker' is a view that PostgreSQL cannot update||CREATE VIEW shardedid_worker AS SELECT DISTINCT "
                    + "* FROM leases",
            "'public.shardedid_worker' is a view of more than one table: [public.leases, public.other]||CREATE TABLE other (id int); "
                    + "CREATE VIEW shardedid_worker AS SELECT * FROM leases WHERE EXISTS (SELECT 1 FROM other)",
            "'public.shardedid_worker' is no permanent table: relkind=m, relpersistence=p||CREATE MATERIALIZED VIEW "
                    + "shardedid_worker AS TABLE leases",
            "'public.child' inherits from it, and a key does not cover the rows of both|run ALTER TABLE public.child NO INHERIT "
                    + "its parent|ALTER TABLE leases RENAME TO shardedid_worker; CREATE TABLE child () INHERITS (shardedid_worker)",
            "'public.one' is UNLOGGED: the server empties it after a crash|run ALTER TABLE public.one SET LOGGED|"
                    + "CREATE TABLE shardedid_worker (LIKE leases INCLUDING ALL) PARTITION BY LIST (namespace); "
                    + "CREATE UNLOGGED TABLE one PARTITION OF shardedid_worker DEFAULT",
            // what hides rows
            "view 'public.shardedid_worker' stands between this account and the rows: it does not show the row of worker id -1"
                    + "||CREATE VIEW shardedid_worker AS SELECT * FROM leases WHERE worker_id >= 0",
            "view 'public.shardedid_worker' stands between this account and the rows: ERROR: new row violates check option "
                    + "for view \"shardedid_worker\"||CREATE VIEW shardedid_worker AS SELECT * FROM leases WHERE "
                    + "worker_id = -1 WITH CHECK OPTION" })
    void refusesWhatDoesNotWriteStraightIntoATable(String reason, String remedy, String statements)
            throws SQLException {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        database.execute("ALTER TABLE shardedid_worker RENAME TO leases", statements);
        assertNotTaken(database, reason,
                (remedy == null) ? OTHER_TABLE : remedy.startsWith("drop") ? "drop it, or " + OTHER_TABLE : remedy);
    }

    @Test
    void refusesAForeignTable() throws SQLException {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        database.execute("ALTER TABLE shardedid_worker RENAME TO leases", "CREATE EXTENSION postgres_fdw",
                "CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '%s', dbname '%s')"
                    .formatted(database.url().replaceFirst(".*:(\\d+)/.*", "$1"),
                            database.query("SELECT current_database()")),
                "CREATE USER MAPPING FOR postgres SERVER far OPTIONS (user 'postgres')",
                "CREATE FOREIGN TABLE far_leases (namespace varchar(64), worker_id int, token varchar(36), fence bigint, "
                        + "lease_until bigint, hwm_tick bigint, owner varchar(255), layout varchar(255)) SERVER far "
                        + "OPTIONS (table_name 'leases')");
        for (String statement : List.of("CREATE VIEW shardedid_worker AS TABLE far_leases",
                "ALTER TABLE far_leases RENAME TO shardedid_worker")) {
            database.execute("DROP VIEW IF EXISTS shardedid_worker", statement);
            assertNotTaken(database,
                    "'public.%s' is a foreign table, and this server cannot make another one keep its writes"
                        .formatted(statement.startsWith("CREATE") ? "far_leases" : "shardedid_worker"),
                    "let 'shardedid.worker.lease.url' lead to the server that has the rows");
        }
    }

    /** What this account's policies hide, or keep it from writing. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', value = {
            "it lets no update change the row of worker id -1|CREATE POLICY a ON leases FOR SELECT USING (true); "
                    + "CREATE POLICY b ON leases FOR INSERT WITH CHECK (true)",
            "it lets no update change the row of worker id 0|CREATE POLICY a ON leases FOR SELECT USING (true); "
                    + "CREATE POLICY b ON leases FOR INSERT WITH CHECK (true); CREATE POLICY c ON leases FOR UPDATE "
                    + "USING (worker_id < 0)",
            "it does not show the row of worker id -1|CREATE POLICY a ON leases FOR SELECT USING (worker_id >= 0); "
                    + "CREATE POLICY b ON leases FOR INSERT WITH CHECK (true)",
            "ERROR: new row violates row-level security policy for table \"leases\"|CREATE POLICY a ON leases FOR SELECT "
                    + "USING (true)" })
    void refusesRowLevelSecurityThatStandsBetweenTheAccountAndItsRows(String failure, String policies)
            throws SQLException {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        String name = "secured" + Math.abs(policies.hashCode() % 1000);
        TestDatabase user = user(TestServer.POSTGRESQL, database, name);
        database.execute("ALTER TABLE shardedid_worker RENAME TO leases",
                "GRANT SELECT, INSERT, UPDATE ON leases TO " + name, "ALTER TABLE leases ENABLE ROW LEVEL SECURITY",
                policies, "CREATE SCHEMA v", "GRANT USAGE ON SCHEMA v TO " + name,
                "CREATE VIEW v.leases WITH (security_invoker) AS TABLE public.leases",
                "GRANT SELECT, INSERT, UPDATE ON v.leases TO " + name);
        String reason = "row level security of 'public.leases' stands between this account and the rows: " + failure;
        String policy = "CREATE POLICY shardedid ON public.leases TO \"" + name + "\" USING (true) WITH CHECK (true)";
        for (String table : List.of("leases", "v.leases")) {
            assertNotTaken(user, table, reason, "run " + policy);
        }
        // the owner and administrators are not concerned
        ensure(database, "leases");
        database.execute(policy);
        for (String table : List.of("leases", "v.leases")) {
            ensure(user, table);
        }
        assertThat(database.query("SELECT COUNT(*) FROM leases")).as("rows of the start").isEqualTo("0");
    }

    @Test
    void warnsWhereTheCatalogueIsNotThatOfPostgres() throws SQLException {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        try (LoggedLines lines = new LoggedLines(LeaseTableCheck.class.getName());
                LeaseStore table = new SqlLeaseTable(
                        TestConnections.to(database)
                            .rewriting((sql) -> sql.replace("c.relispartition", "c.unheard_of")),
                        LeaseTableName.DEFAULT, "default", SchemaInitialization.NEVER, LeaseTableContract.PATIENT)) {
            table.ensure();
            assertThat(lines.lines())
                .containsExactly("WARNING The start cannot see whether the lease table is what its "
                        + "script makes: table=shardedid_worker, database=" + product(database)
                        + " (ERROR: column c.unheard_of does not exist); make sure that it is a permanent table with "
                        + "PRIMARY KEY (namespace, worker_id)");
        }
    }

    /** What statements reach by the search path counts. */
    @Test
    void looksAtTheTableThatStatementsReach() throws SQLException {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        ensure(database, SchemaInitialization.ALWAYS);
        database.execute("CREATE SCHEMA ops", "CREATE TABLE ops.shardedid_worker AS TABLE shardedid_worker",
                "CREATE SCHEMA views", "CREATE VIEW views.shardedid_worker AS TABLE shardedid_worker",
                "CREATE SCHEMA keyless", "CREATE VIEW keyless.shardedid_worker AS TABLE ops.shardedid_worker");
        ensure(database, SchemaInitialization.NEVER);
        ensure(new TestDatabase(database.url() + "?currentSchema=views", database.user(), database.password()),
                SchemaInitialization.NEVER);
        for (String path : List.of("ops,public", "keyless,public")) {
            assertNotTaken(
                    new TestDatabase(database.url() + "?currentSchema=" + path, database.user(), database.password()),
                    "it has no primary key, so it can hold a worker id twice",
                    "stop all processes that lease from it, then run ALTER TABLE ops.shardedid_worker ADD PRIMARY KEY "
                            + "(namespace, worker_id)");
        }
    }

    private static String product(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect()) {
            DatabaseMetaData about = connection.getMetaData();
            return about.getDatabaseProductName() + " " + about.getDatabaseProductVersion();
        }
    }

    private static void assertNotTaken(TestDatabase database, String reason, String remedy) throws SQLException {
        assertNotTaken(database, "shardedid_worker", reason, remedy);
    }

    private static void assertNotTaken(TestDatabase database, String name, String reason, String remedy)
            throws SQLException {
        String product = product(database);
        try (LeaseStore table = new SqlLeaseTable(TestConnections.to(database), LeaseTableName.of(name), "default",
                SchemaInitialization.ALWAYS, LeaseTableContract.PATIENT)) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(table::ensure)
                .withMessage("Could not use the lease table: table=%s, database=%s (%s); %s", name, product, reason,
                        remedy);
        }
    }

    private static void ensure(TestDatabase database, String name) {
        try (LeaseStore table = new SqlLeaseTable(TestConnections.to(database), LeaseTableName.of(name), "default",
                SchemaInitialization.NEVER, LeaseTableContract.PATIENT)) {
            table.ensure();
        }
    }

    @Test
    void saysThatTheDatabaseIsNotReached() {
        try (LeaseStore table = new SqlLeaseTable(
                LeaseConnections.url("jdbc:postgresql://127.0.0.1:1/db?password=secret", "app", "secret"),
                LeaseTableName.DEFAULT, "default", SchemaInitialization.NEVER, LeaseTableContract.PATIENT)) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)
                .satisfies((ex) -> assertThat(ex).hasMessage("Could not reach the lease table: table=shardedid_worker, "
                        + "connection=jdbc:postgresql://127.0.0.1:1/db (%s); start the database, or correct "
                        + "'shardedid.worker.lease.url'", ex.getCause().getMessage()));
            assertThat(table.execute(new LeaseStatement.ReadAll())).isInstanceOf(LeaseReply.Unknown.class);
        }
    }

    @Test
    void saysThatNoDriverKnowsTheUrl() {
        try (LeaseStore table = new SqlLeaseTable(LeaseConnections.url("jdbc:nothing:x", null, null),
                LeaseTableName.DEFAULT, "default", SchemaInitialization.NEVER, LeaseTableContract.PATIENT)) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)
                .withMessage("Could not reach the lease table: table=shardedid_worker, connection=jdbc:nothing:x (No "
                        + "suitable driver found for jdbc:nothing:x); add the driver of the database to the class path, or correct "
                        + "'shardedid.worker.lease.url'");
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

    private static void assertRefused(TestDatabase database, SchemaInitialization initialization, String tail)
            throws SQLException {
        String head;
        try (Connection connection = database.connect()) {
            DatabaseMetaData about = connection.getMetaData();
            head = "Could not use the lease table: table=shardedid_worker, database=%s %s, user=%s "
                .formatted(about.getDatabaseProductName(), about.getDatabaseProductVersion(), about.getUserName());
        }
        try (LeaseStore table = table(database, initialization)) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure).withMessage(head + tail);
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
        return "'io/shardedid/lease-table-%s.sql' of the generator's jar (CREATE TABLE shardedid_worker ...)"
            .formatted(server.name().toLowerCase(Locale.ROOT));
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
