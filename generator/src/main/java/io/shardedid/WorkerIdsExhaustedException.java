package io.shardedid;

import org.jspecify.annotations.Nullable;

/**
 * Every worker id is leased to somebody else.
 */
public class WorkerIdsExhaustedException extends WorkerLeaseException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public WorkerIdsExhaustedException(String message) {
        super(message);
    }

    /**
     * Makes an exception with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause what happened below
     */
    public WorkerIdsExhaustedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
