package io.shardedid.shards;

import io.shardedid.ShardedIdConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * A shard map cannot be used: it has a hole or an overlap, names a shard or a database
 * that does not exist, or its table cannot be read. It is a mistake of the configuration,
 * or of what is in the table, and it is never retryable.
 *
 * @since 0.1
 */
public class ShardMapException extends ShardedIdConfigurationException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public ShardMapException(String message) {
        this(message, null);
    }

    /**
     * Creates an exception with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause the failure that led to this one
     */
    public ShardMapException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
