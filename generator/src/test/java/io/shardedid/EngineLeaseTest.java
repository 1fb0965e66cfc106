package io.shardedid;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What happens to ids when leases come and go.
 */
class EngineLeaseTest {

    private final EngineRig rig = new EngineRig().leased();

    private final Engine engine = this.rig.engine;

    @Test
    void renewalContinuesTheCells() {
        this.engine.numbers().next(1);
        this.rig.hold(EngineRig.WORKER, this.rig.tick, this.rig.tick + 2_000_000);

        assertThat(this.engine.numbers().next(1)).isEqualTo(this.rig.id(0, 1, 1));
    }

    @Test
    void sameWorkerAfterAnotherLeaseContinuesTheCells() {
        this.rig.drain(1);
        this.rig.hold(EngineRig.WORKER, this.rig.tick + 5, this.rig.tick + 2_000_000);

        assertThat(this.rig.layout.tickOf(this.engine.numbers().next(1))).isEqualTo(this.rig.tick + 1000);
    }

    @Test
    void idsOfALeaseAheadOfTheClockStayAtItsBeginUntilTheClockHasCome() {
        this.rig.atBegin();
        long lo = this.rig.tick + 31_000;
        long last = -1;
        for (int second = 0; second < 60; second++) {
            if (second % 10 == 0) {
                this.rig.hold(EngineRig.WORKER, lo, lo + 60_000);
            }
            long id = this.engine.numbers().tryNext(1);
            assertThat(id).as("second %s", second).isGreaterThan(last);
            assertThat(this.rig.layout.tickOf(id)).isEqualTo(Math.max(lo, this.rig.tick + 1000L * second));
            assertThat(this.engine.instant()).isEqualTo(this.rig.layout.instantOf(id));
            last = id;
            this.rig.time.advance(Duration.ofSeconds(1));
        }
    }

    /** Few ids are left, since the clock does not come to the lease in time. */
    @Test
    void leaseAheadOfTheClockEndsAtItsDeadline() {
        this.rig.hold(EngineRig.WORKER, this.rig.tick + 31_000, this.rig.tick + 61_000, Duration.ofSeconds(5));
        this.rig.time.advance(Duration.ofSeconds(5).minusNanos(1));
        assertThat(this.engine.stats().leaseRemaining()).isZero();
        assertThat(this.engine.numbers().tryNext(1)).isPositive();
        this.rig.time.advance(Duration.ofNanos(1));
        assertThat(this.engine.numbers().tryNext(1)).isEqualTo(CellClaims.NO_LEASE);
    }

    @Test
    void lostLeaseMakesNoIdAndTheNextOneOfTheSameWorkerGoesOn() {
        this.engine.numbers().next(1);
        this.engine.hold(TickLease.NONE);
        assertThat(this.engine.numbers().tryNext(1)).isEqualTo(CellClaims.NO_LEASE);
        this.rig.leased();

        assertThat(this.engine.numbers().next(1)).isEqualTo(this.rig.id(0, 1, 1));
    }

    @Test
    void anotherWorkerStartsInALaterTickThanAnyIdOfTheOneBefore() {
        for (int i = 0; i < 33; i++) {
            this.engine.numbers().next(7);
        }
        long keyed = this.engine.numbers().next(1);
        long keyless = this.engine.numbers().nextKeyless();

        this.rig.hold(0, this.rig.tick, this.rig.tick + 1000);

        assertThat(this.engine.numbers().next(1)).isEqualTo(this.rig.layout.compose(this.rig.tick + 2, 1, 0, 0))
            .isGreaterThan(keyed);
        assertThat(this.engine.numbers().nextKeyless()).isGreaterThan(keyless);
    }

    @Test
    void anotherWorkerAfterALostLeaseStartsInALaterTickToo() {
        long before = this.engine.numbers().next(1);
        this.engine.hold(TickLease.NONE);
        this.rig.hold(0, this.rig.tick, this.rig.tick + 1000);

        assertThat(this.engine.numbers().next(1)).isEqualTo(this.rig.layout.compose(this.rig.tick + 1, 1, 0, 0))
            .isGreaterThan(before);
    }

    @Test
    void callThatReadTheLeaseBeforeAnotherWorkerCameClaimsNothing() {
        Stale stale = new Stale();
        this.engine.numbers().next(1);
        this.rig.hold(0, this.rig.tick, this.rig.tick + 1000);

        assertThat(stale.claim(1)).isEqualTo(ShardCells.NO_CLAIM);
        assertThat(stale.claim(2)).isEqualTo(ShardCells.NO_CLAIM);
    }

    @Test
    void relinquishTellsTheHighestTick() {
        for (int i = 0; i < 100; i++) {
            this.engine.numbers().next(7);
        }
        this.engine.numbers().next(1);

        assertThat(this.engine.relinquish()).isEqualTo(this.rig.tick + 3);
        assertThat(this.engine.relinquish()).as("again").isEqualTo(this.rig.tick + 3);
        assertThat(new EngineRig().leased().engine.relinquish()).as("no id made").isEqualTo(CellClaims.NO_TICK);
    }

    @Test
    void callThatReadTheLeaseBeforeItWasRelinquishedClaimsNothing() {
        Stale stale = new Stale();
        this.engine.numbers().next(1);
        long highest = this.engine.relinquish();

        assertThat(highest).isEqualTo(this.rig.tick);
        for (int shard = 0; shard < 2048; shard++) {
            assertThat(stale.claim(shard)).isEqualTo(ShardCells.NO_CLAIM);
            assertThat(stale.claim(shard, 1000)).isEqualTo(ShardCells.NO_CLAIM);
        }
        assertThat(this.engine.numbers().tryNext(1)).isEqualTo(CellClaims.NO_LEASE);
    }

