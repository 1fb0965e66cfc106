package io.shardedid.spring.boot;

import io.shardedid.ShardedIds;
import io.shardedid.hibernate.ShardedIdSettings;
import io.shardedid.worker.WorkerMode;

import org.springframework.core.metrics.ApplicationStartup;
import org.springframework.core.metrics.StartupStep;

/**
 * The wait of a start for its engine, as a step {@value #ACQUIRE} where it leases a
 * worker: connecting, reading the layout row and taking the lease go on beside the start,
 * and what it still waits for stands beside the steps of the beans.
 */
final class EngineStart {

    static final String ACQUIRE = "shardedid.lease.acquire";

    private final ShardedIds ids;

    private final ShardedIdSettings settings;

    private volatile boolean over;

    EngineStart(ShardedIds ids, ShardedIdSettings settings) {
        this.ids = ids;
        this.settings = settings;
    }

    /** Waits and reports; once that is done, does nothing. */
    void await(ApplicationStartup startup) {
        if (this.over) {
            return;
        }
        if (this.settings.workerMode() == WorkerMode.LEASE) {
            awaitLease(startup.start(ACQUIRE));
        }
        EngineReport.log(this.ids, this.settings);
        this.over = true;
    }

    private void awaitLease(StartupStep step) {
        try {
            this.ids.awaitOpen();
            step.tag("worker", () -> Integer.toString(this.ids.stats().worker()));
        }
        finally {
            step.end();
        }
    }

}
