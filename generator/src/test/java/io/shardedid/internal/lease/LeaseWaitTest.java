package io.shardedid.internal.lease;

import java.time.Duration;

import io.shardedid.Seed;
import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerLeaseException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long callers wait: for the database's clock, and for the database. In virtual time.
 */
class LeaseWaitTest {

    private static final int SHARDS = 2000;

    private final Seed seed = Seed.ofThisRun();

    @ParameterizedTest
    @ValueSource(longs = { -9_000, -4_000, 9_000, -31_536_000_000L, 31_536_000_000L })
    void aStepOfTheDatabaseClockStallsNoCall(long stepMillis) {
        ProtocolRig rig = new ProtocolRig(this.seed.value());
        IdSet made = new IdSet();
        try (ShardedIdEngine ids = rig.open()) {
            for (int millis = 0; millis < 180_000; millis++) {
                if (millis == 40_000) {
                    rig.database.stepClock(stepMillis);
                }
                rig.pass(Duration.ofMillis(1));
                long began = rig.time.nanoTime();
                assertThat(made.add(ids.next(rig.random.nextInt(SHARDS)))).as("new, %s", this.seed).isTrue();
                assertThat(Duration.ofNanos(rig.time.nanoTime() - began))
                    .as("wait %s ms after the start, %s", millis, this.seed)
                    .isLessThanOrEqualTo(Duration.ofMillis(5));
            }
        }
        assertThat(made.size()).isEqualTo(180_000);
    }

    @Test
    void nobodyWaitsLongerThanMaxWaitAndIdsComeBackWithTheDatabase() {
        checkOutages(50);
    }

    @Test
    @Tag("proof")
    @Tag("nightly")
    void nobodyWaitsLongerThanMaxWaitInManyRuns() {
        checkOutages(1_000);
    }

    private void checkOutages(int runs) {
        long refused = 0;
        for (int run = 0; run < runs; run++) {
            ProtocolRig rig = new ProtocolRig(this.seed.value() + run);
            try (ShardedIdEngine ids = rig.open()) {
                for (int outage = 0; outage < 10; outage++) {
                    rig.pass(Duration.ofMillis(rig.random.nextInt(20_000)));
                    rig.reachable(false);
                    long until = rig.time.nanoTime() + Duration.ofMillis(rig.random.nextInt(90_000)).toNanos();
                    while (rig.time.nanoTime() - until < 0) {
                        refused += assertBounded(rig, ids) ? 0 : 1;
                        rig.pass(Duration.ofMillis(rig.random.nextInt(1_000)));
                    }
                    rig.reachable(true);
                    assertThat(assertBounded(rig, ids)).as("served by the database that is back, %s", this.seed)
                        .isTrue();
                }
            }
        }
        assertThat(refused).as("calls that were refused, %s", this.seed).isPositive();
    }

    private boolean assertBounded(ProtocolRig rig, ShardedIdEngine ids) {
        long began = rig.time.nanoTime();
        boolean served = true;
        try {
            ids.next(rig.random.nextInt(SHARDS));
        }
        catch (WorkerLeaseException ex) {
            served = false;
        }
        assertThat(Duration.ofNanos(rig.time.nanoTime() - began)).as("wait, served=%s, %s", served, this.seed)
            .isLessThanOrEqualTo(ProtocolRig.MAX_WAIT);
        return served;
    }

}
