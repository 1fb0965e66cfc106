package io.shardedid.internal.lease.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.SchemaInitialization;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseReply.Unknown;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStatement.Guard;
import io.shardedid.internal.lease.LeaseStatement.Insert;
import io.shardedid.internal.lease.LeaseStatement.ReadAll;
import io.shardedid.internal.lease.LeaseStatement.Update;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.testdb.EachServer;
import io.shardedid.testdb.SwallowingProxy;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What a network between keeper and database can do to a statement. */
@Tag("proof")
class SqlLeaseTableNetworkIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** Connecting, an answer, half a second; and what a busy machine adds. */
    private static final Duration BOUND = TIMEOUT.multipliedBy(2).plusMillis(500).plusMinutes(1);

    @Test
    void answersInTimeWhenTheNetworkSwallowsAndHealsAtOnce() throws Exception {
        onEachServer((database) -> {
            try (SwallowingProxy network = SwallowingProxy.to(database);
                    LeaseStore table = table(database.behind(network))) {
                LeaseStoreCheck.read(table);
                network.swallow();
                assertUnknown(table, new ReadAll());
                assertUnknown(table, new ReadAll());
                assertUnknown(table, update(1, null));
                network.pass();
                LeaseStoreCheck.read(table);
            }
        });
    }

    @Test
    void healsAtTheNextStatementAfterACut() throws Exception {
        onEachServer((database) -> {
            try (SwallowingProxy network = SwallowingProxy.to(database);
                    LeaseStore table = table(database.behind(network))) {
                LeaseStoreCheck.read(table);
                network.cut();
                assertUnknown(table, new ReadAll());
                assertUnknown(table, new ReadAll());
                network.pass();
                LeaseStoreCheck.read(table);
            }
        });
    }

    @Test
    void doesNotKnowOfAWriteWhoseAnswerIsLost() throws Exception {
        onEachServer((database) -> {
            try (SwallowingProxy network = SwallowingProxy.to(database);
                    LeaseStore table = table(database.behind(network))) {
                LeaseStoreCheck.read(table);
                network.swallowReplies();
                assertUnknown(table, update(1, null));
                assertThat(awaitToken(database, 1)).isTrue();
                network.pass();
                assertThat(LeaseStoreCheck.read(table).row(1)).get().extracting(LeaseRow::token).isEqualTo("new");
            }
        });
    }

    /** What the server does not show is no reason to refuse it, but a lost line is. */
    @Test
    void connectionThatIsLostDuringTheCheckIsNoMissingRight() {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        for (String state : new String[] { "42501", "08006" }) {
            try (LeaseStore table = JdbcLeases.store("default", new LosingConnections(database, state),
                    "shardedid_worker", SchemaInitialization.ALWAYS)) {
                if (state.equals("42501")) {
                    table.ensure();
                }
                else {
                    assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)
                        .matches(table::isTransient, "is tried again");
                }
            }
        }
    }

    /**
     * Connections whose statement about {@code fsync} fails.
     *
     * @param database the database
     * @param state the SQLState
     */
    private record LosingConnections(TestDatabase database, String state) implements LeaseConnections {

        @Override
        public Connection open(Duration timeout) throws SQLException {
            Connection target = this.database.connect();
            return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
                    new Class<?>[] { Connection.class }, (self, method, values) -> {
                        if (method.getName().equals("prepareStatement")
                                && String.valueOf(values[0]).contains("fsync")) {
                            throw new SQLException("The line is cut", this.state);
                        }
                        try {
                            return method.invoke(target, values);
                        }
                        catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    });
        }

        @Override
        public String describe() {
            return "losing";
        }

    }

    /** A call that a busy machine has not sent in its time does not arrive late. */
    @Test
    void guardStopsAWriteThatArrivesLate() throws Exception {
        onEachServer((database) -> {
            boolean arrived = false;
            for (int attempt = 0; attempt < 4 && !arrived; attempt++) {
                arrived = arrivesLate(database);
            }
            assertThat(arrived).isTrue();
            assertThat(database.query("SELECT token FROM shardedid_worker WHERE worker_id = 2")).isEqualTo("old");
        });
    }

    private static boolean arrivesLate(TestDatabase database) throws Exception {
        try (SwallowingProxy network = SwallowingProxy.to(database);
                LeaseStore plain = table(database.behind(network));
                LeaseStore guarded = table(database.behind(network))) {
            long now = LeaseStoreCheck.read(guarded).databaseMillis();
            LeaseStoreCheck.read(plain);
            network.holdRequests();
            assertUnknown(guarded, update(2, new Guard(now + 200, false)));
            assertUnknown(plain, update(1, null));
            assertThat(database.query("SELECT token FROM shardedid_worker WHERE worker_id = 1")).isEqualTo("old");
            network.pass();
            return awaitToken(database, 1);
        }
    }

    @Test
    void answersInTimeWhenTheRowIsLocked() throws Exception {
        onEachServer((database) -> {
            try (LeaseStore table = table(database)) {
                LeaseStoreCheck.read(table);
                try (Connection other = database.connect(); Statement statement = other.createStatement()) {
                    other.setAutoCommit(false);
                    statement.execute("SELECT * FROM shardedid_worker WHERE worker_id = 1 FOR UPDATE");
                    assertUnknown(table, update(1, null));
                    other.rollback();
                }
                LeaseStoreCheck.read(table);
            }
        });
    }

    /** A statement that went on waiting would write as soon as the lock is gone. */
    @ParameterizedTest
    @EachServer(except = { TestServer.H2, TestServer.POSTGRESQL })
    void theServerEndsAStatementThatTakesTooLong(TestServer server) throws Exception {
        TestDatabase database = prepared(server);
        try (LeaseStore table = new SqlLeaseTable(TestConnections.to(database), LeaseTableName.DEFAULT, "default",
                SchemaInitialization.NEVER, new LeaseTimeouts(TIMEOUT, Duration.ofSeconds(3)));
                Connection other = database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT * FROM shardedid_worker WHERE worker_id = 1 FOR UPDATE");
            assertThat(table.execute(update(1, null))).isInstanceOf(Unknown.class);
            assertThat(database.query(
                    "SELECT count(*) FROM information_schema.processlist WHERE db = database() AND info LIKE 'UPDATE%'"))
                .isEqualTo("0");
        }
    }

    @Test
    void waitsForASlowNetworkWithinItsTimeouts() throws Exception {
        onEachServer((database) -> {
            try (SwallowingProxy network = SwallowingProxy.to(database);
                    LeaseStore table = table(database.behind(network))) {
                LeaseStoreCheck.read(table);
                network.delay(Duration.ofMillis(100));
                LeaseStoreCheck.read(table);
                network.delay(TIMEOUT.multipliedBy(2));
                assertUnknown(table, new ReadAll());
                network.delay(Duration.ZERO);
                LeaseStoreCheck.read(table);
            }
        });
    }

    /** Nearly all that a check does is to wait, so all servers are checked at once. */
    private static void onEachServer(Check check) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            Map<TestServer, Future<?>> checks = new EnumMap<>(TestServer.class);
            for (TestServer server : TestServer.values()) {
                if (server == TestServer.H2 || !server.isThere()) {
                    continue;
                }
                checks.put(server, threads.submit(() -> {
                    check.run(prepared(server));
                    return null;
                }));
            }
            for (Map.Entry<TestServer, Future<?>> each : checks.entrySet()) {
                assertThat(each.getValue()).as(each.getKey().name()).succeedsWithin(Duration.ofMinutes(1));
            }
        }
        finally {
            threads.shutdownNow();
        }
    }

    @FunctionalInterface
    private interface Check {

        void run(TestDatabase database) throws Exception;

    }

    private static TestDatabase prepared(TestServer server) {
        TestDatabase database = server.freshDatabase();
        try (LeaseStore table = LeaseTableContract.table(TestConnections.to(database), "default")) {
            table.ensure();
            for (int worker = 1; worker <= 2; worker++) {
                table.execute(new Insert(new LeaseRow(worker, "old", 0, 0, 0, null, null), null));
            }
        }
        return database;
    }

    private static LeaseStore table(TestDatabase database) {
        return new SqlLeaseTable(LeaseConnections.url(database.url(), database.user(), database.password()),
                LeaseTableName.DEFAULT, "default", SchemaInitialization.NEVER, new LeaseTimeouts(TIMEOUT, TIMEOUT));
    }

    private static Update update(int worker, Guard guard) {
        return new Update(worker, "old", 0, "new", 1, 1, 1, null, null, guard);
    }

    private static void assertUnknown(LeaseStore table, LeaseStatement statement) {
        long start = System.nanoTime();
        LeaseReply reply = table.execute(statement);
        assertThat(reply).isInstanceOf(Unknown.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(BOUND);
    }

    private static boolean awaitToken(TestDatabase database, int worker) {
        long until = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (System.nanoTime() < until) {
            if ("new".equals(database.query("SELECT token FROM shardedid_worker WHERE worker_id = " + worker))) {
                return true;
            }
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
        return false;
    }

}
