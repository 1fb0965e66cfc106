package io.shardedid.spring.actuate;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardedid.ShardedIdEngine;
import io.shardedid.spring.boot.LeaseMonitor;
import io.shardedid.WorkerLease;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ShardedIdMetricsTest {

    private final Engines.HandLease hand = new Engines.HandLease(8);

    private final ShardedIdEngine ids = Engines.of(this.hand);

    private final LeaseMonitor leases = new LeaseMonitor();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    /** Held here, as by the context: meters refer to it weakly. */
    private final ShardedIdMetrics metrics = new ShardedIdMetrics(this.ids, this.leases);

    @AfterEach
    void close() {
        this.ids.close();
    }

    @Test
    void metersFollowTheEngine() {
        this.metrics.bindTo(this.registry);
        assertThat(this.registry.get("shardedid.worker.id").gauge().value()).isEqualTo(-1);
        assertThat(this.registry.get("shardedid.lease.remaining").timeGauge().value()).isZero();

        this.hand.lease();
        this.ids.next(1, new long[100_000]);

        assertThat(this.registry.get("shardedid.ids").functionCounter().count()).isEqualTo(100_000);
        assertThat(this.registry.get("shardedid.worker.id").gauge().value()).isEqualTo(8);
        assertThat(this.registry.get("shardedid.lease.remaining").timeGauge().value()).isBetween(17.5, 18.0);
        assertThat(this.registry.get("shardedid.ahead").timeGauge().value()).isBetween(0.99, 1.01);
        assertThat(this.registry.get("shardedid.sequence.exhausted").functionCounter().count()).isPositive();
        assertThat(this.registry.get("shardedid.wait").functionTimer().count()).isPositive();
        assertThat(this.registry.get("shardedid.wait").functionTimer().totalTime(TimeUnit.SECONDS)).isBetween(0.1,
                10.0);
    }

    @Test
    void metersFollowTheLease() {
        this.metrics.bindTo(this.registry);
        this.leases.renewed(new WorkerLease(8, "shop", 1, Instant.EPOCH, Instant.EPOCH, Instant.EPOCH));
        for (int i = 0; i < 2; i++) {
            this.leases.renewalFailed(new SQLException());
        }
        for (int i = 0; i < 3; i++) {
            this.leases.lost(8, "another token");
        }
        for (int i = 0; i < 4; i++) {
            this.leases.violated(8, Instant.EPOCH, Instant.EPOCH.plusSeconds(1), "its row is gone");
        }
        this.leases.skewed(Duration.ofMillis(-12_500));

        assertThat(this.registry.get("shardedid.lease.renewals").tag("result", "success").functionCounter().count())
            .isEqualTo(1);
        assertThat(this.registry.get("shardedid.lease.renewals").tag("result", "failure").functionCounter().count())
            .isEqualTo(2);
        assertThat(this.registry.get("shardedid.lease.lost").functionCounter().count()).isEqualTo(3);
        assertThat(this.registry.get("shardedid.lease.violations").functionCounter().count()).isEqualTo(4);
        assertThat(this.registry.get("shardedid.clock.skew").timeGauge().value()).isEqualTo(-12.5);
    }

    @Test
    void engineWithoutALeaseHasNoMetersOfOne() {
        new ShardedIdMetrics(this.ids, null).bindTo(this.registry);

        assertThat(this.registry.getMeters()).extracting((Meter meter) -> meter.getId().getName())
            .containsExactlyInAnyOrder("shardedid.ids", "shardedid.sequence.exhausted", "shardedid.wait",
                    "shardedid.ahead", "shardedid.worker.id");
    }

    @Test
    void metersOfAClosedEngineKeepTheirLastValues() {
        this.hand.lease();
        this.metrics.bindTo(this.registry);
        this.ids.next(1);
        assertThat(this.registry.get("shardedid.ids").functionCounter().count()).isEqualTo(1);

        this.ids.close();

        assertThat(this.registry.get("shardedid.ids").functionCounter().count()).isEqualTo(1);
        assertThat(this.registry.get("shardedid.worker.id").gauge().value()).isEqualTo(8);
    }

}
