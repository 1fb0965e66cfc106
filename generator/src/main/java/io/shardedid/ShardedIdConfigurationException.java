package io.shardedid;

import org.jspecify.annotations.Nullable;

/**
 * A choice of the configuration cannot work. This exception is thrown before the first id
 * is made, and it is never retryable.
 *
 * @since 0.1
 */
public class ShardedIdConfigurationException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public ShardedIdConfigurationException(String message) {
        this(message, null);
    }

    /**
     * Creates an exception with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause the failure that led to this one
     */
    public ShardedIdConfigurationException(String message, @Nullable Throwable cause) {
        super(message, false, "Update your application's configuration.", cause);
    }

}
