package io.shardedid.hibernate;

import io.shardedid.ShardedIds;

import org.hibernate.engine.spi.SharedSessionContractImplementor;

/**
 * Finds the shard of an entity that is about to be inserted. Everything was resolved and
 * checked when the session factory was built, so reading selects nothing and looks
 * nothing up by reflection. Immutable and safe for use by many threads.
 */
interface ShardKeyReader {

    /**
     * Reads the shard key off an entity and maps it to its shard.
     * @return 0 to shards - 1
     * @throws io.shardedid.ShardKeyException if the key is null or leads to no shard; the
     * message names the entity and the key
     */
    int shardOf(Object entity, SharedSessionContractImplementor session, ShardedIds ids);

    /** The key as the annotation spells it. */
    String path();

}
