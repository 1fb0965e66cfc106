package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLeaseException;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Callers that hold every connection of their pool while they ask for ids, and a lease
 * that is spent.
 */
class FullPoolTest {

    private static final Duration MAX_WAIT = Duration.ofSeconds(10);

    private final TestDatabase database = TestServer.H2.freshDatabase();

    private final ExecutorService callers = Executors.newCachedThreadPool();

    @BeforeEach
    void makesTheTable() {
        this.database.execute("CREATE TABLE photo (id BIGINT PRIMARY KEY)");
    }

    @AfterEach
    void leavesNothing() {
        this.callers.shutdownNow();
        this.database.execute("SHUTDOWN");
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4 })
    void renewsWhileCallersHoldEveryConnection(int size) throws Exception {
        GatedConnections keeper = new GatedConnections(this.database);
        try (HikariDataSource pool = pool(size); ShardedIdEngine ids = open(keeper, MAX_WAIT)) {
            keeper.shut();
            awaitSpent(ids);
            CountDownLatch asking = new CountDownLatch(size);
            List<Future<Long>> made = new ArrayList<>();
            for (int caller = 0; caller < size; caller++) {
                made.add(this.callers.submit(() -> insert(pool, ids, asking)));
            }
            asking.await();
            TimeUnit.MILLISECONDS.sleep(50);
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(size);
            assertThat(made).as("have to wait").noneMatch(Future::isDone);

            keeper.open();

            for (Future<Long> id : made) {
                assertThat(id.get()).isPositive();
            }
            assertThat(pool.getHikariPoolMXBean().getThreadsAwaitingConnection()).isZero();
            assertThat(pool.getHikariPoolMXBean().getTotalConnections()).isEqualTo(size);
            assertThat(this.database.query("SELECT COUNT(*) FROM photo")).isEqualTo(String.valueOf(size));
        }
    }

    /** Otherwise they would keep what the keeper waits for. */
    @Test
    void callersOfThePoolFromWhichTheLeaseWaitsForAConnectionFailAtOnce() throws Exception {
        GatedConnections keeper = new GatedConnections(this.database).ofCallers();
        try (ShardedIdEngine ids = open(keeper, Duration.ofMinutes(1))) {
            keeper.shut();
            awaitSpent(ids);
            assertThat(this.callers.submit(() -> catchThrowable(() -> ids.next(1))).get(3, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(WorkerLeaseException.class, (ex) -> assertThat(ex.retryable()).isTrue())
                .hasMessageContaining("pool");
            keeper.open();
            awaitId(ids);
        }
        assertThat(keeper.places).as("one place in the queue").hasValue(2);
    }

    /** It may hang on a dead network, and the lease thread must not. */
    @Test
    void connectionThatNobodyWaitsForAnyMoreIsClosedByAnotherThread() throws Exception {
        GatedConnections late = new GatedConnections(this.database).ofCallers();
        late.shut();
        try (SqlLeaseTable table = new SqlLeaseTable(late, LeaseTableName.DEFAULT, "default",
                SchemaInitialization.ALWAYS,
                new LeaseTimeouts(Duration.ofMillis(50), LeaseTimeouts.DEFAULT.answer()))) {
            assertThat(catchThrowable(table::ensure)).isInstanceOf(WorkerLeaseException.class);
            late.open();
            Thread server = late.served.get(30, TimeUnit.SECONDS);
            while (server.getState() != Thread.State.TIMED_WAITING) {
                // it makes a session of the connection
                TimeUnit.MILLISECONDS.sleep(5);
            }
            table.disconnect();
            assertThat(late.closed.get(30, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
        }
    }

    private static long insert(HikariDataSource pool, ShardedIdEngine ids, CountDownLatch asking) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            asking.countDown();
            long id = ids.next(7);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO photo VALUES (?)")) {
                insert.setLong(1, id);
                insert.executeUpdate();
            }
            connection.commit();
            return id;
        }
    }

    private HikariDataSource pool(int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(this.database.url());
        config.setUsername(this.database.user());
        config.setPassword(this.database.password());
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(10_000);
        return new HikariDataSource(config);
    }

    private static ShardedIdEngine open(LeaseConnections connections, Duration maxWait) {
        LeaseSettings settings = LeaseSettings.builder()
            .window(Duration.ofSeconds(1))
            .startupTimeout(Duration.ofSeconds(5))
            .application("me")
            .build();
        return SeparateProcess.open(ShardedIds.builder()
            .maxAhead(Duration.ofMillis(500))
            .maxWait(maxWait)
            .workers(JdbcLeases.leased(settings, connections, "shardedid_worker", SchemaInitialization.ALWAYS,
                    List.of())));
    }

    private static void awaitSpent(ShardedIdEngine ids) throws InterruptedException {
        while (!ids.stats().leaseRemaining().isZero()) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private static void awaitId(ShardedIdEngine ids) {
        long id = -1;
        while (id < 0) {
            try {
                id = ids.next(1);
            }
            catch (WorkerLeaseException ex) {
                assertThat(ex.retryable()).isTrue();
            }
        }
    }

    /**
     * Connections of a keeper's own that can be taken from it, for a while or, as from a
     * process that was killed, forever. Thread-safe.
     */
    static final class GatedConnections implements LeaseConnections {

        private final TestDatabase database;

        private final Queue<Connection> opened = new ConcurrentLinkedQueue<>();

        /** How often a connection was asked for. */
        final AtomicInteger places = new AtomicInteger();

        /** By whom the first connection was made, and closed. */
        final CompletableFuture<Thread> served = new CompletableFuture<>();

        final CompletableFuture<Thread> closed = new CompletableFuture<>();

        private volatile boolean shut;

        private boolean ofCallers;

        GatedConnections(TestDatabase database) {
            this.database = database;
        }

        /** Like a pool: who asks while it is shut waits. */
        GatedConnections ofCallers() {
            this.ofCallers = true;
            return this;
        }

        /** From here on no statement of the keeper arrives. */
        void shut() throws SQLException {
            this.shut = true;
            for (Connection connection : this.opened) {
                connection.close();
            }
        }

        void open() {
            this.shut = false;
        }

        @Override
        public Connection open(Duration timeout) throws SQLException {
            this.places.incrementAndGet();
            while (this.shut && this.ofCallers) {
                TimeSource.system().park(5_000_000);
            }
            if (this.shut) {
                throw new SQLTransientConnectionException("the gate is shut");
            }
            Connection connection = this.database.connect();
            this.opened.add(connection);
            this.served.complete(Thread.currentThread());
            return connection;
        }

        @Override
        public void close(Connection connection) throws SQLException {
            this.closed.complete(Thread.currentThread());
            connection.close();
        }

        @Override
        public boolean sharedWithCallers() {
            return this.ofCallers;
        }

        @Override
        public String describe() {
            return "gated";
        }

    }

}
