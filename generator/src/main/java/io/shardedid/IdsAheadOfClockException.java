package io.shardedid;

/**
 * A shard was asked for more ids than its sequence allows, for longer than
 * {@code shardedid.clock.max-wait}, or ids of this process carry a time to come, because
 * the clock of the database was ahead when they were made. This exception is always
 * retryable.
 *
 * @since 0.1
 */
public class IdsAheadOfClockException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public IdsAheadOfClockException(String message) {
        super(message, true,
                "Spread the rows over more shards or more time, or choose a layout with more sequence bits before the "
                        + "first row exists ('shardedid.layout.preset', 'shardedid.layout.sequence-bits').",
                null);
    }

    IdsAheadOfClockException(String message, String action) {
        super(message, true, action, null);
    }

}
