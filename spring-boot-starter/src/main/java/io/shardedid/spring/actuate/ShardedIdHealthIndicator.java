package io.shardedid.spring.actuate;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

import io.shardedid.EngineStats;
import io.shardedid.LeaseAcquisition;
import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerLease;
import io.shardedid.WorkerMode;
import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.spring.boot.LeaseMonitor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * {@link HealthIndicator} for the worker of this process: DOWN while ids cannot be made,
 * and from the moment on that duplicate ids are possible until the process ends. Asks the
 * engine, never the database.
 *
 * @since 0.1
 */
public class ShardedIdHealthIndicator extends AbstractHealthIndicator {

    private final EngineMonitor figures;

    private final ShardedIdSettings settings;

    private final LeaseMonitor leases;

    /**
     * Makes an indicator.
     * @param ids the engine
     * @param settings what the engine was opened by
     * @param leases what became of its lease
     */
    @Autowired
    public ShardedIdHealthIndicator(ShardedIdEngine ids, ShardedIdSettings settings, LeaseMonitor leases) {
        this(() -> Optional.of(ids), settings, leases);
    }

    ShardedIdHealthIndicator(Supplier<Optional<ShardedIdEngine>> ids, ShardedIdSettings settings, LeaseMonitor leases) {
        super("Could not read the figures of the id engine");
        this.figures = new EngineMonitor(ids);
        this.settings = settings;
        this.leases = leases;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        WorkerMode mode = this.settings.workerMode();
        health.up().withDetail("mode", mode.name().toLowerCase(Locale.ROOT));
        switch (mode) {
            case FIXED -> health.withDetail("workerId", this.settings.workerId().orElse(-1));
            case LEASE -> lease(health);
        }
    }

    private void lease(Health.Builder health) {
        EngineStats stats = this.figures.stats();
        WorkerLease lease = this.leases.lease().orElse(null);
        if (stats.worker() >= 0) {
            health.withDetail("workerId", stats.worker());
        }
        if (lease != null) {
            health.withDetail("until", lease.until().toString())
                .withDetail("lastRenewal",
                        lease.until().minus(this.settings.value(ShardedIdKey.LEASE_WINDOW, Duration.class)).toString());
        }
        if (!this.leases.skew().isZero()) {
            health.withDetail("databaseAhead", this.leases.skew().toString());
        }
        this.leases.trouble().ifPresent((trouble) -> health.withDetail("lastFailure", trouble));
        if (stats.leaseRemaining().isZero()) {
            notLeased(health, lease);
        }
        else {
            health.withDetail("remaining", stats.leaseRemaining().toString());
        }
        this.leases.violation().ifPresent((violation) -> health.down().withDetail("violation", violation));
    }

    private void notLeased(Health.Builder health, @Nullable WorkerLease lease) {
        boolean notYet = (!this.figures.open()
                || this.settings.get(ShardedIdKey.LEASE_ACQUIRE) == LeaseAcquisition.FIRST_USE) && lease == null
                && this.leases.losses() == 0 && this.leases.trouble().isEmpty();
        if (!notYet) {
            health.down();
            this.figures.refusal()
                .ifPresent((refusal) -> health.withDetail("reason", String.valueOf(refusal.getMessage()))
                    .withDetail("action", refusal.action()));
        }
    }

}
