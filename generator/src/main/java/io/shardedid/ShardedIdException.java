package io.shardedid;

import org.jspecify.annotations.Nullable;

/**
 * An id was refused at run time. No id was issued and nothing was written; unless a
 * subclass says otherwise the transaction can be retried.
 */
public class ShardedIdException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public ShardedIdException(String message) {
        super(message);
    }

    /**
     * Makes an exception with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause what happened below
     */
    public ShardedIdException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
