package io.shardedid;

/**
 * The engine was closed before the id was asked for. No id was issued.
 */
public class EngineClosedException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public EngineClosedException(String message) {
        super(message);
    }

}