    @Test
    void idsAfterALeaseWasRelinquishedAreLater() {
        long keyless = this.engine.numbers().nextKeyless();
        long keyed = this.engine.numbers().next(1);
        this.engine.relinquish();
        this.rig.leased();

        assertThat(this.engine.numbers().next(1)).isEqualTo(this.rig.id(1, 1, 0)).isGreaterThan(keyed);
        assertThat(this.engine.numbers().nextKeyless()).isGreaterThan(keyless);
    }

    @Test
    void keylessIdsIncreaseOverChangesOfTheWorker() {
        long[] ids = new long[500];
        for (int i = 0; i < ids.length; i++) {
            if (i % 7 == 0) {
                this.rig.hold(31 - i / 7 % 32, this.rig.tick, this.rig.tick + 100_000);
            }
            if (i % 50 == 0) {
                this.engine.relinquish();
                this.rig.hold(i % 32, this.rig.tick, this.rig.tick + 100_000);
            }
            this.rig.time.advance(Duration.ofNanos(i * 1000));
            ids[i] = this.engine.numbers().nextKeyless();
        }

        assertThat(ids).isSorted().doesNotHaveDuplicates();
        assertThat(Arrays.stream(ids).mapToInt(this.rig.layout::shardOf).distinct().count()).isGreaterThan(50);
    }

    @Test
    void refusesALeaseWhoseWorkerDoesNotFitAndKeepsTheOneBefore() {
        assertThatIllegalArgumentException().isThrownBy(() -> this.rig.hold(128, this.rig.tick, this.rig.tick + 10))
            .withMessageContainingAll("[0, 127]", "worker=128");
        assertThat(this.engine.numbers().next(1)).isEqualTo(this.rig.id(0, 1, 0));
    }

    @Test
    void leaseThatCannotBeRelinquishedForWantOfMemoryIsHeldOn() {
        for (int i = 0; i < 100; i++) {
            this.engine.numbers().next(7);
        }
        this.rig.heapFull = true;
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this.engine::relinquish);
        assertThat(this.engine.numbers().next(7)).as("after an attempt that changed nothing")
            .isEqualTo(this.rig.id(3, 7, 4 + this.rig.begin()));

        this.rig.heapFull = false;
        assertThat(this.engine.relinquish()).as("the highest tick, at the second attempt").isEqualTo(this.rig.tick + 3);
    }

    @Test
    void changeOfWorkerThatFailsForWantOfMemoryDoesNotLoseWhatWasClaimed() {
        for (int i = 0; i < 100; i++) {
            this.engine.numbers().next(7);
        }
        long before = this.engine.numbers().next(7);
        this.rig.heapFull = true;
        assertThatExceptionOfType(OutOfMemoryError.class)
            .isThrownBy(() -> this.rig.hold(0, this.rig.tick, this.rig.tick + 1000));
        this.rig.heapFull = false;
        this.rig.hold(0, this.rig.tick, this.rig.tick + 1000);

        assertThat(this.engine.numbers().next(7)).isEqualTo(this.rig.layout.compose(this.rig.tick + 4, 7, 0, 0))
            .isGreaterThan(before);
    }

    @Test
    void closesThoughTheHeapIsFull() {
        Stale stale = new Stale();
        this.engine.numbers().next(1);
        this.rig.leases.onClose(() -> {
            throw new OutOfMemoryError("Java heap space");
        });
        this.rig.heapFull = true;

        AtomicLong highest = new AtomicLong();
        assertThatCode(() -> highest.set(this.engine.close())).doesNotThrowAnyException();
        assertThat(highest).hasValue(this.rig.tick);
        assertThat(stale.claim(1)).isEqualTo(ShardCells.NO_CLAIM);
        assertThat(this.engine.numbers().tryNext(1)).isEqualTo(CellClaims.NO_LEASE);
    }

    @Test
    void closedEngineTakesNoLease() {
        this.engine.numbers().next(1);
        assertThat(this.engine.close()).isEqualTo(this.rig.tick);
        this.rig.leased();

        assertThat(this.engine.numbers().tryNext(1)).isEqualTo(CellClaims.NO_LEASE);
        assertThat(this.rig.leases.closes()).isOne();
    }

    @Test
    void closesThoughTheSourceFails() {
        this.engine.numbers().next(1);
        this.rig.leases.onClose(() -> {
            throw new IllegalStateException("connection refused");
        });

        assertThat(this.engine.close()).isEqualTo(this.rig.tick);
        assertThat(this.engine.numbers().tryNext(1)).isEqualTo(CellClaims.NO_LEASE);
    }

    /** The source waits meanwhile, for as long as its store may take. */
    @Test
    void callerThatComesWhileTheLeaseIsGivenBackDoesNotWait() {
        this.rig.leases.onClose(() -> {
            this.engine.relinquish();
            assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> this.engine.numbers().next(1))
                .withMessageContaining("the id engine was closed meanwhile");
        });

        this.engine.close();

        assertThat(this.rig.leases.closes()).isOne();
        assertThat(this.rig.time.parks()).isZero();
    }

    /** A call that has read lease and clock, and is paused before it claims. */
    private final class Stale {

        private final LeasedCells held = EngineLeaseTest.this.engine.numbers().held();

        private final long elapsed = this.held.elapsedAt(EngineLeaseTest.this.rig.time.nanoTime());

        private final long floor = this.held.floor(this.elapsed);

        long claim(int shard) {
            return this.held.cells.claim(shard, this.floor, this.held.start(this.elapsed), this.held.limit(this.floor));
        }

        long claim(int shard, int wanted) {
            return this.held.cells.claim(shard, this.floor, this.held.start(this.elapsed), this.held.limit(this.floor),
                    wanted);
        }

    }

}
