package io.shardedid.benchmarks;

import io.shardedid.ShardedIdEngine;

/**
 * Ids of shard 0.
 */
record ShardSource(ShardedIdEngine ids) implements IdSource {

    @Override
    public long next() {
        return this.ids.next(0);
    }

    @Override
    public void close() {
        this.ids.close();
    }

}
