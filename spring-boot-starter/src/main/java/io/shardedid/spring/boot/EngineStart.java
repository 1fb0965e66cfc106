package io.shardedid.spring.boot;

import io.shardedid.ShardedIds;
import io.shardedid.hibernate.LeaseEnvironment;
import io.shardedid.hibernate.ShardedIdSettings;
import io.shardedid.worker.WorkerMode;

import org.springframework.core.metrics.ApplicationStartup;
import org.springframework.core.metrics.StartupStep;

/**
 * Opens the engine as a step of the start, {@value #ACQUIRE}, where it leases its worker:
 * what connecting, reading the layout row and taking the lease cost stands beside the
 * steps of the beans.
 */
final class EngineStart {

    static final String ACQUIRE = "shardedid.lease.acquire";

    private final ApplicationStartup startup;

    EngineStart(ApplicationStartup startup) {
        this.startup = startup;
    }

    ShardedIds open(ShardedIdSettings settings, LeaseEnvironment around) {
        if (settings.workerMode() != WorkerMode.LEASE) {
            return settings.open(around);
        }
        StartupStep step = this.startup.start(ACQUIRE);
        try {
            ShardedIds ids = settings.open(around);
            step.tag("worker", () -> Integer.toString(ids.stats().worker()));
            return ids;
        }
        finally {
            step.end();
        }
    }

}
