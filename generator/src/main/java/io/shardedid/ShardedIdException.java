package io.shardedid;

import org.jspecify.annotations.Nullable;

/**
 * The root of all exceptions of ShardedId. No id was issued and nothing was written.
 * {@link #retryable()} returns whether the same transaction can succeed later, and
 * {@link #action()} says what to do. This class itself is thrown when the engine is
 * closed, and when a thread is interrupted while it waits.
 *
 * @since 0.1
 */
public class ShardedIdException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Whether the same transaction can succeed later. */
    private final boolean retryable;

    /** What to do, in whole sentences. */
    private final String action;

    /**
     * Creates an exception that is not retryable.
     * @param message what failed, the values, the rule, and what to do
     */
    public ShardedIdException(String message) {
        this(message, null);
    }

    /**
     * Creates an exception that is not retryable.
     * @param message what failed, the values, the rule, and what to do
     * @param cause the failure that led to this one
     */
    public ShardedIdException(String message, @Nullable Throwable cause) {
        this(message, false, "Start again. No id was made and nothing was written.", cause);
    }

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     * @param retryable whether the same transaction can succeed later
     * @param action what to do, in whole sentences
     * @param cause the failure that led to this one
     */
    public ShardedIdException(String message, boolean retryable, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.retryable = retryable;
        this.action = action;
    }

    /**
     * Returns whether the same transaction can succeed later without a change to the
     * code, the data or the configuration.
     * @return whether a retry makes sense
     */
    public boolean retryable() {
        return this.retryable;
    }

    /**
     * Returns whether a web application has to answer that there is no such row: the id
     * that was asked for leads nowhere, or to a row outside of the transaction's
     * database.
     * @return whether the HTTP status is 404
     */
    public boolean hidesRow() {
        return false;
    }

    /**
     * Returns what to do, in whole sentences. The message says it too, in fewer words and
     * with the values.
     * @return the advice, which names no host and no value of the configuration
     */
    public String action() {
        return this.action;
    }

}
