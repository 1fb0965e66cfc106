package io.shardedid.internal.key;

import io.shardedid.ShardKeyException;
import org.jspecify.annotations.Nullable;

/**
 * The refusals of a row whose shard key and id do not belong together, in words.
 *
 * @since 0.1
 */
public final class KeyRefusal {

    private KeyRefusal() {
    }

    /**
     * Returns the refusal of a row that has no shard key.
     * @param entity the entity
     * @param key the shard key as messages name it
     * @param hint until when the key must be set
     * @return the exception to throw; no id was issued
     */
    public static ShardKeyException keyIsNull(Object entity, String key, String hint) {
        return new ShardKeyException(("Could not generate id of '%s': shard key '%s' is null (%s); if a row may have "
                + "none, set '@ShardedId(optionalKey = true)', and the generator chooses the shard")
            .formatted(entity.getClass().getName(), key, hint));
    }

    /**
     * Returns the refusal of an insert whose id is of another shard than its key.
     * @param entity the entity
     * @param key the shard key as messages name it
     * @param id the id as the entity holds it
     * @param shardOfId the shard of the id
     * @param shardOfKey the shard of the key, null if the key is null
     * @param hint how it may have come to that, and what to do
     * @return the exception to throw; the row was not written
     */
    public static ShardKeyException insertOfAnotherShard(Object entity, String key, Object id, int shardOfId,
            @Nullable Integer shardOfKey, String hint) {
        return new ShardKeyException(
                ("Could not insert '%s': shard key '%s' must lead to the shard of the id when the row is written: "
                        + "id=%s, shard of the id=%s, shard of the key=%s %s")
                    .formatted(entity.getClass().getName(), key, id, shardOfId,
                            (shardOfKey != null) ? shardOfKey : "none", hint));
    }

    /**
     * Returns the refusal of an update that takes the key of a row to another shard.
     * @param entity the entity
     * @param key the shard key as messages name it
     * @param id the id as the entity holds it
     * @param shardOfId the shard of the id, null if it carries none
     * @param shardOfKey the shard of the key, null if the key is null
     * @return the exception to throw; the statement was not sent
     */
    public static ShardKeyException keyChanged(Object entity, String key, Object id, @Nullable Integer shardOfId,
            @Nullable Integer shardOfKey) {
        return new ShardKeyException(("Could not update '%s': shard key '%s' must stay in the shard of "
                + "its row: id=%s, shard of the id=%s, shard of the key=%s (shardedid.on-key-change=fail); "
                + "insert a new row and delete this one, or set 'shardedid.on-key-change' to allow")
            .formatted(entity.getClass().getName(), key, id, (shardOfId != null) ? shardOfId : "none",
                    (shardOfKey != null) ? shardOfKey : "none"),
                ShardKeyException.Reason.KEY_CHANGED);
    }

}
