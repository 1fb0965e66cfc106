package io.shardedid;

/**
 * More ids were asked of a shard than its sequence allows, for longer than
 * {@code shardedid.clock.max-wait}. No id was issued; the transaction can be retried.
 */
public class IdsAheadOfClockException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public IdsAheadOfClockException(String message) {
        super(message);
    }

}
