package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.shardedid.SchemaInitialization;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.testdb.FailingCalls;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A closed store has given every connection back, whichever call on it failed. */
class ConnectionsGoBackTest {

    /** That of a lease alone, and those of an application that is looked at beside it. */
    static Stream<Function<DataSource, LeaseConnections>> connections() {
        return Stream.of((source) -> new LeaseConnections() {
            @Override
            public Connection open(Duration timeout) throws SQLException {
                return source.getConnection();
            }

            @Override
            public String describe() {
                return "plain";
            }
        }, (source) -> LeaseConnections.own(source).beside(List.of(LeaseConnections.own(source))));
    }

    @ParameterizedTest
    @MethodSource("connections")
    void whicheverCallFails(Function<DataSource, LeaseConnections> connections) throws InterruptedException {
        TestDatabase database = TestServer.H2.freshDatabase();
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(database.url());
        source.setUser(database.user());
        LeaseRow row = new LeaseRow(3, "a", 1, 5, 7, null, null);
        assertThat(FailingCalls.each(source, (failing) -> {
            database.execute("DROP TABLE IF EXISTS shardedid_worker");
            try (LeaseStore store = JdbcLeases.store("default", connections.apply(failing), "shardedid_worker",
                    SchemaInitialization.ALWAYS)) {
                store.ensure();
                store.execute(new LeaseStatement.ReadAll());
                store.execute(new LeaseStatement.Insert(row, null));
                store.execute(new LeaseStatement.ReadOne(3));
            }
        })).isGreaterThan(20);
        database.execute("SHUTDOWN");
    }

}
