package io.shardedid.shards;

import io.shardedid.ShardedIdException;
import org.jspecify.annotations.Nullable;

/**
 * A transaction touched a second shard, or a second database, although it may touch one
 * only. Nothing was written there. This exception is never retryable: the same
 * transaction fails again.
 *
 * @since 0.1
 */
public class CrossShardException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /** What {@link #hidesRow()} returns. */
    private final boolean hidesRow;

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public CrossShardException(String message) {
        this(message, null, false);
    }

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     * @param hidesRow what {@link #hidesRow()} returns
     */
    public CrossShardException(String message, boolean hidesRow) {
        this(message, null, hidesRow);
    }

    /**
     * Creates an exception with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause the failure that led to this one
     */
    public CrossShardException(String message, @Nullable Throwable cause) {
        this(message, cause, false);
    }

    private CrossShardException(String message, @Nullable Throwable cause, boolean hidesRow) {
        super(message, false,
                "Let each transaction work on one shard: split it, or store a message in the first shard that a later "
                        + "transaction carries to the second one.",
                cause);
        this.hidesRow = hidesRow;
    }

    /**
     * Returns whether the id of a row that was asked for led to the other shard, as it
     * does if a user of one shard asks for a row of another one. A web application then
     * answers that there is no such row.
     * @return false if a write, a shard key or a query crossed
     */
    @Override
    public boolean hidesRow() {
        return this.hidesRow;
    }

}
