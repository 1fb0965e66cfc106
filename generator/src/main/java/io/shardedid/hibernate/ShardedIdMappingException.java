package io.shardedid.hibernate;

import io.shardedid.ShardedId;
import org.hibernate.AnnotationException;
import org.jspecify.annotations.Nullable;

/**
 * A mapping cannot work as {@link ShardedId} says.
 *
 * @since 0.1
 */
public class ShardedIdMappingException extends AnnotationException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public ShardedIdMappingException(String message) {
        this(message, null);
    }

    /**
     * Creates an exception with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause the failure that led to this one
     */
    public ShardedIdMappingException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
