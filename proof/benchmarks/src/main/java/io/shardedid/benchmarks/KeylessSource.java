package io.shardedid.benchmarks;

import io.shardedid.ShardedIds;

/**
 * Ids without a shard key.
 */
record KeylessSource(ShardedIds ids) implements IdSource {

    @Override
    public long next() {
        return this.ids.next();
    }

    @Override
    public void close() {
        this.ids.close();
    }

}
