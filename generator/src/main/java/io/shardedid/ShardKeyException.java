package io.shardedid;

import org.jspecify.annotations.Nullable;

/**
 * The shard of a row could not be found: its shard key is null, of an unsupported type,
 * or led outside the shards; the id in it has two readings; or the key led to another
 * shard when the row was about to be inserted than when its id was made. Retrying the
 * same entity does not help.
 */
public class ShardKeyException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public ShardKeyException(String message) {
        super(message);
    }

    /**
     * Makes an exception with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause what happened below
     */
    public ShardKeyException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
