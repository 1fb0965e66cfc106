package io.shardedid;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An engine whose process stands still. Its source does nothing about it: the engine
 * alone has to make no id.
 */
class EngineSuspendTest {

    private final EngineRig rig = new EngineRig().leased();

    private final Engine engine = this.rig.engine;

    @Test
    void noIdIsMadeAndNoLeaseTakenUntilTheProcessGoesOn() {
        long before = this.engine.numbers().next(1);
        this.engine.uuids().next(1);
        LeasedCells underWay = this.engine.numbers().held();
        this.engine.suspend();

        this.rig.leased();
        assertThat(this.engine.numbers().tryNext(1)).isEqualTo(CellClaims.NO_LEASE);
        assertThat(this.engine.numbers().tryNextKeyless()).isEqualTo(CellClaims.NO_LEASE);
        assertThat(this.engine.uuids().tryClaim(this.engine.uuids().held(), 1)).isNegative();
        assertThat(underWay.cells.claim(1, 0, 0, underWay.limit(underWay.floor(0)))).as("by a call under way")
            .isEqualTo(ShardCells.NO_CLAIM);
        this.engine.beforeResumption();
        assertThat(this.engine.numbers().tryNext(1)).as("before there is a lease").isEqualTo(CellClaims.NO_LEASE);
        this.rig.leased();

        assertThat(this.engine.numbers().next(1)).isGreaterThan(before);
        assertThat(this.rig.layout.tickOf(this.engine.numbers().next(1))).isGreaterThan(this.rig.layout.tickOf(before));
    }

    /** The source may wait for its store as long as it is patient. */
    @Test
    void noIdIsMadeAndNoLeaseTakenWhileTheSourceGivesTheLeaseBack() {
        List<Long> meanwhile = new ArrayList<>();
        this.rig.leases.onSuspend(() -> {
            meanwhile.add(this.engine.numbers().tryNext(1));
            this.rig.leased();
            meanwhile.add(this.engine.numbers().tryNext(1));
        });

        this.engine.suspend();

        assertThat(meanwhile).containsExactly(CellClaims.NO_LEASE, CellClaims.NO_LEASE);
    }

    @Test
    void uuidsThatAreAskedForMeanwhileHaveNoLeaseEither() {
        this.engine.suspend();

        UuidMaker uuids = this.engine.uuids();
        assertThat(uuids.tryClaim(uuids.held(), 1)).isNegative();
        this.engine.beforeResumption();
        this.rig.leased();
        assertThat(uuids.next(1)).isNotNull();
    }

    @Test
    void fullHeapDoesNotKeepTheEngineFromStandingStill() {
        long before = this.engine.numbers().next(1);
        this.rig.heapFull = true;
        this.engine.suspend();

        assertThat(this.engine.numbers().tryNext(1)).isNegative();
        this.rig.heapFull = false;
        this.engine.beforeResumption();
        this.rig.hold(EngineRig.WORKER, this.rig.tick, this.rig.tick + 1_000_000, Duration.ofMinutes(10));
        assertThat(this.engine.numbers().next(1)).isGreaterThan(before);
    }

    /**
     * Of the clock that was ahead under the lease before, its row needs to know nothing.
     */
    @Test
    void releaseTellsWhatWasClaimedUnderItsLeaseAlone() {
        this.rig.hold(EngineRig.WORKER, this.rig.tick + 1_800_000, this.rig.tick + 1_900_000);
        long ahead = this.engine.numbers().next(1);
        assertThat(this.engine.relinquish()).isEqualTo(this.rig.layout.tickOf(ahead));

        this.rig.hold(4, this.rig.tick, this.rig.tick + 30_000);
        assertThat(this.engine.numbers().tryNext(1)).isEqualTo(CellClaims.AHEAD_OF_CLOCK);
        assertThat(this.engine.relinquish()).isEqualTo(CellClaims.NO_TICK);
        this.rig.hold(5, this.rig.tick + 1_800_000, this.rig.tick + 1_900_000);
        assertThat(this.engine.numbers().next(1)).as("what was claimed is not forgotten").isGreaterThan(ahead);
    }

    @Test
    void whatWasNeverClaimedIsForgotten() {
        this.engine.relinquish();
        this.rig.hold(EngineRig.WORKER, this.rig.tick + 1_800_000, this.rig.tick + 1_900_000);
        this.engine.relinquish();

        this.rig.hold(4, this.rig.tick, this.rig.tick + 30_000);
        assertThat(this.rig.layout.tickOf(this.engine.numbers().next(1))).isEqualTo(this.rig.tick);
    }

    @Test
    void highestTickIsKnownToAReleaseThatComesLater() {
        long last = this.engine.numbers().next(1);
        this.engine.suspend();

        assertThat(this.engine.relinquish()).isEqualTo(this.rig.layout.tickOf(last));
        assertThat(this.engine.relinquish()).isEqualTo(this.rig.layout.tickOf(last));
    }

}
