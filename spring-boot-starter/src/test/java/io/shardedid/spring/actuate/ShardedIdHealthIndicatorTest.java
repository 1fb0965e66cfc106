package io.shardedid.spring.actuate;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerLease;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.spring.boot.LeaseMonitor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ShardedIdHealthIndicatorTest {

    private static final Instant UNTIL = Instant.parse("2026-11-21T10:15:30Z");

    private static final WorkerLease LEASE = new WorkerLease(7, "shop", 3, UNTIL, UNTIL.minusSeconds(30), UNTIL);

    private final Engines.HandLease hand = new Engines.HandLease(7);

    private final Engines.StandingTime time = new Engines.StandingTime();

    private final ShardedIdEngine ids = Engines.of(this.hand, this.time);

    private final LeaseMonitor leases = new LeaseMonitor();

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
            .containsEntry("workerId", 7)
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

        Health health = health(Map.of());
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails()).as("what callers hear")
            .containsEntry("reason", "no lease")
            .containsEntry("action", this.hand.refusal().action());
    }

    @Test
    void lostLeaseIsDown() {
        this.leases.leased(LEASE);
        this.leases.lost(7, "another token");

        assertThat(health(Map.of("shardedid.worker.lease.acquire", "first-use")).getStatus()).isEqualTo(Status.DOWN);
    }

    @Test
    void idsThatMayBeEqualAreDownAlsoUnderTheNextLease() {
        this.hand.lease();
        this.leases.leased(LEASE);
        this.leases.violated(7, UNTIL.minusSeconds(9), UNTIL, "its row is gone");
        this.leases.leased(LEASE);

        Health health = health(Map.of());

        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails()).containsEntry("violation",
                "ids with a time between 2026-11-21T10:15:21Z and 2026-11-21T10:15:30Z under worker id 7 may exist twice: "
                        + "its row is gone");
    }

    @Test
    void healthIsDownOnceIdsAreRefused() {
        this.hand.lease();
        this.leases.leased(LEASE);
        assertThat(health(Map.of()).getStatus()).isEqualTo(Status.UP);

        this.time.park(19_999_999_999L);
        assertThat(health(Map.of()).getStatus()).isEqualTo(Status.UP);
        assertThat(this.ids.next(5)).isPositive();

        this.time.park(1);
        assertThat(health(Map.of()).getStatus()).isEqualTo(Status.DOWN);
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> this.ids.next(5));
    }

    @Test
    void leaseThatComesWithTheFirstIdIsUp() {
        Health health = health(Map.of("shardedid.worker.lease.acquire", "first-use"));

        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).isEqualTo(Map.of("mode", "lease"));
    }

    @Test
    void leaseThatCameWithTheFirstIdIsDownOnceItIsSpentAlsoIfNobodySaidSo() {
        this.leases.leased(LEASE);

        assertThat(health(Map.of("shardedid.worker.lease.acquire", "first-use")).getStatus()).isEqualTo(Status.DOWN);
    }

    @Test
    void leaseThatWasToComeWithTheFirstIdAndFailedIsDown() {
        this.leases.renewalFailed(new SQLException("refused"));

        assertThat(health(Map.of("shardedid.worker.lease.acquire", "first-use")).getStatus()).isEqualTo(Status.DOWN);
    }

    @Test
    void fixedWorkerIsUp() {
        Health health = health(Map.of("shardedid.worker.mode", "fixed", "shardedid.worker.id", 3));

        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).isEqualTo(Map.of("mode", "fixed", "workerId", 3));
    }

    private Health health(Map<String, ?> settings) {
        return new ShardedIdHealthIndicator(this.ids, ShardedIdSettings.from(settings), this.leases).health();
    }

}
