package io.shardedid.internal.lease.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.internal.lease.LeaseStore;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What a connection is like after the lease has used it. */
@Tag("database")
class HeldConnectionIT {

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

    /** Some pools neither roll back nor turn autocommit on when a caller forgets it. */
    @Test
    void endsATransactionThatACallerLeftOpenOnAConnectionOfAPool() throws Exception {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        database.execute("CREATE TABLE forgotten (id INT)");
        org.apache.tomcat.jdbc.pool.DataSource pool = (org.apache.tomcat.jdbc.pool.DataSource) PoolOutageIT.Pool.TOMCAT
            .open(database, 2);
        try (LeaseStore table = LeaseTableContract.table(LeaseConnections.own(pool), "default")) {
            try (Connection caller = pool.getConnection(); var statement = caller.createStatement()) {
                caller.setAutoCommit(false);
                statement.execute("INSERT INTO forgotten VALUES (1)");
            }
            table.ensure();
            LeaseStoreCheck.CHANGES_ALL_THAT_AN_UPDATE_NAMES.run(table, table);
        }
        finally {
            pool.close(true);
        }
        assertThat(database.query("SELECT COUNT(*) FROM forgotten")).isEqualTo("0");
    }

    /** Somebody else may be in the middle of a transaction on it. */
    @Test
    void endsNoTransactionOnAConnectionOfAnotherDataSource() throws Exception {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        try (Connection only = database.connect(); var statement = only.createStatement()) {
            DataSource lends = lending(only);
            only.setAutoCommit(false);
            statement.execute("CREATE TABLE kept (id INT)");
            try (LeaseStore table = LeaseTableContract.table(LeaseConnections.own(lends), "default")) {
                assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(table::ensure);
            }
            only.commit();
        }
        assertThat(database.query("SELECT COUNT(*) FROM kept")).isEqualTo("0");
    }

    private static DataSource lending(Connection only) {
        return (DataSource) Proxy.newProxyInstance(HeldConnectionIT.class.getClassLoader(),
                new Class<?>[] { DataSource.class },
                (proxy, method, arguments) -> method.getName().equals("getConnection")
                        ? new LeaseConnectionsOfOne(only).open(Duration.ZERO) : Boolean.FALSE);
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

}
