package io.shardedid.hibernate;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIds;

/**
 * The shard that a sharded id hands on. A legacy id, made before this generator came,
 * carries none and counts as a plain number.
 *
 * @param attribute the attribute that holds the id, for people
 * @param form how the id stands in it
 */
record CarriedShard(String attribute, IdForm form) implements ShardOfKey {

    @Override
    public int shardOf(Object key, Object entity, ShardedIds ids) {
        long id = id(key, entity);
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

    private long id(Object key, Object entity) {
        try {
            return this.form.idOf(key);
        }
        catch (NumberFormatException ex) {
            throw new ShardKeyException(
                    ("Could not generate id of '%s': '%s' must hold a sharded id (1 to 19 decimal digits, at most %d): "
                            + "value='%s'; store an id there, or use 'shardKey' if it is a plain text")
                        .formatted(entity.getClass().getName(), this.attribute, Long.MAX_VALUE, key),
                    ex);
        }
    }

}
