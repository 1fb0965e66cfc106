package io.shardedid.hibernate;

import java.util.concurrent.atomic.AtomicBoolean;

import io.shardedid.IdReader;
import io.shardedid.ShardKeyException;

/**
 * The way from the key of an entity to its shard: through the shard function, or off the
 * sharded id that the key is. Thread-safe.
 */
sealed interface ShardOfKey {

    /** The value in place of the shard of a row whose optional key is null: any shard. */
    int OWN_SHARD = -1;

    /**
     * Maps a key to its shard, 0 to shards - 1.
     * @param entity the entity, for the message of a refusal
     * @throws ShardKeyException if there is no such shard
     */
    int shardOf(Object key, Object entity, IdReader ids);

    /**
     * Goes through the shard function. Warns once for each attribute if a key is a
     * sharded id, and accepts it, because the existing rows got their ids by its hash.
     */
    final class ByFunction implements ShardOfKey {

        private static final System.Logger LOG = System.getLogger(ShardOfKey.class.getName());

        private final String attribute;

        private final AtomicBoolean warned = new AtomicBoolean();

        ByFunction(String attribute) {
            this.attribute = attribute;
        }

        @Override
        public int shardOf(Object key, Object entity, IdReader ids) {
            try {
                return this.warned.get() ? ids.shardForPlain(key) : ids.shardOfKey(key);
            }
            catch (ShardKeyException ex) {
                if (ex.reason() == ShardKeyException.Reason.KEY_IS_ID) {
                    warn(key);
                    return ids.shardForPlain(key);
                }
                throw new ShardKeyException("Could not generate id of '%s' by shard key '%s': %s"
                    .formatted(entity.getClass().getName(), this.attribute, ex.getMessage()), ex);
            }
        }

        private void warn(Object key) {
            if (this.warned.compareAndSet(false, true)) {
                LOG.log(System.Logger.Level.WARNING,
                        () -> ("Shard key '%s' looks like a sharded id: key=%s (an id carries its shard, and as a plain "
                                + "key it leads to another one); name the association as shard key, or use "
                                + "'colocateWith' for a scalar that holds a sharded id")
                            .formatted(this.attribute, key));
            }
        }

    }

    /**
     * Takes the shard of the row whose sharded id the key is.
     *
     * @param attribute the attribute that holds the id, for messages
     * @param form how it holds the id
     * @param scalar whether it stands there by itself, so that 0 and negative numbers
     * mean that none was set; else it is the id of a row
     */
    record CarriedById(String attribute, IdForm form, boolean scalar) implements ShardOfKey {

        @Override
        public int shardOf(Object key, Object entity, IdReader ids) {
            NumberFormatException noId = null;
            try {
                if (!this.scalar || this.form.isSet(key)) {
                    return this.form.shardOf(key, ids);
                }
            }
            catch (ShardKeyException ex) {
                throw new ShardKeyException("Could not generate id of '%s' by the id in '%s': %s"
                    .formatted(entity.getClass().getName(), this.attribute, ex.getMessage()), ex);
            }
            catch (NumberFormatException ex) {
                noId = ex;
            }
            throw new ShardKeyException(
                    ("Could not generate id of '%s': '%s' must hold a sharded id (%s, not 0): value='%s'; set it before "
                            + "persist, or use 'shardKey' if it is a plain key")
                        .formatted(entity.getClass().getName(), this.attribute, this.form.rule(), key),
                    noId);
        }

    }

}
