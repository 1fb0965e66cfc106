package io.shardedid.internal.lease;

import java.sql.SQLTransientException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.shardedid.EngineProbe;
import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.IdRangeExhaustedException;
import io.shardedid.IdsAheadOfClockException;
import io.shardedid.LeaseSettings;
import io.shardedid.LoggedLines;
import io.shardedid.OwnRegistry;
import io.shardedid.SeparateProcess;
import io.shardedid.SettableTime;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.ShardedIdsBuilder;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerIdRange;
import io.shardedid.WorkerLease;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerLeases;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/** What a start refuses at once, because waiting would not help. */
class LeasedWorkerTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static final LeaseSettings SETTINGS = LeaseSettings.builder().build();

    private final SettableTime time = SettableTime.at(NOW);

    private final FaultyStore store = new FaultyStore(this.time);

    private static IdLayout endingAt(Instant end) {
        return IdLayout.builder().timeBits(30).epoch(end.minusMillis(1L << 30)).build();
    }

    private ShardedIdEngine open(LeaseSettings settings, IdLayout layout, WorkerLeaseListener... listeners) {
        return SeparateProcess.open(ShardedIds.builder()
            .layout(layout)
            .timeSource(this.time)
            .workers(new LeasedWorker(settings, this.store, List.of(listeners))));
    }

    /** Nobody waits for the store, and the next renewal reads what was looked at. */
    @Test
    void workersAreThoseOfTheRowsThatWereReadLast() {
        this.time.onPark(() -> LockSupport.parkNanos(1_000_000));
        LeaseSettings mine = LeaseSettings.builder().owner("me").build();
        try (ShardedIdEngine ids = open(mine, IdLayout.standard())) {
            assertThat(ids.workers()).singleElement().matches(WorkerHolding::mine);
            this.store.threads.clear();
            ids.workers();
            assertThat(this.store.threads).as("who asks the store").doesNotContain(Thread.currentThread());
            this.store.execute(new LeaseStatement.Insert(
                    new LeaseRow(7, "token", 3, this.time.epochNanos() / 1_000_000 + 60_000, 0, "another", null),
                    null));
            ids.leaseSource().renewSoon();
            while (ids.workers().size() < 2) {
                LockSupport.parkNanos(1_000_000);
            }

            assertThat(ids.workers()).extracting(WorkerHolding::worker, WorkerHolding::owner, WorkerHolding::mine)
                .containsExactly(tuple(0, "me", true), tuple(7, "another", false));
        }
    }

    @Test
    void rangeThatHasPassedIsRefusedBeforeTheStoreIsOpened() {
        IdLayout passed = endingAt(NOW.minus(Duration.ofHours(1)));
        assertThatExceptionOfType(IdRangeExhaustedException.class).isThrownBy(() -> open(SETTINGS, passed))
            .withMessageContainingAll("epoch=" + passed.epoch(), "instant=2025-12-31T22:59:59.999Z", "layout");
        assertThat(this.store.ensured).isFalse();
        assertThat(this.store.executed()).isZero();
    }

    @Test
    void rangeThatHasPassedOnTheDatabaseIsRefusedWithoutWaitingForALease() {
        this.time.onPark(() -> LockSupport.parkNanos(1_000_000));
        assertThatExceptionOfType(IdRangeExhaustedException.class).isThrownBy(() -> open(SETTINGS, endingAt(NOW)));
        assertThat(this.store.closed).isTrue();
    }

    @Test
    void lastWindowOfALayoutIsRenewedAndUsedToItsEnd() throws Exception {
        Semaphore renewals = new Semaphore(0);
        Semaphore failures = new Semaphore(0);
        IdLayout layout = endingAt(NOW.plusSeconds(20));
        try (ShardedIdEngine ids = open(SETTINGS, layout, new WorkerLeaseListener() {
            @Override
            public void renewed(WorkerLease lease) {
                renewals.release();
            }

            @Override
            public void renewalFailed(Exception cause) {
                failures.release();
            }
        })) {
            this.time.onPark(() -> LockSupport.parkNanos(1_000_000));
            assertThat(renewals.tryAcquire(3, 20, TimeUnit.SECONDS)).as("renewed").isTrue();
            assertThat(failures.availablePermits()).as("renewals that failed").isZero();
            assertThatExceptionOfType(IdRangeExhaustedException.class).isThrownBy(() -> ids.next(5));
        }
    }

    @Test
    void callersAreRefusedAtOnceWhenNoLeaseCanEverBeHad() {
        this.time.onPark(() -> LockSupport.parkNanos(1_000_000));
        LeaseSettings firstUse = LeaseSettings.builder().firstUse(true).owner("me").build();
        EngineTerms terms = new EngineTerms(endingAt(NOW), 2000, "modulo", Duration.ofSeconds(1), Duration.ofSeconds(5),
                null, this.time);
        LeasedWorker keeper = new LeasedWorker(firstUse, this.store, List.of());
        keeper.connect(terms).start().accept(new EngineProbe(terms, WorkerLeases.fixed(0)).holder());
        try {
            assertThatExceptionOfType(IdRangeExhaustedException.class).isThrownBy(() -> {
                while (!Thread.interrupted()) {
                    keeper.renewSoon();
                    LockSupport.parkNanos(1_000_000);
                }
            });
        }
        finally {
            keeper.close();
        }
    }

    /** An application that is reopened again and again in one JVM, as by devtools. */
    @Test
    void momentOfAClockThatWasAheadTakesOneWorkerIdAndNotAll() {
        Duration ahead = Duration.ofMinutes(55);
        // the keeper must not use up this time by its pauses
        this.time.onPark(() -> LockSupport.parkNanos(5_000_000));
        reopened((ids) -> assertThat(ids.next(1)).isPositive());
        this.store.stepClock(ahead);
        reopened((ids) -> assertThat(ids.next(1)).isPositive());
        this.store.stepClock(Duration.ZERO);
        try (LoggedLines log = new LoggedLines("io.shardedid.Engine")) {
            for (int i = 0; i < 31; i++) {
                reopened(
                        (ids) -> assertThatExceptionOfType(IdsAheadOfClockException.class).isThrownBy(() -> ids.next(1))
                            .withMessageContaining("; restart the process"));
            }
            assertThat(log.lines()).hasSize(31).allMatch((line) -> line.contains("No id is made before 2026-01-01T0"));
        }

        long now = IdLayout.standard().tickAt(this.time.instant());
        assertThat(IntStream.range(0, 127).mapToObj(this.store::row).filter(Objects::nonNull).toList())
            .filteredOn((row) -> row.hwmTick() > now)
            .hasSize(1);
        try (ShardedIdEngine ids = open(SETTINGS, IdLayout.standard())) {
            assertThat(IdLayout.standard().instantOf(ids.next(1))).isBefore(NOW.plus(ahead));
        }
    }

    private void reopened(Consumer<ShardedIdEngine> use) {
        try (ShardedIdEngine ids = ShardedIds.builder()
            .timeSource(this.time)
            .maxWait(Duration.ofMillis(20))
            .workers(new LeasedWorker(SETTINGS, this.store, List.of()))
            .open()) {
            use.accept(ids);
        }
    }

    /** The layout row says what all processes of the table have in common. */
    @ParameterizedTest
    @ValueSource(strings = { "shardedid.worker.lease.tolerate-lost-commits", "shardedid.worker.lease.worker-ids" })
    void whoHasOtherSettingsDoesNotJoin(String key) {
        this.time.onPark(() -> LockSupport.parkNanos(1_000_000));
        LeaseSettings other = key.endsWith("commits") ? LeaseSettings.builder().tolerateLostCommits(true).build()
                : LeaseSettings.builder().workerIds(new WorkerIdRange(0, 15)).build();
        reopened((ids) -> {
            ShardedIdsBuilder second = ShardedIds.builder()
                .timeSource(this.time)
                .maxWait(Duration.ofMillis(20))
                .workers(new LeasedWorker(other, this.store, List.of()));
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(second::open)
                .withMessageContaining("Inspector change")
                .satisfies((refused) -> assertThat(refused.problem().keys()).containsExactly(key));
            assertThat(ids.next(1)).isPositive();
        });
    }

    /**
     * The row shows a renewal whose answer is under way, so not the one that was waited
     * for: that the store is another one is not known before the next one.
     */
    @Test
    void whoJoinsWhileARenewalIsUnderWaySeesThatTheStoreIsTheSame() throws Exception {
        this.time.onPark(() -> LockSupport.parkNanos(1_000_000));
        AtomicBoolean underWay = new AtomicBoolean();
        CountDownLatch written = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        this.store.after = (statement) -> {
            if (underWay.get() && statement instanceof LeaseStatement.Update) {
                written.countDown();
                await(answered);
            }
        };
        try (ShardedIdEngine first = ShardedIds.builder()
            .timeSource(this.time)
            .workers(new LeasedWorker(SETTINGS, this.store, List.of()))
            .open()) {
            Thread joining = Thread.currentThread();
            Thread answering = new Thread(() -> {
                await(written);
                while (joining.getState() != Thread.State.TIMED_WAITING) {
                    Thread.onSpinWait();
                }
                answered.countDown();
            });
            answering.start();
            ForwardingStore ofTheSecond = new ForwardingStore(this.store) {
                @Override
                public LeaseReply execute(LeaseStatement statement) {
                    if (statement instanceof LeaseStatement.ReadOne read && read.worker() != LeaseRow.LAYOUT
                            && underWay.compareAndSet(false, true)) {
                        first.leaseSource().renewSoon();
                        await(written);
                    }
                    return super.execute(statement);
                }
            };
            try (ShardedIdEngine second = ShardedIds.builder()
                .timeSource(this.time)
                .workers(new LeasedWorker(SETTINGS, ofTheSecond, List.of()))
                .open()) {
                assertThat(underWay).isTrue();
                assertThat(second.leaseSource()).isSameAs(first.leaseSource());
            }
            answering.join();
        }
        assertThat(this.store.row(1)).as("a second lease").isNull();
    }

    /**
     * A copy of the database that was made while the reply was under way has that write,
     * too.
     */
    @Test
    void writeThatWasSentBeforeASourceJoinsDoesNotShowThatTheStoreIsTheSame() throws Exception {
        this.time.onPark(() -> LockSupport.parkNanos(1_000_000));
        AtomicBoolean holdUp = new AtomicBoolean();
        CountDownLatch written = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        this.store.after = (statement) -> {
            if (statement instanceof LeaseStatement.Update && holdUp.compareAndSet(true, false)) {
                written.countDown();
                await(answered);
            }
        };
        try (ShardedIdEngine ids = open(SETTINGS, IdLayout.standard())) {
            holdUp.set(true);
            await(written);
            FaultyStore copy = new FaultyStore(this.time);
            copy.execute(new LeaseStatement.Insert(Objects.requireNonNull(this.store.row(0)), null));
            Thread joining = Thread.currentThread();
            Thread answering = new Thread(() -> {
                while (joining.getState() != Thread.State.TIMED_WAITING) {
                    Thread.onSpinWait();
                }
                answered.countDown();
            });
            answering.start();

            assertThat(ids.leaseSource().sharesLeasesWith(new LeasedWorker(SETTINGS, copy, List.of()))).isFalse();

            answering.join();
        }
        finally {
            answered.countDown();
        }
    }

    @Test
    void listenersOfTheLastUserHearThatTheLeaseWasGivenBack() {
        this.time.onPark(() -> LockSupport.parkNanos(1_000_000));
        List<String> heard = new CopyOnWriteArrayList<>();
        OwnRegistry registry = new OwnRegistry();
        ShardedIdEngine first = registry.builder()
            .timeSource(this.time)
            .workers(new LeasedWorker(SETTINGS, this.store, List.of(told("first", heard))))
            .open();
        ShardedIdEngine last = registry.builder()
            .timeSource(this.time)
            .workers(new LeasedWorker(SETTINGS, new ForwardingStore(this.store), List.of(told("last", heard))))
            .open();

        first.close();
        assertThat(heard).isEmpty();
        last.close();

        assertThat(heard).containsExactly("last 0");
    }

    private static WorkerLeaseListener told(String name, List<String> heard) {
        return new WorkerLeaseListener() {

            @Override
            public void released(int worker) {
                heard.add(name + " " + worker);
            }

        };
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(200, TimeUnit.SECONDS)).isTrue();
        }
        catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    @Test
    void startThatGetsNoAnswerAsksForTheStore() {
        SQLTransientException noAnswer = new SQLTransientException("no answer");
        this.store.fault(noAnswer);
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> open(SETTINGS, IdLayout.standard()))
            .withMessageContainingAll("shardedid.worker.lease.startup-timeout=90s", "default")
            .withCause(noAnswer);
    }

    @Test
    void storeThatTakesTheLayoutRowAndShowsNoneIsRefusedForGood() {
        ForwardingStore silent = new ForwardingStore(this.store) {
            @Override
            public LeaseReply execute(LeaseStatement statement) {
                return (statement instanceof LeaseStatement.Insert) ? new LeaseReply.Written(1)
                        : super.execute(statement);
            }
        };
        assertThatExceptionOfType(WorkerLeaseException.class)
            .isThrownBy(() -> SeparateProcess.open(
                    ShardedIds.builder().timeSource(this.time).workers(new LeasedWorker(SETTINGS, silent, List.of()))))
            .withMessageContaining("layout row")
            .matches((refused) -> !refused.retryable());
        assertThat(this.time.instant()).isBefore(NOW.plusSeconds(10));
    }

    @Test
    void interruptedStartSaysSo() {
        this.store.fault(new SQLTransientException("no answer"));
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> open(SETTINGS, IdLayout.standard()))
            .withMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
    }

    /** On a busy machine they take longer than the start may wait. */
    @Test
    void startWhoseChecksTookAllOfItsTimeAsksNevertheless() {
        this.store.ensuring = () -> this.time.advance(Duration.ofSeconds(91));
        try (ShardedIdEngine ids = open(SETTINGS, IdLayout.standard())) {
            assertThat(ids.next(1)).isPositive();
        }
    }

    @Test
    void startThatGetsNoAnswerAfterSlowChecksAsksThreeTimes() {
        this.store.ensuring = () -> this.time.advance(Duration.ofMillis(91_500));
        this.store.fault(new SQLTransientException("no answer"));
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> open(SETTINGS, IdLayout.standard()))
            .withMessageContaining("shardedid.worker.lease.startup-timeout=90s");
        assertThat(this.store.executed()).isEqualTo(3);
    }

    @Test
    void storeThatMayLoseWritesIsRefusedInThePlainMode() {
        this.store.durability = Durability.MAY_BE_LOST;
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> open(SETTINGS, IdLayout.standard()))
            .withMessageContainingAll("store=FaultyStore", "shardedid.worker.lease.tolerate-lost-commits=false",
                    "shardedid.worker.lease.tolerate-lost-commits=true");
        assertThat(this.store.executed()).isZero();
        assertThat(this.store.closed).isTrue();
    }

    @Test
    void storeWithoutGuardsIsRefusedInTheTolerantMode() {
        this.store.durability = Durability.KEPT;
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> open(LeaseSettings.builder().tolerateLostCommits(true).build(), IdLayout.standard()))
            .withMessageContainingAll("store=FaultyStore", "shardedid.worker.lease.tolerate-lost-commits=true");
        assertThat(this.store.executed()).isZero();
    }

}
