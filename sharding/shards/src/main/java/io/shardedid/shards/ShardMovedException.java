package io.shardedid.shards;

import io.shardedid.ShardedIdException;
import org.jspecify.annotations.Nullable;

/**
 * A shard is not where the map of this process says, or the map is too old to tell. The
 * transaction has to be rolled back. This exception is always retryable: the same
 * transaction succeeds with the new map, which {@link ShardDirectory#refresh()} reads.
 *
 * @since 0.1
 */
public class ShardMovedException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public ShardMovedException(String message) {
        this(message, null);
    }

    /**
     * Creates an exception with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause the failure that led to this one
     */
    public ShardMovedException(String message, @Nullable Throwable cause) {
        super(message, true,
                "Run the transaction again. If this goes on, check that the database of the shard map can be reached, "
                        + "and look at the state of the move.",
                cause);
    }

}
