package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import java.util.concurrent.atomic.AtomicReference;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LoggedLines;
import io.shardedid.OwnRegistry;
import io.shardedid.SettableTime;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdsBuilder;
import io.shardedid.TickLease;
import io.shardedid.TimeSource;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.LeaseHolder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Tag("jdk")
class FixedWorkerTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final SettableTime time = SettableTime.at(START);

    private final OwnRegistry registry = new OwnRegistry();

    private final LoggedLines log = new LoggedLines(FixedWorker.class.getName());

    @AfterEach
    void endLog() {
        this.log.close();
    }

    private ShardedIdsBuilder builder() {
        return this.registry.builder().timeSource(this.time).workers(WorkerLeases.fixed(7));
    }

    @Test
    void idsCarryTheWorkerThatWasConfigured() {
        try (ShardedIdEngine ids = builder().open()) {
            assertThat(ids.layout().workerOf(ids.next(1))).isEqualTo(7);
            assertThat(ids.workers()).isEqualTo(List
                .of(new WorkerHolding(7, WorkerHolding.State.HELD, "fixed by configuration", Instant.MAX, 1, true)));
        }
    }

    @Test
    void saysOnceWhatIsGivenUp() {
        try (ShardedIdEngine ids = builder().open()) {
            this.time.advance(Duration.ofHours(1));
            ids.next(1);
            ids.next(1);

            assertThat(this.log.lines()).singleElement().asString().contains("WARNING", "Worker id 7", "after 2s");
        }
    }

    @Test
    void firstIdWaitsUntilNoPredecessorCanHaveRunThatFarAhead() {
        try (ShardedIdEngine ids = builder().open()) {
            long id = ids.next(1);

            assertThat(ids.layout().instantOf(id)).isBetween(START.plusMillis(2000), START.plusMillis(2010));
            assertThat(this.time.instant()).isBetween(START.plusMillis(2000), START.plusMillis(2010));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 10, 500 })
    void waitCoversAPredecessorWithALargerMaxAhead(long millis) {
        try (ShardedIdEngine ids = builder().maxAhead(Duration.ofMillis(millis)).open()) {
            long id = ids.next(1);

            assertThat(ids.layout().instantOf(id)).isBetween(START.plusMillis(2000), START.plusMillis(2010));
        }
    }

    @Test
    void refusesToRunFurtherAheadThanASuccessorWaits() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> builder().maxAhead(Duration.ofMillis(1001)).open())
            .withMessageContainingAll("shardedid.clock.max-ahead=1001ms", "fixed", "lease");
    }

    @Test
    void goesOnAfterASuspensionAsAProcessThatStarts() {
        try (ShardedIdEngine ids = builder().maxWait(Duration.ofSeconds(3)).open()) {
            long before = ids.next(1);
            ids.suspend();
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> ids.next(1))
                .withMessageContainingAll("worker=7", "resume");
            this.time.stepWall(Duration.ofHours(1));
            Instant resumed = this.time.instant();
            ids.resume();

            long id = ids.next(1);
            assertThat(id).isGreaterThan(before);
            assertThat(ids.layout().instantOf(id)).isBetween(resumed.plusMillis(2000), resumed.plusMillis(2010));
        }
    }

    @Test
    void refusesWhenMaxWaitIsShorterThanTheStart() {
        try (ShardedIdEngine ids = builder().maxWait(Duration.ofMillis(500)).open()) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> ids.next(1))
                .withMessageContainingAll("worker=7", "in=1500ms", "shardedid.clock.max-wait");

            this.time.advance(Duration.ofMillis(1500));
            assertThat(ids.next(1)).isPositive();
        }
    }

    @Test
    void leaseRenewsItselfForDays() {
        try (ShardedIdEngine ids = builder().open()) {
            long last = ids.next(1);
            for (int i = 0; i < 500; i++) {
                this.time.advance(Duration.ofMinutes(7));
                long id = ids.next(1);
                assertThat(id).isGreaterThan(last);
                assertThat(ids.layout().instantOf(id)).isEqualTo(this.time.instant().truncatedTo(ChronoUnit.MILLIS));
                last = id;
            }
            assertThat(this.log.lines()).hasSize(1);
        }
    }

    @Test
    void steppedWallClockChangesNothingButALogLine() {
        try (ShardedIdEngine ids = builder().open()) {
            ids.next(1);
            long last = makeForAMinute(ids, 0);
            this.time.stepWall(Duration.ofSeconds(-3));
            last = makeForAMinute(ids, last);
            this.time.stepWall(Duration.ofHours(1).plusSeconds(3));
            last = makeForAMinute(ids, last);
            this.time.stepWall(Duration.ofHours(-1));
            last = makeForAMinute(ids, last);

            assertThat(ids.clock().instant()).isEqualTo(this.time.instant());
            assertThat(ids.layout().instantOf(last)).isAfter(START.plusSeconds(241));
            assertThat(this.log.lines().subList(1, this.log.lines().size())).satisfiesExactly(
                    (line) -> assertThat(line).contains("WARNING", "back by 3s", "3s behind", "worker 7"),
                    (line) -> assertThat(line).contains("forward by 3603s", "1h ahead"),
                    (line) -> assertThat(line).contains("back by 1h", "0s ahead"));
        }
    }

    private long makeForAMinute(ShardedIdEngine ids, long before) {
        long last = before;
        for (int i = 0; i < 600; i++) {
            this.time.advance(Duration.ofMillis(100));
            Instant clock = ids.clock().instant();
            long id = ids.next(1);
            assertThat(id).isGreaterThan(last);
            assertThat(ids.layout().instantOf(id)).isEqualTo(clock.truncatedTo(ChronoUnit.MILLIS));
            last = id;
        }
        assertThat(this.time.parks()).as("no call waits but the first").isLessThan(300);
        return last;
    }

    @Test
    void twoInstancesWithOneWorkerNeverRepeatAnId() {
        try (ShardedIdEngine one = builder().open(); ShardedIdEngine other = builder().open()) {
            assertThat(one.next(1)).isLessThan(other.next(1));
            assertThat(other.next(1)).isLessThan(one.next(1));
        }
    }

    @Test
    void restartInTheSameJvmContinuesThoughTheWallClockWasSetBack() {
        long last;
        try (ShardedIdEngine one = builder().open()) {
            last = one.next(1);
        }
        this.time.stepWall(Duration.ofMillis(-2500));
        try (ShardedIdEngine again = builder().open()) {
            assertThat(again.next(1)).isGreaterThan(last);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { -1, 127, 128, Integer.MIN_VALUE, Integer.MAX_VALUE })
    void refusesTheReservedWorkerAndThoseOutsideTheBits(int worker) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> builder().workers(WorkerLeases.fixed(worker)).open())
            .withMessageContainingAll("[0, 126]", "worker-bits=7", "reserved");
    }

    @Test
    void layoutWithoutWorkerBitsHasWorkerZeroOnly() {
        ShardedIdsBuilder exact = builder().layout(IdLayout.instagramExact());

        try (ShardedIdEngine ids = exact.workers(WorkerLeases.fixed(0)).open()) {
            assertThat(ids.layout().shardOf(ids.next(5))).isEqualTo(5);
        }
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> exact.workers(WorkerLeases.fixed(1)).open())
            .withMessageContainingAll("worker-bits=0", "shardedid.worker.id=1");
    }

    @Test
    void workerOfFourDigitsIsWrittenWithoutACommaInTheLog() {
        IdLayout layout = IdLayout.builder().shardBits(11).workerBits(12).sequenceBits(0).build();

        builder().layout(layout).workers(WorkerLeases.fixed(4094)).open().close();

        assertThat(this.log.lines().get(0)).startsWith("WARNING Worker id 4094 is configured");
    }

    /**
     * The line of a start is logged under no lock, so that the end does not wait for it.
     */
    @Test
    void resumptionDoesNotOpenASourceThatIsClosedMeanwhile() {
        List<String> told = new CopyOnWriteArrayList<>();
        FixedWorker worker = new FixedWorker(7);
        worker
            .connect(new EngineTerms(IdLayout.standard(), 1, "modulo", Duration.ofMillis(100), Duration.ofMillis(100),
                    null, this.time))
            .start()
            .accept(new Told(told));
        worker.suspend();
        Logger logger = Logger.getLogger(FixedWorker.class.getName());
        logger.setFilter((line) -> {
            worker.close();
            return true;
        });
        try {
            worker.resume();
        }
        finally {
            logger.setFilter(null);
        }
        this.time.advance(Duration.ofSeconds(10));
        worker.renewSoon();

        assertThat(told).containsOnly("relinquish");
    }

    /** An engine that says what is asked of it. */
    private record Told(List<String> told) implements LeaseHolder {

        @Override
        public void hold(TickLease lease) {
            this.told.add("hold");
        }

        @Override
        public long relinquish() {
            this.told.add("relinquish");
            return 0;
        }

    }

    /** A renewal that is under way when the process is suspended ends before. */
    @Test
    void suspensionTakesAwayWhatARenewalGives() throws InterruptedException {
        List<String> told = new CopyOnWriteArrayList<>();
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {
        });
        TimeSource halting = new TimeSource() {

            @Override
            public long epochNanos() {
                return FixedWorkerTest.this.time.epochNanos();
            }

            @Override
            public long nanoTime() {
                meanwhile.get().run();
                return FixedWorkerTest.this.time.nanoTime();
            }

            @Override
            public void park(long nanos) {
                FixedWorkerTest.this.time.park(nanos);
            }

        };
        WorkerLeases worker = WorkerLeases.fixed(7);
        worker
            .connect(new EngineTerms(IdLayout.preset("standard"), 1, "modulo", Duration.ofMillis(100),
                    Duration.ofMillis(100), null, halting))
            .start()
            .accept(new Told(told));
        this.time.advance(Duration.ofSeconds(3));
        Thread suspending = new Thread(worker::suspend);
        meanwhile.set(() -> {
            meanwhile.set(() -> {
            });
            suspending.start();
            while (suspending.isAlive() && suspending.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
        });

        worker.renewSoon();
        suspending.join();

        assertThat(told).containsExactly("hold", "relinquish");
    }

}
