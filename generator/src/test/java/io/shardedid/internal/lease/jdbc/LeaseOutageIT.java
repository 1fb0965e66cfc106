package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

import io.shardedid.LeaseSettings;
import io.shardedid.LoggedLines;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.internal.lease.IdSet;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.LeasedWorker;
import io.shardedid.testdb.EachServer;
import io.shardedid.testdb.SwallowingProxy;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A database that is down, comes back, or has lost its lease table. */
@Tag("database")
@Tag("proof")
class LeaseOutageIT {

    private static final Duration MAX_WAIT = Duration.ofSeconds(1);

    /** What a busy machine adds. */
    private static final Duration SLACK = Duration.ofMinutes(1);

    private static final LeaseSettings SETTINGS = settings(Duration.ofSeconds(10));

    private static final Duration SHORT_START = Duration.ofSeconds(2);

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    private final List<String> losses = Collections.synchronizedList(new ArrayList<>());

    private ShardedIdEngine open(TestDatabase reached) {
        return open(reached, LeaseTimeouts.DEFAULT);
    }

    private ShardedIdEngine open(TestDatabase reached, LeaseTimeouts timeouts) {
        return open(reached, timeouts, SETTINGS);
    }

    private ShardedIdEngine openSoon(TestDatabase reached, LeaseTimeouts timeouts) {
        return open(reached, timeouts, settings(SHORT_START));
    }

    private ShardedIdEngine open(TestDatabase reached, LeaseTimeouts timeouts, LeaseSettings settings) {
        LeaseStore table = new SqlLeaseTable(LeaseConnections.url(reached.url(), reached.user(), reached.password()),
                LeaseTableName.DEFAULT, "default", SchemaInitialization.ALWAYS, timeouts);
        return SeparateProcess.open(ShardedIds.builder()
            .maxWait(MAX_WAIT)
            .workers(new LeasedWorker(settings, table, List.of(new WorkerLeaseListener() {
                @Override
                public void lost(int worker, String why) {
                    LeaseOutageIT.this.losses.add(why);
                }
            }))));
    }

