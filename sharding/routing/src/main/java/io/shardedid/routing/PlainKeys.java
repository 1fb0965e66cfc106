package io.shardedid.routing;

import io.shardedid.IdReader;
import io.shardedid.ShardKeyException;
import io.shardedid.shards.ShardUnknownException;

/**
 * Distinguishes shard keys from ids, by the rule of {@link IdReader#shardOfKey}. An id
 * that is taken for a key leads to a shard where neither its row nor the children of that
 * row are.
 */
final class PlainKeys {

    private PlainKeys() {
    }

    /**
     * Returns the shard of a key that is no id.
     * @throws ShardUnknownException if it is one, where there are several databases
     * @throws ShardKeyException if it has no shard
     */
    static int shardOf(Object key, IdReader ids, ShardBindings bindings, String call, String instead) {
        try {
            return ids.shardOfKey(key);
        }
        catch (ShardKeyException ex) {
            if (ex.reason() != ShardKeyException.Reason.KEY_IS_ID) {
                throw ex;
            }
            bindings.keyIsId(
                    () -> "Could not choose a database: call=%s takes a shard key: %s; to choose the database of the id use %s"
                        .formatted(call, Shown.line(ex.getMessage()), instead),
                    ex);
            return ids.shardForPlain(key);
        }
    }

}
