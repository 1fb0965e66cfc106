package io.shardedid.spring.boot;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

import io.shardedid.WorkerLease;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseMonitorTest {

    private static final Instant UNTIL = Instant.parse("2026-11-21T10:15:30Z");

    private static final WorkerLease LEASE = new WorkerLease(7, "shop", 3, UNTIL, UNTIL.minusSeconds(30), UNTIL);

    private final LeaseMonitor figures = new LeaseMonitor();

    @Test
    void countsRenewalsFailuresAndLosses() {
        this.figures.leased(LEASE);
        this.figures.renewed(LEASE);
        this.figures.renewed(LEASE);
        this.figures.renewalFailed(new SQLException("refused"));
        this.figures.lost(7, "another token");

        assertThat(this.figures.renewals()).isEqualTo(2);
        assertThat(this.figures.failures()).isEqualTo(1);
        assertThat(this.figures.losses()).isEqualTo(1);
    }

    @Test
    void leaseIsKnownUntilItIsLostOrReleased() {
        assertThat(this.figures.lease()).isEmpty();
        this.figures.leased(LEASE);
        assertThat(this.figures.lease()).contains(LEASE);
        this.figures.lost(7, "another token");
        assertThat(this.figures.lease()).isEmpty();
        assertThat(this.figures.trouble()).contains("another token");
        this.figures.leased(LEASE);
        this.figures.released(7);
        assertThat(this.figures.lease()).isEmpty();
        this.figures.leased(LEASE);
        this.figures.abandoned(7, "no answer");
        assertThat(this.figures.lease()).isEmpty();
    }

    @Test
    void troubleEndsWithTheNextSuccess() {
        this.figures.renewalFailed(new SQLException("refused"));
        assertThat(this.figures.trouble()).contains("java.sql.SQLException: refused");

        this.figures.renewed(LEASE);

        assertThat(this.figures.trouble()).isEmpty();
    }

    @Test
    void skewEndsWithTheFirstRenewalThatShowsNone() {
        this.figures.skewed(Duration.ofSeconds(-9));
        this.figures.renewed(LEASE);
        assertThat(this.figures.skew()).isEqualTo(Duration.ofSeconds(-9));

        this.figures.renewed(LEASE);

        assertThat(this.figures.skew()).isZero();
    }

}
