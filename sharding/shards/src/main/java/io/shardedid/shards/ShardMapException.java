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
     * Creates an exception that names no key and no way out.
     * @param failure what failed, the values and the rule
     */
    public ShardMapException(String failure) {
        this(failure, null);
    }

    /**
     * Creates an exception.
     * @param failure what failed, the values and the rule
     * @param remedy what to do, or null if the rule says it
     * @param keys the keys that are wrong
     */
    public ShardMapException(String failure, @Nullable String remedy, String... keys) {
        super(failure, remedy, keys);
    }

    /**
     * Creates an exception with its cause.
     * @param problem what is wrong
     * @param cause the failure that led to this one
     */
    public ShardMapException(Problem problem, @Nullable Throwable cause) {
        super(problem, cause);
    }

}
