package io.shardedid.spring.actuate;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import io.shardedid.ShardedIds;
import io.shardedid.hibernate.ShardedIdSettings;
import io.shardedid.spring.boot.LeaseFigures;
import io.shardedid.worker.WorkerLease;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;

class ShardedIdHealthIndicatorTest {

    private static final Instant UNTIL = Instant.parse("2026-11-21T10:15:30Z");

    private static final WorkerLease LEASE = new WorkerLease(7, "shop", 3, UNTIL, UNTIL.minusSeconds(30), UNTIL);

    private final Engines.HandLease hand = new Engines.HandLease(7);

    private final ShardedIds ids = Engines.of(this.hand);

    private final LeaseFigures leases = new LeaseFigures();

    @AfterEach
    void close() {
        this.ids.close();
    }

    @Test
    void leasedWorkerIsUp() {
        this.hand.lease();
        this.leases.leased(LEASE);
        this.leases.skewed(Duration.ofSeconds(12));

        Health health = health(Map.of());

        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsEntry("mode", "lease")
            .containsEntry("worker", 7)
            .containsEntry("until", "2026-11-21T10:15:30Z")
            .containsEntry("lastRenewal", "2026-11-21T10:15:00Z")
            .containsEntry("databaseAhead", "PT12S")
            .containsKey("remaining")
            .hasSize(6);
    }

    @Test
    void failedRenewalIsUpWhileTheLeaseLasts() {
        this.hand.lease();
        this.leases.leased(LEASE);
        this.leases.renewalFailed(new SQLException("refused"));

        Health health = health(Map.of());

        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsEntry("lastFailure", "java.sql.SQLException: refused");
    }

    @Test
    void spentLeaseIsDown() {
        this.leases.leased(LEASE);
        this.leases.renewalFailed(new SQLException("refused"));

        assertThat(health(Map.of()).getStatus()).isEqualTo(Status.DOWN);
    }

    @Test
    void lostLeaseIsDown() {
        this.leases.leased(LEASE);
        this.leases.lost(7, "another token");

        assertThat(health(Map.of("shardedid.worker.lease.acquire", "first-use")).getStatus()).isEqualTo(Status.DOWN);
    }

    @Test
    void leaseThatComesWithTheFirstIdIsUp() {
        Health health = health(Map.of("shardedid.worker.lease.acquire", "first-use"));

        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).isEqualTo(Map.of("mode", "lease", "worker", "leased with the first id"));
    }

    @Test
    void fixedWorkerIsUp() {
        Health health = health(Map.of("shardedid.worker.mode", "fixed", "shardedid.worker.id", 3));

        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).isEqualTo(Map.of("mode", "fixed", "worker", 3));
    }

    @Test
    void processThatMakesNoIdsIsUp() {
        Health health = health(Map.of("shardedid.worker.mode", "none"));

        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).isEqualTo(Map.of("mode", "none", "worker", "none"));
    }

    private Health health(Map<String, ?> settings) {
        return new ShardedIdHealthIndicator(this.ids, ShardedIdSettings.from(settings), this.leases).health();
    }

}
