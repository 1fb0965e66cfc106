package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.shardedid.WorkerLeaseException;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.Durability;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a role, a server or a pool sets for a session changes neither an answer of the
 * lease table nor what its commit means.
 */
@Tag("proof")
class StatementSettingsIT {

    private static final int RACERS = 4;

    private static final int ROUNDS = 5;

    static Stream<String> ofPostgres() {
        return Stream.of("synchronous_commit = off", "synchronous_commit = local", "client_min_messages = error",
                "client_min_messages = debug5", "lock_timeout = 1", "lock_timeout = 0", "statement_timeout = '20s'",
                "default_transaction_isolation = 'serializable'", "default_transaction_isolation = 'repeatable read'",
                "default_transaction_deferrable = on", "session_replication_role = replica", "row_security = off",
                "standard_conforming_strings = off", "backslash_quote = off", "transform_null_equals = on",
                "plan_cache_mode = force_generic_plan", "enable_indexscan = off", "exit_on_error = on",
                "zero_damaged_pages = on", "TimeZone = 'Asia/Kathmandu'", "DateStyle = 'ISO, DMY'",
                "IntervalStyle = 'sql_standard'", "search_path = public, pg_catalog")
            .map("SET "::concat);
    }

    @ParameterizedTest
    @MethodSource("ofPostgres")
    void holdsOnPostgres(String setting) throws Exception {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        assertHolds(database, setting);

        database.execute("CREATE TABLE seen (said TEXT)", """
                CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                INSERT INTO public.seen VALUES (concat_ws(' ', TG_OP, current_setting('synchronous_commit'),
                current_setting('client_min_messages'), current_setting('lock_timeout'))); RETURN NULL; END $$""",
                "CREATE TRIGGER noted AFTER INSERT OR UPDATE ON shardedid_worker FOR EACH ROW EXECUTE FUNCTION note()",
                "ALTER TABLE shardedid_worker ENABLE ALWAYS TRIGGER noted");
        try (Connection connection = database.connect(); Statement statement = connection.createStatement()) {
            statement.execute(setting);
            List<String> before = settings(connection);
            try (LeaseStore table = LeaseTableContract.table(new LeaseConnectionsOfOne(connection), "noted")) {
                LeaseStoreCheck.assertWritten(table.execute(insert(1, "a")), 1);
                LeaseStoreCheck.assertWritten(table.execute(update(1, "a", "b")), 1);
            }
            assertThat(settings(connection)).as("settings of the session afterwards").isEqualTo(before);
        }
        assertThat(database.query("SELECT string_agg(said, '; ' ORDER BY said) FROM seen"))
            .isEqualTo("INSERT on warning 1500ms; UPDATE on warning 1500ms");
    }

