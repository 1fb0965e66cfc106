package io.shardedid;

/**
 * An update would take the shard key of a row to another shard than the one in its id,
 * and {@code shardedid.on-key-change} is {@code fail}. The statement was not sent;
 * retrying the same update does not help.
 */
public class ShardKeyChangedException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public ShardKeyChangedException(String message) {
        super(message);
    }

}
