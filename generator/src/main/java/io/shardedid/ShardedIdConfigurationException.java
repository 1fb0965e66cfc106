package io.shardedid;

/**
 * A choice of the configuration cannot work. Thrown before the first id is made.
 */
public class ShardedIdConfigurationException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public ShardedIdConfigurationException(String message) {
        super(message);
    }

    /**
     * Makes an exception with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause what happened below
     */
    public ShardedIdConfigurationException(String message, Throwable cause) {
        super(message, cause);
    }

}
