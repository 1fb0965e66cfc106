package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.testdb.EachServer;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A connection on which the application works, too. */
@Tag("database")
class OpenTransactionIT {

    private static final String OPEN = "Could not use the lease table: connection=… (a transaction is open on it";

    private static final String OFF = "Could not use the lease table: connection=… (its autocommit is off";

    private static final String REMEDY = ": the lease must neither end the transaction of others nor write within it); "
            + "give the lease connections of its own by 'shardedid.worker.lease.url'";

    @ParameterizedTest
    @EachServer
    void isNeitherEndedNorTaken(TestServer server) throws SQLException {
        TestDatabase database = server.freshDatabase();
        database.execute("CREATE TABLE imported (id INT PRIMARY KEY)");
        try (Connection only = database.connect();
                Statement application = only.createStatement();
                LeaseStore table = LeaseTableContract.table(new LeaseConnectionsOfOne(only), "default")) {
            only.setAutoCommit(false);
            // without a transaction, a connection may come without autocommit
            table.ensure();
            table.disconnect();
            assertThat(only.getAutoCommit()).isFalse();

            application.execute("INSERT INTO imported VALUES (1)");
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(table::ensure)
                .satisfies((ex) -> assertMessage(ex, OPEN + REMEDY));
            assertUnknown(table.execute(insert()), OPEN + REMEDY);
            application.execute("INSERT INTO imported VALUES (2)");
            only.rollback();
            assertThat(database.query("SELECT COUNT(*) FROM imported")).isEqualTo("0");

            LeaseStoreCheck.assertWritten(table.execute(insert()), 1);
        }
    }

    @ParameterizedTest
    @EachServer
    void isLookedForBeforeEachStatement(TestServer server) throws SQLException {
        TestDatabase database = server.freshDatabase();
        database.execute("CREATE TABLE imported (id INT PRIMARY KEY)");
        try (Connection only = database.connect();
                Statement application = only.createStatement();
                LeaseStore table = LeaseTableContract.table(new LeaseConnectionsOfOne(only), "default")) {
            table.ensure();
            only.setAutoCommit(false);
            application.execute("INSERT INTO imported VALUES (1)");
            assertUnknown(table.execute(insert()), OFF + REMEDY);
            application.execute("INSERT INTO imported VALUES (2)");
            only.rollback();
            only.setAutoCommit(true);
            assertThat(database.query("SELECT COUNT(*) FROM imported")).isEqualTo("0");
            assertThat(LeaseStoreCheck.read(table).rows()).isEmpty();
            LeaseStoreCheck.assertWritten(table.execute(insert()), 1);
        }
    }

    /** The driver shows it also where autocommit is on. */
    @Test
    void isSeenThatAStatementHasBegun() throws SQLException {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        try (Connection only = database.connect();
                Statement application = only.createStatement();
                LeaseStore table = LeaseTableContract.table(new LeaseConnectionsOfOne(only), "default")) {
            table.ensure();
            application.execute("BEGIN");
            assertUnknown(table.execute(insert()), OPEN + REMEDY);
            application.execute("ROLLBACK");
            LeaseStoreCheck.assertWritten(table.execute(insert()), 1);
        }
    }

    /** After START TRANSACTION, drivers of MariaDB and MySQL still say autocommit. */
    @ParameterizedTest
    @EachServer(except = TestServer.H2)
    void isAskedForAtEachConnectWhateverAutocommitSays(TestServer server) {
        TestConnections begun = TestConnections.to(server.freshDatabase()).with("START TRANSACTION");
        try (LeaseStore table = LeaseTableContract.table(begun, "default")) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(table::ensure)
                .satisfies((ex) -> assertMessage(ex, OPEN + REMEDY));
        }
    }

    /** Connector/J does not know what a statement has set, on no server. */
    @ParameterizedTest
    @EachServer(except = { TestServer.H2, TestServer.POSTGRESQL })
    void autocommitThatADriverDoesNotKnowIsAskedFor(TestServer server) {
        TestDatabase database = server.freshDatabase();
        TestDatabase byConnectorJ = new TestDatabase(database.url().replace("jdbc:mariadb:", "jdbc:mysql:"),
                database.user(), database.password());
        TestConnections off = TestConnections.to(byConnectorJ).with("SET autocommit = 0");
        try (LeaseStore table = LeaseTableContract.table(off, "default")) {
            table.ensure();
            LeaseStoreCheck.assertWritten(table.execute(insert()), 1);
            assertThat(database.query("SELECT COUNT(*) FROM shardedid_worker")).as("committed").isEqualTo("1");
        }
    }

    private static LeaseStatement insert() {
        return new LeaseStatement.Insert(new LeaseRow(3, "a", 0, 0, 0, null, null), null);
    }

    private static void assertUnknown(LeaseReply reply, String message) {
        assertThat(reply).isInstanceOfSatisfying(LeaseReply.Unknown.class,
                (unknown) -> assertMessage(unknown.cause(), message));
    }

    private static void assertMessage(Exception failure, String message) {
        assertThat(failure.getMessage().replaceFirst("connection=\\S+", "connection=…")).isEqualTo(message);
    }

}
