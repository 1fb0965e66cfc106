package io.shardedid.shards;

import io.shardedid.ShardedIdException;
import org.jspecify.annotations.Nullable;

/**
 * A transaction touched a second shard, or a second database, although it may touch one
 * only. Nothing was written there. This exception is never retryable: the same
 * transaction is refused again.
 *
 * @since 0.1
 */
public class CrossShardException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public CrossShardException(String message) {
        this(message, null);
    }

    /**
     * Creates an exception with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause the failure that led to this one
     */
    public CrossShardException(String message, @Nullable Throwable cause) {
        super(message, false,
                "Let each transaction work on one shard: split it, or store a message in the first shard that a later "
                        + "transaction carries to the second one.",
                cause);
    }

}
