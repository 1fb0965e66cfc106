package io.shardedid.hibernate;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIds;

/**
 * The shard that a sharded id hands on. A legacy id, made before this generator came,
 * carries none and counts as a plain number.
 *
 * @param attribute the attribute that holds the id, for people
 */
record CarriedShard(String attribute) implements ShardOfKey {

    @Override
    public int shardOf(Object key, Object entity, ShardedIds ids) {
        long id = ((Number) key).longValue();
        if (ids.legacy(id)) {
            return PlainKey.shardOf(id, entity, this.attribute, ids);
        }
        int shard = ids.shardOf(id);
        if (shard >= ids.shards()) {
            throw new ShardKeyException(
                    ("Could not generate id of '%s': shard of the id in '%s' must be in [0, %d]: id=%d, shard=%d; "
                            + "store an id of this layout there, or use 'shardKey' if it is a plain number")
                        .formatted(entity.getClass().getName(), this.attribute, ids.shards() - 1, id, shard));
        }
        return shard;
    }

}
