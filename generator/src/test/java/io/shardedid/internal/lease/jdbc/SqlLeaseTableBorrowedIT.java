package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.testdb.EachServer;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.Durability;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

import static org.assertj.core.api.Assertions.assertThat;

/** The lease table on connections of the application's pool. */
@Tag("database")
class SqlLeaseTableBorrowedIT {

    private static final Logger LOGGER = Logger.getLogger(SqlLeaseTable.class.getName());

    @ParameterizedTest
    @EachServer
    void givesTheConnectionBackAfterEachStatement(TestServer server) throws Exception {
        TestDatabase database = server.freshDatabase();
        try (HikariDataSource pool = pool(database); LeaseStore table = borrowing(pool)) {
            table.ensure();
            for (LeaseStoreCheck check : LeaseStoreCheck.of(Durability.CONFIGURED)) {
                database.execute("DELETE FROM shardedid_worker");
                try (LeaseStore other = LeaseTableContract.table(LeaseConnections.borrowed(pool), "Default")) {
                    check.run(table, other);
                }
                assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
            }
            assertThat(pool.getHikariPoolMXBean().getTotalConnections()).isOne();
        }
    }

    @Test
    void leavesTheConnectionAsItWas() throws Exception {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        try (Connection only = database.connect()) {
            only.setAutoCommit(false);
            only.setNetworkTimeout(Runnable::run, 12_345);
            LeaseConnections source = new LeaseConnectionsOfOne(only);
            try (LeaseStore table = LeaseTableContract.table(source, "default")) {
                table.ensure();
                LeaseStoreCheck.CHANGES_ALL_THAT_AN_UPDATE_NAMES.run(table, table);
            }
            assertThat(only.getAutoCommit()).isFalse();
            assertThat(only.getNetworkTimeout()).isEqualTo(12_345);
        }
    }

    @Test
    void waitsForTheDiskWhateverTheRoleSays() throws Exception {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        try (LeaseStore table = LeaseTableContract.table(TestConnections.to(database), "default")) {
            table.ensure();
        }
        database.execute("CREATE TABLE seen (operation TEXT, durability TEXT)", """
                CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN INSERT INTO seen VALUES (TG_OP, current_setting('synchronous_commit')); RETURN NULL; END $$""",
                "CREATE TRIGGER noted AFTER INSERT OR UPDATE ON shardedid_worker FOR EACH ROW EXECUTE FUNCTION note()");
        List<String> after = new ArrayList<>();
        TestConnections connections = TestConnections.to(database).with((connection) -> {
            try (var statement = connection.createStatement()) {
                statement.execute("SET synchronous_commit = off");
            }
        });
        try (LeaseStore table = LeaseTableContract.table(connections, "default")) {
            LeaseStoreCheck.CHANGES_ALL_THAT_AN_UPDATE_NAMES.run(table, table);
        }
        assertThat(database.query("SELECT string_agg(DISTINCT operation || '=' || durability, ', ') FROM seen"))
            .isEqualTo("INSERT=on, UPDATE=on");
        try (Connection only = database.connect(); var statement = only.createStatement()) {
            statement.execute("SET synchronous_commit = off");
            try (LeaseStore table = LeaseTableContract.table(new LeaseConnectionsOfOne(only), "other")) {
                LeaseStoreCheck.REFUSES_A_SECOND_ROW.run(table, table);
            }
            try (var shown = statement.executeQuery("SHOW synchronous_commit")) {
                shown.next();
                after.add(shown.getString(1));
            }
        }
        assertThat(after).containsExactly("off");
    }

    @Test
    void warnsOnce() throws Exception {
        List<String> warnings = new ArrayList<>();
        Handler handler = new Handler() {

            @Override
            public void publish(LogRecord record) {
                if (record.getLevel() == Level.WARNING) {
                    warnings.add(java.text.MessageFormat.format(record.getMessage(), record.getParameters()));
                }
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }

        };
        LOGGER.addHandler(handler);
        try (HikariDataSource pool = pool(TestServer.H2.freshDatabase()); LeaseStore table = borrowing(pool)) {
            table.ensure();
            LeaseStoreCheck.CHANGES_ALL_THAT_AN_UPDATE_NAMES.run(table, table);
        }
        finally {
            LOGGER.removeHandler(handler);
        }
        assertThat(warnings)
            .containsExactly("The lease of the worker id is renewed on connections of the application's "
                    + "pool (borrowed from com.zaxxer.hikari.HikariDataSource): it runs out while every connection is held by "
                    + "callers that wait for an id; give the keeper its own by 'shardedid.worker.lease.url'");
    }

    private static LeaseStore borrowing(HikariDataSource pool) {
        return LeaseTableContract.table(LeaseConnections.borrowed(pool), "default");
    }

    private static HikariDataSource pool(TestDatabase database) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.url());
        pool.setUsername(database.user());
        pool.setPassword(database.password());
        pool.setMaximumPoolSize(1);
        pool.setAutoCommit(false);
        pool.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        return pool;
    }

}
