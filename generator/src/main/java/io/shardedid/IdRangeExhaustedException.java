package io.shardedid;

/**
 * The time range of the layout is used up: every later id would be negative or wrap. This
 * exception is never retryable.
 *
 * @since 0.1
 */
public class IdRangeExhaustedException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public IdRangeExhaustedException(String message) {
        super(message, false,
                "Check the clocks of this machine and of the database. If they are right, the layout has ended: "
                        + "change it offline ('inspector change').",
                null);
    }

}
