package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import io.shardedid.EngineProbe;
import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SettableTime;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerLease;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerLeases;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What the keeper's thread survives, and who starts another one. On clocks that pass at
 * once.
 */
class LeaseKeeperTest {

    private static final long LONG = 200;

    private static final Duration NEVER = Duration.ofHours(1);

    private final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    private final FaultyStore store = new FaultyStore(this.time);

    private final EngineTerms terms = new EngineTerms(IdLayout.standard(), 2000, "modulo", Duration.ofSeconds(1),
            Duration.ofSeconds(5), null, this.time);

    private final Semaphore renewals = new Semaphore(0);

    private final Semaphore failures = new Semaphore(0);

    /** The threads that really run the keeper. */
    private final AtomicInteger runs = new AtomicInteger();

    private @Nullable LeaseKeeper keeper;

    LeaseKeeperTest() {
        // the clocks race ahead, the thread does not
        this.time.onPark(() -> LockSupport.parkNanos(1_000_000));
    }

    private class Counting implements WorkerLeaseListener {

        @Override
        public void renewed(WorkerLease lease) {
            LeaseKeeperTest.this.renewals.release();
        }

        @Override
        public void renewalFailed(Exception cause) {
            LeaseKeeperTest.this.failures.release();
        }

    }

    @AfterEach
    void closes() {
        LeaseKeeper running = this.keeper;
        if (running != null) {
            this.store.fault(null);
            running.close();
        }
    }

    private void start(LeaseKeeper started) {
        started.start(new EngineProbe(this.terms, WorkerLeases.fixed(0)).holder());
    }

    private LeaseKeeper keeper(ThreadFactory threads, WorkerLeaseListener... listeners) {
        return keeper(LeaseSettings.builder().build(), threads, listeners);
    }

    private LeaseKeeper keeper(LeaseSettings settings, ThreadFactory threads, WorkerLeaseListener... listeners) {
        this.keeper = new LeaseKeeper(this.terms, settings, this.store,
                new LeaseReport(this.terms, settings, List.of(listeners)), threads, Duration.ofSeconds(15));
        return this.keeper;
    }

    private Thread counted(Runnable task) {
        return new Thread(() -> {
            this.runs.incrementAndGet();
            task.run();
        });
    }

    /** A keeper whose first thread ended before it did anything. */
    private LeaseKeeper deadKeeper() throws InterruptedException {
        Thread first = new Thread(() -> {
        });
        AtomicInteger made = new AtomicInteger();
        LeaseKeeper dead = keeper((task) -> (made.getAndIncrement() == 0) ? first : counted(task), new Counting());
        start(dead);
        first.join();
        return dead;
    }

