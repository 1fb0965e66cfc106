package io.shardedid.benchmarks;

import io.shardedid.ShardedIdEngine;

/**
 * Ids without a shard key.
 */
record KeylessSource(ShardedIdEngine ids) implements IdSource {

    @Override
    public long next() {
        return this.ids.next();
    }

    @Override
    public void close() {
        this.ids.close();
    }

}
