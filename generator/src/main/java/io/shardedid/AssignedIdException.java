package io.shardedid;

/**
 * An id that the application assigned cannot be one of this row: its shard is not that of
 * the shard key, or its time is still to come. Retrying does not help.
 */
public class AssignedIdException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public AssignedIdException(String message) {
        super(message);
    }

}
