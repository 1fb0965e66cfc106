package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Tag("jdk")
@Timeout(value = 4, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdWaitsTest {

    private final EngineRig rig = new EngineRig().atBegin();

    private final Engine engine = this.rig.engine;

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    @Test
    void waitsUntilTheClockCatchesUp() {
        this.rig.leased().drain(4);

        assertThat(this.engine.numbers().next(4)).isEqualTo(this.rig.id(1000, 4, 0));

        assertThat(waited()).isBetween(Duration.ofMillis(1), Duration.ofMillis(2));
        assertThat(this.rig.leases.renewals()).as("a newer lease would not help").isZero();
    }

    @Test
    void refusesAfterMaxWaitWhenTheClockDoesNotCatchUp() {
        this.rig.leased().drain(4);
        this.rig.time.onPark(() -> this.rig.drain(4));

        assertThatExceptionOfType(IdsAheadOfClockException.class).isThrownBy(() -> this.engine.numbers().next(4))
            .withMessageContainingAll("shard 4", "1s (shardedid.clock.max-ahead)", "5s (shardedid.clock.max-wait)");
        assertThat(waited()).isEqualTo(Duration.ofSeconds(5));
        assertThat(this.engine.numbers().next(5)).as("another shard").isPositive();
    }

    /** The clock was ahead under the lease before. */
    @Test
    void saysThatIdsBeginLaterAndDoesNotBlameTheLoad() {
        this.rig.hold(EngineRig.WORKER, this.rig.tick + 60_000, this.rig.tick + 90_000);
        this.engine.numbers().next(4);
        this.engine.uuids().next(4);
        this.engine.relinquish();
        this.rig.hold(5, this.rig.tick, this.rig.tick + 30_000);

        assertThat(this.engine.stats().leaseRemaining()).isZero();
        for (ThrowableAssert.ThrowingCallable call : List.<ThrowableAssert.ThrowingCallable>of(
                () -> this.engine.numbers().next(3), () -> this.engine.numbers().nextKeyless(),
                () -> this.engine.uuids().next(3))) {
            assertThatExceptionOfType(IdsAheadOfClockException.class).isThrownBy(call)
                .withMessageContainingAll("shardedid.clock.max-ahead=1s", "restart")
                .satisfies((ex) -> assertThat(ex.action()).contains("restart"));
        }
        assertThat(this.engine.stats().sequencesExhausted()).isZero();
        this.rig.time.advance(Duration.ofSeconds(50));
        this.rig.hold(5, this.rig.tick, this.rig.tick + 90_000);
        assertThat(this.engine.numbers().next(3)).isPositive();
        assertThat(this.engine.stats().leaseRemaining()).isPositive();
    }

    /** A shard has the ids of one second until the clock has come to the lease. */
    @Test
    void saysThatTheLeaseBeginsLaterAndDoesNotBlameTheLoad() {
        Instant begin = EngineRig.NOW.plusSeconds(60);
        try (LoggedLines log = new LoggedLines(Engine.class.getName())) {
            for (int renewals = 0; renewals < 3; renewals++) {
                this.rig.hold(EngineRig.WORKER, this.rig.tick + 60_000, this.rig.tick + 90_000, Duration.ofSeconds(29));
            }
            assertThat(log.lines()).singleElement().asString().contains(begin.toString(), "1s");
        }
        assertThat(this.engine.stats().leaseRemaining()).isZero();
        assertThat(this.rig.drain(4)).hasSize(32_000);

        assertThatExceptionOfType(IdsAheadOfClockException.class).isThrownBy(() -> this.engine.numbers().next(4))
            .withMessageContainingAll("shard 4", begin.toString(), "shardedid.clock.max-ahead=1s")
            .satisfies((ex) -> assertThat(ex.action()).contains("Wait"));
        assertThat(this.engine.stats().sequencesExhausted()).isZero();
        this.rig.time.advance(Duration.ofSeconds(55));
        this.rig.hold(EngineRig.WORKER, this.rig.tick + 60_000, this.rig.tick + 90_000, Duration.ofSeconds(29));
        assertThat(this.engine.numbers().next(4)).isPositive();
        assertThat(this.engine.stats().leaseRemaining()).isPositive();
    }

    /** As in tolerant mode: the clock comes to the lease before it ends. */
    @Test
    void leaseThatBeginsSoonIsNoFault() {
        try (LoggedLines log = new LoggedLines(Engine.class.getName())) {
            this.rig.hold(EngineRig.WORKER, this.rig.tick + 10_000, this.rig.tick + 30_000, Duration.ofSeconds(29));
            assertThat(log.lines()).isEmpty();
        }
        assertThat(this.engine.stats().leaseRemaining()).isPositive();
        this.rig.drain(4);
        assertThatExceptionOfType(IdsAheadOfClockException.class).isThrownBy(() -> this.engine.numbers().next(4))
            .withMessageContaining(EngineRig.NOW.plusSeconds(10).toString());
    }

    @Test
    void keylessIdsWaitAndRefuseToo() {
        EngineRig few = new EngineRig(IdLayout.standard(), 16, Duration.ofSeconds(1), CellClaims.NO_TICK).atBegin();
        NumberMaker numbers = few.leased().engine.numbers();
        while (numbers.tryNextKeyless() >= 0) {
            // until all ticks within reach are spent
        }
        assertThat(numbers.nextKeyless()).isPositive();
        assertThat(few.time.instant()).isAfter(EngineRig.NOW);
        few.time.onPark(() -> {
            while (numbers.tryNextKeyless() >= 0) {
                // another caller is always first
            }
        });

        assertThatExceptionOfType(IdsAheadOfClockException.class).isThrownBy(() -> {
            while (true) {
                numbers.nextKeyless();
            }
        }).withMessageContainingAll("every shard", "5s (shardedid.clock.max-wait)", "sequence");
    }

    @Test
    void stepsGrowFromATenthOfAMillisecondToTen() {
        this.rig.leased().drain(4);
        this.rig.time.onPark(() -> this.rig.drain(4));

        assertThatThrownBy(() -> this.engine.numbers().next(4)).isInstanceOf(IdsAheadOfClockException.class);

        assertThat(this.rig.time.parks()).isBetween(500L, 510L);
        assertThat(this.engine.stats().waits()).isEqualTo(this.rig.time.parks());
        assertThat(this.engine.stats().waited()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void asksForALeaseAndTriesItAtOnce() {
        this.rig.leases.onRenew(this.rig::leased);

        assertThat(this.engine.numbers().next(4)).isEqualTo(this.rig.id(0, 4, 0));

        assertThat(this.rig.leases.renewals()).isOne();
        assertThat(this.rig.time.parks()).isZero();
    }

    @Test
    void waitsForALeaseThatComesLater() {
        this.rig.time.onPark(() -> {
            if (waited().compareTo(Duration.ofSeconds(3)) > 0) {
                this.rig.leased();
            }
        });

        assertThat(this.rig.layout.instantOf(this.engine.numbers().next(4))).isAfter(EngineRig.NOW.plusSeconds(3));
    }

    @Test
    void tellsWhatTheSourceSaysWhenNoLeaseComesWithinMaxWait() {
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> this.engine.numbers().next(4))
            .withMessageContaining("worker=3");
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(this.engine.numbers()::nextKeyless);
        assertThat(waited()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void leasesThatComeSpentDoNotKeepACallerBeyondMaxWait() {
        this.rig.leases
            .onRenew(() -> this.rig.hold(EngineRig.WORKER, this.rig.tick - 10, this.rig.tick, Duration.ofSeconds(1)));

        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> this.engine.numbers().next(4));
        assertThat(waited()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void sourceThatWillNeverLeaseEndsTheWaitAtOnce() {
        this.rig.leases.onRenew(() -> {
            throw new WorkerLeaseException("none", false, "Use another mode.", null);
        });

        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> this.engine.numbers().next(4));
        assertThat(this.rig.time.parks()).isZero();
    }

    @Test
    void interruptEndsTheWaitAndStaysSet() {
        this.rig.time.onPark(() -> {
            if (waited().compareTo(Duration.ofSeconds(1)) > 0) {
                Thread.currentThread().interrupt();
            }
        });

        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> this.engine.numbers().next(4))
            .withMessageMatching(".+ 10\\d\\d ms \\(max-wait=5s\\).+");
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void interruptedThreadGetsAnIdThatNeedsNoWait() {
        this.rig.leased();
        Thread.currentThread().interrupt();

        assertThat(this.engine.numbers().next(4)).isEqualTo(this.rig.id(0, 4, 0));
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void closeEndsTheWait() {
        this.rig.time.onPark(this.engine::close);

        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> this.engine.numbers().next(4))
            .withMessageContaining("another");
        assertThat(this.rig.time.parks()).isOne();
    }

    /** On an event loop, say. */
    @Test
    void refusesAtOnceWhereACallerMustNotWait() {
        EngineRegistry registry = new EngineRegistry();
        ScriptedLeases leases = new ScriptedLeases("fixed:7");
        EngineHandle handle = registry.join(this.rig.terms, ShardFunction.modulo(), leases);
        ShardedIds ids = handle.withoutWaiting();
        this.rig.time.onPark(() -> {
            throw new AssertionError("parked");
        });
        List<ThrowableAssert.ThrowingCallable> calls = List.of(() -> ids.next(3), () -> ids.nextFor(3L), ids::next,
                () -> ids.next(3, new long[2]), () -> ids.uuids().next(3), () -> ids.uuids().next());
        for (ThrowableAssert.ThrowingCallable call : calls) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(call)
                .matches(ShardedIdException::retryable);
        }
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(WorkerLeaseException.class).as("an interrupt takes nothing from who does not wait")
            .isThrownBy(() -> ids.next(3));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(leases.renewals()).as("asked for a lease").isEqualTo(calls.size() + 1);

        leases.holder().hold(ScriptedLeases.endlessLease(7, this.rig.terms));
        for (int i = 0; i < 32 * 1000; i++) {
            ids.next(3);
        }
        assertThatExceptionOfType(IdsAheadOfClockException.class).isThrownBy(() -> {
            while (true) {
                ids.next(3);
            }
        }).withMessageContainingAll("shard 3", "1s (shardedid.clock.max-ahead)", "sequence");
        assertThat(ids.next(4)).isPositive();
        ids.close();
        assertThat(handle.next(4)).isPositive();
        handle.close();
        assertThatThrownBy(() -> ids.next(4)).hasMessageContaining("was closed");
    }

    private Duration waited() {
        return Duration.between(EngineRig.NOW, this.rig.time.instant());
    }

}