    private static List<String> settings(Connection connection) throws SQLException {
        List<String> settings = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(
                        "SELECT name || ' ' || setting FROM pg_settings WHERE category <> 'Customized Options' ORDER BY name")) {
            while (found.next()) {
                settings.add(found.getString(1));
            }
        }
        return settings;
    }

    @ParameterizedTest
    @ValueSource(strings = { "SET autocommit = 0", "SET sql_mode = ''",
            "SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH,NO_UNSIGNED_SUBTRACTION'",
            "SET sql_mode = 'ORACLE'", "SET sql_select_limit = 1", "SET sql_safe_updates = 1",
            "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED",
            "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SET innodb_snapshot_isolation = 1",
            "SET time_zone = '+05:45'", "SET completion_type = 1", "SET unique_checks = 0, foreign_key_checks = 0",
            "SET max_statement_time = 20", "SET innodb_lock_wait_timeout = 1", "SET div_precision_increment = 0",
            "SET low_priority_updates = 1", "SET big_tables = 1", "SET sql_log_bin = 0" })
    void holdsOnMariaDb(String setting) throws Exception {
        assertHolds(TestServer.MARIADB.freshDatabase(), setting);
    }

    /** The contract, and two writers who are never both told that they wrote. */
    static void assertHolds(TestDatabase database, String setting) throws Exception {
        TestConnections connections = TestConnections.to(database).with(setting);
        try (LeaseStore table = LeaseTableContract.table(connections, "default")) {
            table.ensure();
        }
        for (LeaseStoreCheck check : LeaseStoreCheck.of(Durability.CONFIGURED)) {
            if (check == LeaseStoreCheck.SHOWS_A_WRITE_AFTER_RECONNECTING) {
                // fifty connections
                continue;
            }
            database.execute("DELETE FROM shardedid_worker");
            try (LeaseStore table = LeaseTableContract.table(connections, "default");
                    LeaseStore other = LeaseTableContract.table(connections, "Default")) {
                check.run(table, other);
            }
        }
        database.execute("DELETE FROM shardedid_worker");
        for (List<LeaseReply> replies : race(connections, (round, racer) -> insert(round, "by " + racer))) {
            assertThat(replies).filteredOn(new LeaseReply.Written(1)::equals).hasSize(1);
            assertThat(replies).filteredOn(LeaseReply.DuplicateKey.class::isInstance).hasSize(RACERS - 1);
        }
        database.execute("UPDATE shardedid_worker SET token = 'seen'");
        for (List<LeaseReply> replies : race(connections, (round, racer) -> update(round, "seen", "by " + racer))) {
            assertThat(replies).filteredOn(new LeaseReply.Written(1)::equals).hasSize(1);
            assertThat(replies).filteredOn(new LeaseReply.Written(0)::equals).hasSize(RACERS - 1);
        }
    }

    /** Rows of others change meanwhile, which SERIALIZABLE may take for a conflict. */
    @ParameterizedTest
    @ValueSource(strings = { "SET default_transaction_isolation = 'serializable'",
            "SET default_transaction_isolation = 'repeatable read'" })
    void answersAlthoughTheServerRollsBack(String setting) throws Exception {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        TestConnections connections = TestConnections.to(database).with(setting);
        try (LeaseStore table = LeaseTableContract.table(connections, "default")) {
            table.ensure();
        }
        for (List<LeaseReply> replies : race(connections, (round, racer) -> (round == 0) ? insert(racer, "token 0")
                : update(racer, "token " + (round - 1), "token " + round))) {
            assertThat(replies).containsOnly(new LeaseReply.Written(1));
        }
    }

    /** PostgreSQL writes each statement that fails into its log. */
    @Test
    void losesARaceWithoutAStatementThatFails() throws Exception {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        TestConnections connections = TestConnections.to(database);
        try (LeaseStore table = LeaseTableContract.table(connections, "default")) {
            table.ensure();
        }
        race(connections, (round, racer) -> insert(round, "by " + racer));
        LeaseTableSetupIT.assertNothingFailed(database);
    }

    @Test
    void saysThatTheSessionIsReadOnly() {
        assertSaysThatTheSessionIsReadOnly(TestServer.MARIADB.freshDatabase());
    }

    static void assertSaysThatTheSessionIsReadOnly(TestDatabase database) {
        try (LeaseStore table = LeaseTableContract.table(TestConnections.to(database), "default")) {
            table.ensure();
        }
        try (LeaseStore table = LeaseTableContract
            .table(TestConnections.to(database).with("SET SESSION TRANSACTION READ ONLY"), "default")) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)
                .withMessageContaining("(it cannot be written: ")
                .withMessageContaining("transactions");
        }
    }

    private static LeaseStatement insert(int worker, String token) {
        return new LeaseStatement.Insert(new LeaseRow(worker, token, 0, 0, 0, null, null), null);
    }

    private static LeaseStatement update(int worker, String seen, String token) {
        return new LeaseStatement.Update(worker, seen, 0, token, 1, 0, 0, null, null, null);
    }

    private static List<List<LeaseReply>> race(LeaseConnections connections, Move move) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(RACERS);
        List<List<LeaseReply>> rounds = new ArrayList<>();
        try {
            CyclicBarrier gate = new CyclicBarrier(RACERS);
            List<Callable<List<LeaseReply>>> racers = new ArrayList<>();
            for (int i = 0; i < RACERS; i++) {
                int racer = i;
                racers.add(() -> {
                    List<LeaseReply> replies = new ArrayList<>();
                    try (LeaseStore table = LeaseTableContract.table(connections, "default")) {
                        for (int round = 0; round < ROUNDS; round++) {
                            gate.await();
                            replies.add(table.execute(move.of(round, racer)));
                        }
                    }
                    return replies;
                });
            }
            List<List<LeaseReply>> byRacer = new ArrayList<>();
            for (Future<List<LeaseReply>> each : threads.invokeAll(racers)) {
                byRacer.add(each.get());
            }
            for (int round = 0; round < ROUNDS; round++) {
                int now = round;
                rounds.add(byRacer.stream().map((replies) -> replies.get(now)).toList());
            }
        }
        finally {
            threads.shutdownNow();
        }
        return rounds;
    }

    @FunctionalInterface
    private interface Move {

        LeaseStatement of(int round, int racer);

    }

}
