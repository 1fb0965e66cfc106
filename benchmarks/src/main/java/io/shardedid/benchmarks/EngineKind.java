package io.shardedid.benchmarks;

import java.time.Duration;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;

/**
 * The engines behind the kinds of row.
 */
enum EngineKind {

    STANDARD(IdLayout.standard(), 2000), LONG_SEQUENCE(longSequence(), 2000), ONE_SHARD(longSequence(), 1),
    DENSE(IdLayout.dense(), 2000);

    private final IdLayout layout;

    private final int shards;

    EngineKind(IdLayout layout, int shards) {
        this.layout = layout;
        this.shards = shards;
    }

    /** Eight bits of sequence, so that one shard keeps up with a benchmark. */
    static IdLayout longSequence() {
        return IdLayout.builder().workerBits(4).sequenceBits(8).build();
    }

    IdLayout layout() {
        return this.layout;
    }

    /** Opens it with a worker id of its own. */
    ShardedIdEngine open() {
        return ShardedIds.builder()
            .layout(this.layout)
            .shards(this.shards)
            .maxWait(Duration.ofSeconds(30))
            .workers(WorkerLeases.fixed(ordinal()))
            .open();
    }

}
