package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.testdb.MySqlServer;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tools.Needs;
import io.shardedid.tools.Tool;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What a role, a server or a pool sets for a session of MySQL. */
@Tag("proof")
@Needs(Tool.MYSQL)
class MySqlSettingsIT {

    @ParameterizedTest
    @ValueSource(strings = { "SET autocommit = 0", "SET sql_mode = ''",
            "SET sql_mode = 'ANSI_QUOTES,PAD_CHAR_TO_FULL_LENGTH,NO_UNSIGNED_SUBTRACTION'", "SET sql_select_limit = 1",
            "SET sql_safe_updates = 1", "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED",
            "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SET time_zone = '+05:45'",
            "SET completion_type = 1", "SET unique_checks = 0, foreign_key_checks = 0",
            "SET max_execution_time = 20000", "SET innodb_lock_wait_timeout = 1", "SET div_precision_increment = 0",
            "SET low_priority_updates = 1" })
    void holds(String setting) throws Exception {
        TestDatabase database = TestServer.MYSQL.freshDatabase();
        try (Connection connection = database.connect()) {
            assertThat(LeaseDialect.of(connection.getMetaData())).isEqualTo(LeaseDialect.MYSQL);
        }
        StatementSettingsIT.assertHolds(database, setting);
    }

    /** Of which the driver does not know. */
    @Test
    void commitsAlthoughAStatementHasTurnedAutocommitOff() {
        TestDatabase database = TestServer.MYSQL.freshDatabase();
        try (LeaseStore table = LeaseTableContract.table(TestConnections.to(database).with("SET autocommit = 0"),
                "default")) {
            table.ensure();
            table.execute(new LeaseStatement.Insert(new LeaseRow(3, "a", 0, 0, 0, null, null), null));
            assertThat(database.query("SELECT token FROM shardedid_worker")).isEqualTo("a");
        }
    }

    /** The driver has to know of this one, so the URL says it. */
    @Test
    void holdsWithoutBackslashEscapes() throws Exception {
        TestDatabase database = TestServer.MYSQL.freshDatabase();
        StatementSettingsIT
            .assertHolds(new TestDatabase(database.url() + "?sessionVariables=sql_mode='NO_BACKSLASH_ESCAPES'",
                    database.user(), database.password()), "SET big_tables = 1");
    }

    @Test
    void saysThatTheSessionIsReadOnly() {
        // this driver says it of the connection
        try (LeaseStore table = LeaseTableContract.table(
                TestConnections.to(TestServer.MYSQL.freshDatabase()).with("SET SESSION TRANSACTION READ ONLY"),
                "default")) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(table::ensure)
                .withMessageContaining("read-only=true");
        }
    }

    /** The server has a log of changes unless it is told otherwise. */
    @Test
    void refusesASessionWhoseWritesNoReplicaGets() {
        try (LeaseStore table = LeaseTableContract
            .table(TestConnections.to(TestServer.MYSQL.freshDatabase()).with("SET sql_log_bin = 0"), "default")) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(table::ensure)
                .withMessageContaining("sql_log_bin=OFF");
        }
    }

    @Test
    void servesOnlyTheTolerantModeWhereItWritesItsLogOnceASecond() {
        try (MySqlServer server = new MySqlServer("--innodb-flush-log-at-trx-commit=0")) {
            ServerSettingsIT.assertServesOnlyTheTolerantMode(server::database);
        }
    }

    @Test
    void refusesAnotherEngine() {
        TestDatabase database = TestServer.MYSQL.freshDatabase();
        try (LeaseStore table = LeaseTableContract.table(TestConnections.to(database), "default")) {
            table.ensure();
            database.execute("ALTER TABLE shardedid_worker ENGINE = MyISAM");
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(table::ensure)
                .withMessageContainingAll("MyISAM", "InnoDB");
        }
    }

}
