package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.shardedid.SchemaInitialization;
import io.shardedid.SettableTime;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Drivers that hang, fail and answer late. */
class BoundedCallsTest {

    private static final Duration SHORT = Duration.ofMillis(50);

    @Test
    void givesUpAfterTheLimitAndHandsALateAnswerOver() throws Exception {
        try (BoundedCalls bounded = new BoundedCalls()) {
            CountDownLatch gate = new CountDownLatch(1);
            LinkedBlockingQueue<String> late = new LinkedBlockingQueue<>();
            assertThatExceptionOfType(SQLTimeoutException.class)
                .isThrownBy(() -> bounded.race("connect", SHORT, SHORT, () -> {
                    gate.await();
                    return "answer";
                }, late::add))
                .withMessageContaining("within 50ms");
            gate.countDown();
            assertThat(late.poll(10, TimeUnit.SECONDS)).isEqualTo("answer");
        }
    }

    @Test
    void callsAgainWhatIsOverdueAndTakesTheFirstAnswer() throws Exception {
        try (BoundedCalls bounded = new BoundedCalls()) {
            CountDownLatch gate = new CountDownLatch(1);
            AtomicInteger calls = new AtomicInteger();
            LinkedBlockingQueue<Integer> late = new LinkedBlockingQueue<>();
            assertThat(bounded.race("connect", Duration.ofSeconds(20), SHORT, () -> {
                int call = calls.incrementAndGet();
                if (call != 2) {
                    gate.await();
                }
                return call;
            }, late::add)).isEqualTo(2);
            gate.countDown();
            // of more than two where this thread was slow
            while (late.take() != 1) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void callsOnceWhileTheAnswerIsNotOverdue() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        try (BoundedCalls bounded = new BoundedCalls()) {
            bounded.call("connect", Duration.ofSeconds(30), calls::incrementAndGet);
            assertThat(calls).hasValue(1);
        }
    }

    /** A call may end before the one that began it goes on. */
    @Test
    void callsThatEndAtOnceHangNoMore() throws Exception {
        try (BoundedCalls bounded = new BoundedCalls()) {
            for (int i = 0; i < 10_000; i++) {
                int number = i;
                assertThat(bounded.call("connect", Duration.ofSeconds(30), () -> number)).isEqualTo(i);
            }
        }
    }

    @Test
    void givesUpAfterTheLimitHoweverOftenItCalled() {
        CountDownLatch gate = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        try (BoundedCalls bounded = new BoundedCalls()) {
            assertThatExceptionOfType(SQLTimeoutException.class)
                .isThrownBy(() -> bounded.race("connect", Duration.ofMillis(170), SHORT, () -> {
                    calls.incrementAndGet();
                    gate.await();
                    return 1;
                }, (late) -> {
                }))
                .withMessageContaining("within 170ms");
            while (calls.get() < 2) {
                Thread.onSpinWait();
            }
            assertThat(calls).hasValueLessThanOrEqualTo(4);
            gate.countDown();
        }
    }

    @Test
    void refusesMoreWhenTooManyHangAtOnce() {
        SettableTime time = SettableTime.at(Instant.now());
        try (BoundedCalls bounded = new BoundedCalls(time)) {
            CountDownLatch gate = new CountDownLatch(1);
            hang(bounded, BoundedCalls.HANGING, gate);
            assertRefused(bounded, BoundedCalls.HANGING);
            assertThat(bounded.aside(() -> {
            })).isFalse();
            gate.countDown();
        }
    }

    @Test
    void callThatEndsByAnErrorHangsNoMore() throws Exception {
        try (BoundedCalls bounded = new BoundedCalls(SettableTime.at(Instant.now()))) {
            for (int i = 0; i < BoundedCalls.HANGING; i++) {
                LinkedBlockingQueue<Thread> failing = new LinkedBlockingQueue<>();
                assertThat(bounded.aside(() -> {
                    Thread.currentThread().setUncaughtExceptionHandler((thread, expected) -> {
                    });
                    failing.add(Thread.currentThread());
                    throw new LinkageError("driver");
                })).isTrue();
                failing.take().join();
            }
            assertThat(bounded.call("connect", Duration.ofSeconds(30), () -> 1)).isOne();
        }
    }

    @Test
    void beginsOthersBesideWhatHangs() throws Exception {
        SettableTime time = SettableTime.at(Instant.now());
        try (BoundedCalls bounded = new BoundedCalls(time)) {
            CountDownLatch gate = new CountDownLatch(1);
            hang(bounded, BoundedCalls.HANGING - 3, gate);
            assertThat(bounded.call("connect", Duration.ofSeconds(30), () -> 1)).isOne();
            hang(bounded, 2, gate);
            for (int beyond = 0; beyond < 2; beyond++) {
                // the latest is not much younger than the oldest
                time.advance(Duration.ofSeconds(5));
                hang(bounded, 1, gate);
                assertRefused(bounded, BoundedCalls.HANGING + beyond);
            }
            gate.countDown();
        }
    }

    /** So many minutes later the network works again, and there is a thread to notice. */
    @Test
    void hungCallsAreBoundedAndTheLaneStillTriesInATenthOfTheOutage() {
        SettableTime time = SettableTime.at(Instant.now());
        try (BoundedCalls bounded = new BoundedCalls(time)) {
            CountDownLatch gate = new CountDownLatch(1);
            long began = time.nanoTime();
            Duration longest = Duration.ZERO;
            int hung = 0;
            long last = began;
            while (time.nanoTime() - began < Duration.ofDays(3).toNanos()) {
                if (bounded.aside(() -> awaitUninterrupted(gate))) {
                    hung++;
                    long outage = time.nanoTime() - began;
                    Duration gap = Duration.ofNanos(time.nanoTime() - last);
                    longest = (gap.compareTo(longest) > 0) ? gap : longest;
                    assertThat(gap.toNanos()).isLessThan(outage / 5 + Duration.ofSeconds(10).toNanos());
                    last = time.nanoTime();
                }
                time.advance(Duration.ofSeconds(5));
            }
            assertThat(hung).isBetween(BoundedCalls.HANGING, BoundedCalls.MOST_HANGING);
            assertThat(longest).isGreaterThan(Duration.ofHours(1));
            gate.countDown();
        }
    }

    private static void hang(BoundedCalls bounded, int calls, CountDownLatch gate) {
        for (int i = 0; i < calls; i++) {
            assertThat(bounded.aside(() -> awaitUninterrupted(gate))).isTrue();
        }
    }

    private static void awaitUninterrupted(CountDownLatch gate) {
        try {
            gate.await();
        }
        catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** A call that was answered counts until its thread has let go of it. */
    private static void assertRefused(BoundedCalls bounded, int hanging) {
        String said;
        do {
            said = catchThrowableOfType(SQLTransientException.class, () -> bounded.call("connect", SHORT, () -> 1))
                .getMessage();
        }
        while (!said.contains(" " + hanging + " ") && !Thread.currentThread().isInterrupted());
        assertThat(said).contains(" " + hanging + " earlier calls");
    }

    @Test
    void answersAnInterruptedCallerWhoStaysInterrupted() throws Exception {
        TestDatabase database = TestServer.H2.freshDatabase();
        try (LeaseStore table = LeaseTableContract.table(TestConnections.to(database), "default")) {
            table.ensure();
            Thread.currentThread().interrupt();
            assertThat(table.execute(new LeaseStatement.ReadAll())).isInstanceOf(LeaseReply.Rows.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void closesAConnectionThatComesLateAndUsesTheNext() throws Exception {
        TestDatabase database = TestServer.H2.freshDatabase();
        CountDownLatch gate = new CountDownLatch(1);
        BlockingQueue<Connection> opened = new LinkedBlockingQueue<>();
        TestConnections connections = TestConnections.to(database).with((connection) -> {
            opened.add(connection);
            try {
                gate.await();
            }
            catch (InterruptedException ex) {
                throw new SQLException(ex);
            }
        });
        try (LeaseStore table = new SqlLeaseTable(connections, LeaseTableName.DEFAULT, "default",
                SchemaInitialization.EMBEDDED, new LeaseTimeouts(SHORT, SHORT))) {
            assertThat(table.execute(new LeaseStatement.ReadAll())).isInstanceOf(LeaseReply.Unknown.class);
            gate.countDown();
            Connection late = opened.take();
            for (int i = 0; i < 1000 && !late.isClosed(); i++) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            assertThat(late.isClosed()).isTrue();
        }
        try (LeaseStore table = LeaseTableContract.table(connections, "default")) {
            table.ensure();
            LeaseStoreCheck.read(table);
        }
    }

    @Test
    void replacesAConnectionWhoseDriverFails() throws Exception {
        TestDatabase database = TestServer.H2.freshDatabase();
        boolean[] broken = { false };
        TestConnections connections = TestConnections.to(database).rewriting((sql) -> {
            if (broken[0]) {
                broken[0] = false;
                throw new IllegalStateException("driver");
            }
            return sql;
        });
        try (LeaseStore table = LeaseTableContract.table(connections, "default")) {
            table.ensure();
            broken[0] = true;
            // no start has prepared it
            LeaseReply reply = table.execute(
                    new LeaseStatement.Update(1, "a", 0, "b", 0, 0, 0, null, null, new LeaseStatement.Guard(0, false)));
            assertThat(reply).isInstanceOfSatisfying(LeaseReply.Unknown.class,
                    (unknown) -> assertThat(unknown.cause()).hasMessage("driver"));
            assertThat(table.execute(new LeaseStatement.ReadOne(1))).isInstanceOf(LeaseReply.Rows.class);
            assertThat(connections.opened).hasValue(2);
        }
    }

    @Test
    void wrapsWhatAPoolThrowsAtTheStart() {
        TestConnections connections = TestConnections.to(TestServer.H2.freshDatabase()).with((connection) -> {
            throw new IllegalStateException("pool");
        });
        try (LeaseStore table = LeaseTableContract.table(connections, "default")) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)
                .withMessageContainingAll("table=shardedid_worker", "connection=test", "shardedid.worker.lease.url");
        }
    }

    @Test
    void answersNothingWhenClosed() {
        LeaseStore table = LeaseTableContract.table(TestConnections.to(TestServer.H2.freshDatabase()), "default");
        table.close();
        table.close();
        assertThat(table.execute(new LeaseStatement.ReadAll())).isInstanceOfSatisfying(LeaseReply.Unknown.class,
                (unknown) -> assertThat(unknown.cause()).hasMessageContaining("closed"));
    }

}
