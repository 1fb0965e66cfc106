package io.shardedid.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;

/**
 * How the engine that is measured comes by its worker id.
 */
public enum EngineMode {

    /** From the configuration. */
    FIXED {

        @Override
        WorkerLeases workers() {
            return WorkerLeases.fixed(0);
        }

    },

    /** From a table in H2's memory, renewed every 8 s. */
    LEASE {

        @Override
        WorkerLeases workers() {
            return JdbcLeases.leased(LeaseSettings.builder().build(),
                    LeaseConnections.url("jdbc:h2:mem:lease" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", ""),
                    JdbcLeases.DEFAULT_TABLE, SchemaInitialization.ALWAYS, List.of());
        }

    };

    abstract WorkerLeases workers();

    /**
     * Opens an engine that has made an id, on a layout whose ceiling is far: it need not
     * run ahead, and a fixed worker waits the shorter at its start.
     */
    ShardedIdEngine open(int shards) {
        return open(BenchmarkLayout.FAR_CEILING, shards);
    }

    ShardedIdEngine open(IdLayout layout, int shards) {
        ShardedIdEngine ids = ShardedIds.builder()
            .layout(layout)
            .shards(shards)
            .maxAhead(Duration.ofMillis(10))
            .maxWait(Duration.ofSeconds(30))
            .workers(workers())
            .open();
        ids.next(0);
        return ids;
    }

}
