package io.shardedid.shards;

import io.shardedid.ShardedIdException;
import org.jspecify.annotations.Nullable;

/**
 * The shard of a statement is not known, so no database could be chosen: no id and no
 * shard key was given, the bits of the id mean nothing, or the shard does not exist. No
 * statement was sent. This exception is never retryable.
 *
 * @since 0.1
 */
public class ShardUnknownException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /** What {@link #hidesRow()} returns. */
    private final boolean hidesRow;

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public ShardUnknownException(String message) {
        this(message, null);
    }

    /**
     * Creates an exception with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause the failure that led to this one
     */
    public ShardUnknownException(String message, @Nullable Throwable cause) {
        this(message, cause, cause instanceof ShardedIdException refusal && refusal.hidesRow());
    }

    /**
     * Creates an exception with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause the failure that led to this one
     * @param hidesRow what {@link #hidesRow()} returns
     */
    public ShardUnknownException(String message, @Nullable Throwable cause, boolean hidesRow) {
        super(message, false,
                "Say which shard the call is for: pass an id or the shard key, or open a scope for a shard or for each "
                        + "database. No statement was sent.",
                cause);
        this.hidesRow = hidesRow;
    }

    /**
     * Returns whether a value that was asked for leads to no shard, as any number that a
     * user sends may do: an id that no row can have or that has two readings, or an id in
     * the place of a shard key. A web application then answers that there is no such row.
     * @return false if a row was to be written, or nothing was given that leads to a
     * shard
     */
    @Override
    public boolean hidesRow() {
        return this.hidesRow;
    }

}
