package io.shardedid.hibernate.key;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIds;

/**
 * The shard that a sharded id hands on: its home.
 *
 * @param attribute the attribute that holds the id, for people
 * @param form how the id stands in it
 * @param scalar whether it stands there by itself, so that 0 and negative numbers mean
 * that none was set; else it is the id of a row
 */
record CarriedShard(String attribute, IdForm form, boolean scalar) implements ShardOfKey {

    @Override
    public int shardOf(Object key, Object entity, ShardedIds ids) {
        long id = id(key, entity);
        if (this.scalar && id <= 0) {
            throw new ShardKeyException(("Could not generate id of '%s': '%s' must hold a sharded id (a number > 0): "
                    + "value='%s'; set it before persist, or use 'shardKey' if it is a plain number")
                .formatted(entity.getClass().getName(), this.attribute, key));
        }
        try {
            return ids.shardHome(id);
        }
        catch (ShardKeyException ex) {
            throw new ShardKeyException("Could not generate id of '%s' by the id in '%s': %s"
                .formatted(entity.getClass().getName(), this.attribute, ex.getMessage()), ex);
        }
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