    private static void until(BooleanSupplier reached) {
        while (!reached.getAsBoolean()) {
            assertThat(Thread.interrupted()).as("timed out").isFalse();
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void renewsAgain() throws InterruptedException {
        this.renewals.drainPermits();
        assertThat(this.renewals.tryAcquire(2, LONG, TimeUnit.SECONDS)).as("renewed").isTrue();
    }

    enum Fault {

        EXCEPTION(new IllegalStateException("no table")), ERROR(new AssertionError("no table")),
        OUT_OF_MEMORY(new OutOfMemoryError("Java heap space"));

        final Throwable thrown;

        Fault(Throwable thrown) {
            this.thrown = thrown;
        }

    }

    @ParameterizedTest
    @EnumSource
    void goesOnAfterWhateverARoundThrows(Fault fault) throws Exception {
        LeaseKeeper running = keeper(this::counted, new Counting());
        start(running);
        running.awaitLease();

        this.store.fault(fault.thrown);
        long before = this.store.executed();
        until(() -> this.store.executed() >= before + 3);
        this.store.fault(null);

        renewsAgain();
        assertThat(this.failures.tryAcquire(LONG, TimeUnit.SECONDS)).as("told of").isTrue();
        assertThat(this.store.threads).filteredOn((thread) -> thread != Thread.currentThread())
            .as("the same thread all the time")
            .hasSize(1);
        assertThat(this.runs).hasValue(1);
    }

    @ParameterizedTest
    @EnumSource
    void goesOnWhenWhatIsDoneAfterAnErrorFailsToo(Fault fault) throws Exception {
        LeaseKeeper running = keeper(this::counted, new Counting());
        start(running);
        running.awaitLease();
        Semaphore parks = new Semaphore(0);
        this.time.onPark(() -> {
            parks.release();
            LockSupport.parkNanos(1_000_000);
            throw new AssertionError("no pause either");
        });

        this.store.fault(fault.thrown);
        assertThat(parks.tryAcquire(20, LONG, TimeUnit.SECONDS)).isTrue();
        this.store.fault(null);
        this.time.onPark(() -> LockSupport.parkNanos(1_000_000));

        renewsAgain();
        assertThat(this.runs).hasValue(1);
    }

    @ParameterizedTest
    @EnumSource
    void listenerThatThrowsHarmsNeitherTheLeaseNorOtherListeners(Fault fault) throws Exception {
        WorkerLeaseListener throwing = new WorkerLeaseListener() {

            private void fail() {
                if (fault.thrown instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) fault.thrown;
            }

            @Override
            public void leased(WorkerLease lease) {
                fail();
            }

            @Override
            public void renewed(WorkerLease lease) {
                fail();
            }

            @Override
            public void renewalFailed(Exception cause) {
                fail();
            }

        };
        LeaseKeeper running = keeper(this::counted, throwing, new Counting());
        start(running);
        running.awaitLease();
        renewsAgain();
        assertThat(this.failures.availablePermits()).as("failures that were none").isZero();

        this.store.fault(new IllegalStateException("no table"));
        assertThat(this.failures.tryAcquire(3, LONG, TimeUnit.SECONDS)).isTrue();
        this.store.fault(null);

        renewsAgain();
        assertThat(this.runs).hasValue(1);
    }

    @Test
    void callersThatWaitStartADeadKeeperAgainExactlyOnce() throws Exception {
        Thread first = new Thread(() -> {
        });
        CountDownLatch noticed = new CountDownLatch(8);
        AtomicInteger made = new AtomicInteger();
        LeaseKeeper dead = keeper((task) -> {
            if (made.getAndIncrement() == 0) {
                return first;
            }
            // nobody starts a thread before all have seen that there is none
            noticed.countDown();
            until(() -> noticed.getCount() == 0);
            return counted(task);
        }, new Counting());
        start(dead);
        first.join();

        List<Thread> callers = IntStream.range(0, 8).mapToObj((i) -> new Thread(dead::wake)).toList();
        callers.forEach(Thread::start);
        for (Thread caller : callers) {
            caller.join();
        }

        dead.awaitLease();
        renewsAgain();
        assertThat(this.runs).hasValue(1);
    }

    @Test
    void aStartThatWaitsForItsLeaseStartsADeadKeeperAgain() throws Exception {
        deadKeeper().awaitLease();
        assertThat(this.runs).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void closeStartsADeadKeeperAgainToEndInOrder(boolean suspendedBefore) throws Exception {
        LeaseKeeper dead = deadKeeper();
        if (suspendedBefore) {
            dead.suspend();
            assertThat(this.runs).hasValue(1);
        }

        dead.close();

        assertThat(this.runs).hasValue(1);
        assertThat(this.store.closed).isTrue();
    }

    @Test
    void keeperThatEndedInOrderIsNotStartedAgain() throws Exception {
        LeaseKeeper running = keeper(this::counted, new Counting());
        start(running);
        running.awaitLease();
        assertThat(Objects.requireNonNull(this.store.row(0)).leaseUntilMillis()).isPositive();

        running.close();
        running.wake();

        assertThat(Objects.requireNonNull(this.store.row(0)).leaseUntilMillis()).as("given back").isZero();
        assertThat(this.store.closed).isTrue();
        assertThat(this.runs).hasValue(1);
    }

    @Test
    void storeIsClosedAlsoIfNoThreadCouldBeMade() {
        LeaseKeeper without = keeper((task) -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        assertThatThrownBy(() -> start(without)).isInstanceOf(OutOfMemoryError.class);
        without.close();
        assertThat(this.store.closed).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void threadThatCannotBeMadeOrStartedIsTriedAgainByTheNextCaller(boolean asItStarts) throws Exception {
        AtomicInteger made = new AtomicInteger();
        Thread first = new Thread(() -> {
        });
        LeaseKeeper dead = keeper((task) -> {
            int before = made.getAndIncrement();
            if (before == 1 && !asItStarts) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return (before == 0) ? first : (before == 1) ? new Unstartable() : counted(task);
        }, new Counting());
        start(dead);
        first.join();

        until(() -> {
            dead.wake();
            return this.runs.get() > 0;
        });

        dead.awaitLease();
        assertThat(made.get()).isGreaterThanOrEqualTo(3);
        assertThat(this.runs).hasValue(1);
    }

    private static final class Unstartable extends Thread {

        @Override
        public void start() {
            throw new OutOfMemoryError("unable to create native thread");
        }

    }

    @Test
    @Timeout(LONG)
    void whoWaitsForTheLayoutRowIsToldAtOnceThatTheStoreRefusesIt() {
        LeaseSettings settings = LeaseSettings.builder().firstUse(true).build();
        LeaseKeeper running = keeper(settings, this::counted);
        this.store.ensuring = LeaseKeeperTest::refuse;
        start(running);

        assertThatThrownBy(() -> running.layoutRow(NEVER)).hasStackTraceContaining("no such table");
    }

    /** Where commits may be lost, the first lease is empty, and may be refused then. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    @Timeout(LONG)
    void startIsToldAtOnceThatTheApplicationReadsAnotherLease(boolean tolerant) {
        LeaseSettings settings = LeaseSettings.builder().tolerateLostCommits(tolerant).startupTimeout(NEVER).build();
        LeaseKeeper running = keeper(settings, this::counted);
        this.store.looking = LeaseKeeperTest::refuse;
        start(running);

        assertThatThrownBy(running::awaitStart).isInstanceOf(ShardedIdConfigurationException.class);
    }

    @Test
    @Timeout(LONG)
    void lookThatAnErrorEndsIsMadeAgain() {
        LeaseKeeper running = keeper(this::counted);
        AtomicInteger looks = new AtomicInteger();
        this.store.looking = () -> {
            if (looks.getAndIncrement() == 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            refuse();
        };
        start(running);

        assertThatThrownBy(running::awaitStart).isInstanceOf(ShardedIdConfigurationException.class);
    }

    @Test
    @Timeout(LONG)
    void callersDoNotMakeTheThreadAskAgainForWhatTheStoreRefuses() {
        AtomicInteger asked = new AtomicInteger();
        this.store.ensuring = () -> {
            asked.incrementAndGet();
            refuse();
        };
        long pause = Duration.ofMillis(200).toNanos();
        this.time.onPark(() -> LockSupport.parkNanos(pause));
        LeaseKeeper running = keeper(LeaseSettings.builder().firstUse(true).build(), this::counted);
        start(running);
        running.wake();
        until(() -> running.report().hopeless());

        int before = asked.get();
        long began = System.nanoTime();
        for (int i = 0; i < 500; i++) {
            running.wake();
            LockSupport.parkNanos(1_000_000);
        }

        assertThat(asked.get() - before).isLessThanOrEqualTo((int) ((System.nanoTime() - began) / pause) + 2);
    }

    /** On these clocks, no time passes for a thread that is interrupted. */
    @Test
    @Timeout(LONG)
    void threadThatIsInterruptedWaitsAsBefore() throws Exception {
        LeaseKeeper running = keeper(this::counted, new Counting());
        start(running);
        running.awaitLease();
        this.store.threads.forEach(Thread::interrupt);

        renewsAgain();
    }

    private static void refuse() {
        throw new ShardedIdConfigurationException("no such table", "make it");
    }

    /** A task that is always due, and throws if there is something to throw. */
    private class Busy implements LeaseThreadTask {

        final Semaphore runs = new Semaphore(0);

        final AtomicInteger ends = new AtomicInteger();

        volatile @Nullable Throwable thrown;

        volatile boolean done;

        volatile @Nullable Boolean endedBeforeTheTable;

        @Override
        public long dueNanos() {
            return LeaseKeeperTest.this.time.nanoTime();
        }

        @Override
        public boolean run() {
            this.runs.release();
            fail();
            return !this.done;
        }

        @Override
        public void end() {
            this.ends.incrementAndGet();
            this.endedBeforeTheTable = !LeaseKeeperTest.this.store.closed;
            fail();
        }

        private void fail() {
            if (this.thrown instanceof Error error) {
                throw error;
            }
            if (this.thrown != null) {
                throw (RuntimeException) this.thrown;
            }
        }

    }

    @ParameterizedTest
    @EnumSource
    void anTaskThatThrowsHarmsNeitherTheLeaseNorTheEnd(Fault fault) throws Exception {
        LeaseKeeper running = keeper(this::counted, new Counting());
        start(running);
        running.awaitLease();
        Busy throwing = new Busy();
        throwing.thrown = fault.thrown;
        Busy other = new Busy();
        running.add(throwing);
        running.add(other);

        assertThat(throwing.runs.tryAcquire(3, LONG, TimeUnit.SECONDS)).as("run again").isTrue();
        assertThat(other.runs.tryAcquire(3, LONG, TimeUnit.SECONDS)).isTrue();
        renewsAgain();
        running.close();

        assertThat(this.runs).hasValue(1);
        assertThat(throwing.ends).hasValue(1);
        assertThat(other.ends).hasValue(1);
        assertThat(other.endedBeforeTheTable).isTrue();
        assertThat(this.store.closed).isTrue();
        assertThat(running.add(new Busy())).isFalse();
    }

    /** Those who wait for an id, and engines that join, ask for a renewal. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void whoAsksForARenewalBringsItForwardAndNeverPutsItOff(boolean joining) throws Exception {
        Semaphore ours = new Semaphore(0);
        LeaseKeeper running = keeper(this::counted, new Counting() {
            @Override
            public void renewed(WorkerLease lease) {
                ours.release();
            }
        });
        start(running);
        running.awaitLease();
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> callers = IntStream.range(0, 8).mapToObj((i) -> new Thread(() -> {
            while (!over.get()) {
                if (joining) {
                    running.renewNow();
                }
                running.wake();
                running.unpark();
                LockSupport.parkNanos(100_000);
            }
        })).toList();
        callers.forEach(Thread::start);
        try {
            long began = this.time.nanoTime();
            assertThat(ours.tryAcquire(20, LONG, TimeUnit.SECONDS)).isTrue();
            assertThat(Duration.ofNanos(this.time.nanoTime() - began)).as("twenty renewals")
                .isLessThan(Duration.ofSeconds(60));
        }
        finally {
            over.set(true);
        }
    }

    @Test
    void othersWaitWhileTheStoreDoesNotAnswerTheLease() throws Exception {
        LeaseKeeper running = keeper(this::counted, new Counting());
        start(running);
        running.awaitLease();
        this.store.swallowWrites();
        assertThat(this.failures.tryAcquire(LONG, TimeUnit.SECONDS)).isTrue();
        Busy task = new Busy();
        running.add(task);

        assertThat(this.failures.tryAcquire(5, LONG, TimeUnit.SECONDS)).as("tries again").isTrue();
        assertThat(task.runs.availablePermits()).isZero();
        this.store.answerWrites();

        assertThat(task.runs.tryAcquire(LONG, TimeUnit.SECONDS)).isTrue();
    }

    /** What is left of the time until a renewal is due is not for a task either. */
    @Test
    void nothingComesBeforeARenewalThatIsDue() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        this.store.before = (statement) -> order.add("lease");
        LeaseKeeper running = keeper(this::counted, new Counting());
        start(running);
        running.awaitLease();
        AtomicBoolean late = new AtomicBoolean();
        Busy task = new Busy() {
            @Override
            public boolean run() {
                order.add("task");
                if (!late.getAndSet(true)) {
                    // while this runs, the renewal comes due
                    LeaseKeeperTest.this.time.advance(Duration.ofSeconds(12));
                    order.clear();
                }
                return super.run();
            }
        };
        running.add(task);

        assertThat(task.runs.tryAcquire(2, LONG, TimeUnit.SECONDS)).isTrue();
        assertThat(List.copyOf(order).subList(0, 2)).as("read and written").containsExactly("lease", "lease");
    }

    /** As when the heap is full after the database has carried out a renewal. */
    @Test
    void errorBetweenARenewalAndItsReplyIsNoLoss() throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        LeaseKeeper running = keeper(this::counted, new Counting() {
            @Override
            public void lost(int worker, String why) {
                heard.add("lost: " + why);
            }

            @Override
            public void violated(int worker, Instant from, Instant end, String why) {
                heard.add("violated: " + why);
            }
        });
        start(running);
        running.awaitLease();
        long acquisitions = Objects.requireNonNull(this.store.row(0)).acquisitions();
        AtomicInteger errors = new AtomicInteger();
        this.store.after = (statement) -> {
            if (statement instanceof LeaseStatement.Update && errors.getAndIncrement() == 0) {
                throw new OutOfMemoryError("Java heap space");
            }
        };
        until(() -> errors.get() > 0);

        renewsAgain();
        assertThat(heard).isEmpty();
        assertThat(Objects.requireNonNull(this.store.row(0)).acquisitions()).isEqualTo(acquisitions);
        assertThat(this.failures.availablePermits()).as("told of").isPositive();
    }

    @Test
    void anTaskThatIsDoneIsForgotten() throws Exception {
        LeaseKeeper running = keeper(this::counted, new Counting());
        start(running);
        running.awaitLease();
        Busy done = new Busy();
        done.done = true;
        Busy other = new Busy();
        running.add(done);
        running.add(other);

        assertThat(other.runs.tryAcquire(3, LONG, TimeUnit.SECONDS)).isTrue();
        running.close();

        assertThat(done.runs.availablePermits()).isOne();
        assertThat(done.ends).hasValue(0);
        assertThat(other.ends).hasValue(1);
    }

    /** Else nobody could make an image of the process. */
    @Test
    void suspensionEndsWithoutAConnection() {
        LeaseKeeper running = keeper(this::counted);
        start(running);
        running.awaitLease();
        assertThat(this.store.connected).isTrue();

        assertThat(running.suspend()).isTrue();

        assertThat(this.store.connected).isFalse();
        assertThat(Objects.requireNonNull(this.store.row(0)).leaseUntilMillis()).as("given back before").isZero();
    }

    /** The keeper tries again until it has left the store. */
    @Test
    void suspensionIsNotOverBeforeTheStoreWasLeft() {
        LeaseKeeper running = keeper(this::counted);
        start(running);
        running.awaitLease();
        AtomicInteger failures = new AtomicInteger();
        this.store.disconnecting = () -> {
            if (failures.incrementAndGet() <= 100) {
                throw new IllegalStateException("no answer");
            }
        };

        assertThat(running.suspend()).isTrue();

        assertThat(this.store.connected).isFalse();
    }

    @Test
    void resumptionWakesAKeeperThatSleeps() throws Exception {
        Semaphore leased = new Semaphore(0);
        LeaseKeeper running = keeper(this::counted, new WorkerLeaseListener() {
            @Override
            public void leased(WorkerLease lease) {
                leased.release();
            }
        });
        start(running);
        running.awaitLease();
        assertThat(running.suspend()).isTrue();
        leased.drainPermits();
        this.time.onPark(LockSupport::park);
        long parks = this.time.parks();
        until(() -> this.time.parks() > parks);
        this.time.onPark(() -> LockSupport.parkNanos(1_000_000));

        running.resume();

        assertThat(leased.tryAcquire(LONG, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void tasksRestWhileTheKeeperIsSuspended() throws Exception {
        LeaseKeeper running = keeper(this::counted, new Counting());
        start(running);
        running.awaitLease();
        Busy task = new Busy();
        running.add(task);
        assertThat(task.runs.tryAcquire(LONG, TimeUnit.SECONDS)).isTrue();

        running.suspend();
        task.runs.drainPermits();
        long parks = this.time.parks();
        until(() -> this.time.parks() > parks + 3);
        assertThat(task.runs.availablePermits()).isZero();

        running.resume();
        assertThat(task.runs.tryAcquire(LONG, TimeUnit.SECONDS)).isTrue();
    }

}