    @Test
    void refusesToStartWhenTheDatabaseIsDownForLongerThanTheStartupTimeout() {
        SwallowingProxy gone = SwallowingProxy.to(this.database);
        TestDatabase down = this.database.behind(gone);
        gone.close();
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> openSoon(down, LeaseTimeouts.DEFAULT))
            .satisfies((ex) -> assertThat(ex).hasMessageContainingAll("table=shardedid_worker",
                    "connection=" + down.url(), "shardedid.worker.lease.url"));
        try (ShardedIdEngine ids = open(this.database)) {
            assertThat(ids.next(1)).isPositive();
        }
    }

    @Test
    void refusesToStartInBoundedTimeWhenNobodyAnswers() {
        LeaseTimeouts timeouts = new LeaseTimeouts(Duration.ofMillis(100), Duration.ofMillis(500));
        try (SwallowingProxy network = SwallowingProxy.to(this.database)) {
            TestDatabase silent = this.database.behind(network);
            network.swallow();
            long began = System.nanoTime();
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> openSoon(silent, timeouts))
                .withMessageContainingAll("table=shardedid_worker", "connection=" + silent.url(),
                        "shardedid.worker.lease.url");
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isLessThan(SHORT_START.plus(timeouts.ofStart().connectLimit()).plus(SLACK));
            network.pass();
            try (ShardedIdEngine ids = open(silent)) {
                assertThat(ids.next(1)).isPositive();
            }
        }
    }

    @Test
    void callersWaitAtMostMaxWaitAndTheNextTransactionWorksWhenTheDatabaseIsBack() throws Exception {
        this.database.execute("CREATE TABLE photo (id BIGINT PRIMARY KEY)");
        try (SwallowingProxy network = SwallowingProxy.to(this.database)) {
            TestDatabase reached = this.database.behind(network);
            try (LoggedLines log = new LoggedLines("io.shardedid.internal.lease.LeaseReport");
                    ShardedIdEngine ids = open(reached)) {
                long first = ids.next(1);
                Connection cut = transaction(reached);
                insert(cut, first);
                network.cut();
                while (!ids.stats().leaseRemaining().isZero()) {
                    TimeUnit.MILLISECONDS.sleep(10);
                }
                assertThat(log.lines()).noneMatch((line) -> line.contains("Ids again"));
                long began = System.nanoTime();
                assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> ids.next(1))
                    .withMessageMatching(".+ worker id 0 .+ expired at [-0-9T:.]+Z .+retried.*");
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(MAX_WAIT, MAX_WAIT.plus(SLACK));
                assertThatExceptionOfType(SQLException.class).isThrownBy(cut::commit);

                network.pass();
                try (Connection next = transaction(reached)) {
                    insert(next, idWhenBack(ids));
                    next.commit();
                }
                assertThat(String.join("\n", log.lines()))
                    .containsPattern("(?s)WARNING .+ again.*\nWARNING .+worker id 0 of namespace 'default'.+ 1s .*"
                            + "\nINFO Ids again after \\d+m?s: worker id 0 of namespace 'default', the same as before");
                assertThat(this.database.query("SELECT COUNT(*) FROM photo")).isEqualTo("1");
                assertThat(this.database.query("SELECT id FROM photo")).isGreaterThan(String.valueOf(first));
            }
        }
    }

    /** Outside the promise, but seen to heal. */
    @Test
    void healsAtTheNextRenewalAfterATruncate() throws Exception {
        try (ShardedIdEngine one = open(this.database); ShardedIdEngine other = open(this.database)) {
            String identity = this.database.query("SELECT token FROM shardedid_worker WHERE worker_id = -1");
            IdSet made = new IdSet();
            long last = one.next(1);
            this.database.execute("TRUNCATE shardedid_worker");
            long until = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (this.losses.size() < 2 || !leased(one) || !leased(other)) {
                long id = one.next(1);
                assertThat(id).isGreaterThan(last);
                last = id;
                assertThat(made.add(id)).isTrue();
                assertThat(made.add(other.next(1))).isTrue();
                assertThat(System.nanoTime() - until).as("time is left").isNegative();
                // without a rest ids are a second ahead, and wait when an answer of the
                // server is slow
                TimeUnit.MILLISECONDS.sleep(1);
            }
            // the slower of the two may find its row made anew, by the other
            assertThat(this.losses).anyMatch((loss) -> loss.contains("gone"))
                .allMatch((loss) -> loss.contains("gone") || loss.endsWith(", pid " + ProcessHandle.current().pid()));
            assertThat(one.stats().worker()).isNotEqualTo(other.stats().worker());
            assertThat(this.database.query("SELECT token FROM shardedid_worker WHERE worker_id = -1"))
                .isEqualTo(identity);
            assertThat(this.database.query("SELECT COUNT(*) FROM shardedid_worker WHERE worker_id >= 0"))
                .isEqualTo("2");
        }
    }

    @Test
    void processWhoseRowIsLockedGoesOnWithAnotherWorkerIdUnlessItHasToHaveThisOne() throws Exception {
        try (ShardedIdEngine any = open(this.database);
                ShardedIdEngine pinned = open(this.database, LeaseTimeouts.DEFAULT,
                        settings(Duration.ofSeconds(10), OptionalInt.of(5)));
                Connection session = transaction(this.database);
                Statement lock = session.createStatement()) {
            int before = any.stats().worker();
            long last = any.next(1);
            lock.executeUpdate("UPDATE shardedid_worker SET owner = owner WHERE worker_id >= 0");
            Instant limit = Instant.now().plusSeconds(60);
            while (any.stats().worker() == before || !leased(any)) {
                assertThat(Instant.now()).isBefore(limit);
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertThat(any.next(1)).isGreaterThan(last);
            assertThat(this.losses).singleElement().asString().contains("not written", "locked");

            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> pinned.next(1))
                .withMessageContainingAll("worker id 5", "shardedid.worker.id=5", "locked");
            session.rollback();
            while (pinned.stats().leaseRemaining().isZero()) {
                assertThat(Instant.now()).isBefore(limit);
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertThat(pinned.next(1)).isPositive();
            assertThat(pinned.stats().worker()).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @EachServer(except = TestServer.H2)
    void makesADroppedTableAgainOrSaysThatItIsMissing(TestServer server) throws Exception {
        DroppedTableTest.isMadeAgain(server.freshDatabase(), SchemaInitialization.ALWAYS);
        DroppedTableTest.isMissed(server.freshDatabase(), server.name().toLowerCase(Locale.ROOT));
    }

    private static boolean leased(ShardedIdEngine ids) {
        return ids.stats().worker() >= 0;
    }

    private static long idWhenBack(ShardedIdEngine ids) {
        try {
            return ids.next(1);
        }
        catch (WorkerLeaseException ex) {
            return ids.next(1);
        }
    }

    private static Connection transaction(TestDatabase database) throws SQLException {
        Connection connection = database.connect();
        connection.setAutoCommit(false);
        return connection;
    }

    private static void insert(Connection connection, long id) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO photo VALUES (?)")) {
            insert.setLong(1, id);
            insert.executeUpdate();
        }
    }

    private static LeaseSettings settings(Duration startupTimeout) {
        return settings(startupTimeout, OptionalInt.empty());
    }

    private static LeaseSettings settings(Duration startupTimeout, OptionalInt worker) {
        LeaseSettings.Builder settings = LeaseSettings.builder()
            .window(Duration.ofMillis(1500))
            .startupTimeout(startupTimeout);
        worker.ifPresent(settings::workerId);
        return settings.build();
    }

}
