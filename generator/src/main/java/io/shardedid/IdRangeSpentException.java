package io.shardedid;

/**
 * The time range of the layout is spent: every later id would be negative or wrap.
 * Retrying does not help.
 */
public class IdRangeSpentException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public IdRangeSpentException(String message) {
        super(message);
    }

}
