package io.shardedid.benchmarks;

import io.shardedid.ShardedIds;

/**
 * Ids of shard 0.
 */
record ShardSource(ShardedIds ids) implements IdSource {

    @Override
    public long next() {
        return this.ids.next(0);
    }

    @Override
    public void close() {
        this.ids.close();
    }

}
