package io.shardedid.shards;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;

import io.shardedid.SchemaInitialization;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.testdb.FailingCalls;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What the map writes counts only if the server says nothing against the commit. */
class UnconfirmedRowsTest {

    private final TestDatabase database = TestServer.H2.freshDatabase();

    private boolean warns;

    @AfterEach
    void shutDown() {
        this.database.execute("SHUTDOWN");
    }

    @Test
    void rowsOfACommitWithAWarningAreNotConfirmed() throws Exception {
        try (LeaseStore leases = JdbcLeases.store("default", new Warning(), "shardedid_worker",
                SchemaInitialization.ALWAYS)) {
            SqlShardTable map = new SqlShardTable(leases, "default");
            map.ensure();
            this.warns = true;
            assertUnconfirmed(() -> map.note("a", "one"));
            assertUnconfirmed(() -> map.fill(ShardMap.parse("0-9: a", 10)));
            this.warns = false;
            assertThat(map.note("b", "two")).isEqualTo("two");
            assertThat(map.fill(ShardMap.parse("0-9: a", 10))).as("committed all the same").isFalse();
        }
    }

    private static void assertUnconfirmed(ThrowingCallable write) {
        assertThatExceptionOfType(SQLException.class).isThrownBy(write).withMessageContaining("warning=01000");
    }

    @Test
    void connectionIsClosedWhicheverCallFails() throws InterruptedException {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(this.database.url());
        source.setUser(this.database.user());
        assertThat(FailingCalls.each(source, (failing) -> {
            this.database.execute("DROP TABLE IF EXISTS shardedid_shard, shardedid_database");
            try (LeaseStore leases = JdbcLeases.store("default", LeaseConnections.own(failing), "shardedid_worker",
                    SchemaInitialization.ALWAYS)) {
                SqlShardTable map = new SqlShardTable(leases, "default");
                map.ensure();
                map.fill(ShardMap.parse("0-9: a", 10));
                map.note("a", "one");
                map.read();
            }
        })).isGreaterThan(20);
    }

    private final class Warning implements LeaseConnections {

        @Override
        public Connection open(Duration timeout) throws SQLException {
            return proxy(Connection.class, UnconfirmedRowsTest.this.database.connect());
        }

        private <T> T proxy(Class<T> type, T target) {
            return type
                .cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (self, method, values) -> {
                    if (method.getName().equals("getWarnings") && UnconfirmedRowsTest.this.warns) {
                        return new SQLWarning("canceling wait for synchronous replication", "01000");
                    }
                    try {
                        Object made = method.invoke(target, values);
                        return (made instanceof PreparedStatement statement) ? proxy(PreparedStatement.class, statement)
                                : made;
                    }
                    catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                }));
        }

        @Override
        public String describe() {
            return "warning";
        }

    }

}
