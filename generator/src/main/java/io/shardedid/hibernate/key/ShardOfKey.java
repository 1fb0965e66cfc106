package io.shardedid.hibernate.key;

import io.shardedid.ShardedIds;

/**
 * The way from the key of an entity to its shard. Safe for use by many threads.
 */
interface ShardOfKey {

    /**
     * Maps a key to its shard.
     * @param key not null
     * @param entity the entity, for the message of a refusal
     * @throws io.shardedid.ShardKeyException if there is no such shard
     */
    int shardOf(Object key, Object entity, ShardedIds ids);

}
