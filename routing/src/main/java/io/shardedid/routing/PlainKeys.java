package io.shardedid.routing;

import java.util.OptionalInt;
import java.util.UUID;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIds;
import io.shardedid.shards.ShardUnknownException;

/**
 * Tells shard keys from ids. A shard key is hashed, and an id carries its shard, so an id
 * that is hashed leads to a shard where neither its row nor the children of that row are.
 */
final class PlainKeys {

    private PlainKeys() {
    }

    /**
     * Returns the shard that a key carries although another one is meant by its hash.
     * @return empty if the key is no id, or both lead to the same shard
     */
    static OptionalInt shardOfId(ShardedIds ids, Object key) {
        try {
            int shard;
            if (key instanceof Long id && ids.doubts(id).isEmpty()) {
                shard = ids.shardHome(id);
            }
            else if (key instanceof UUID id) {
                shard = ids.uuids().shardHome(id);
            }
            else {
                return OptionalInt.empty();
            }
            return (shard != ids.shardFor(key)) ? OptionalInt.of(shard) : OptionalInt.empty();
        }
        catch (ShardKeyException ex) {
            return OptionalInt.empty();
        }
    }

    /** Returns what to say of a key that is an id of a shard. */
    static ShardUnknownException refusal(ShardedIds ids, Object key, int shard, String call, String instead) {
        return new ShardUnknownException(
                "Could not choose a database: key=%s is an id of shard %d, and its hash leads to shard %d: call=%s (an id carries its shard, where its row and the children of that row are); use %s, or shards.inShard(ids.shardFor(key), …) if rows have this number as a plain key"
                    .formatted(key, shard, ids.shardFor(key), call, instead));
    }

}
