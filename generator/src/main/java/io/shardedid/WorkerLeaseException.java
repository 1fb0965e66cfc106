package io.shardedid;

import org.jspecify.annotations.Nullable;

/**
 * This process holds no lease under which an id may be made. No id was issued; the
 * transaction can be retried, and works again once a lease is held.
 */
public class WorkerLeaseException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public WorkerLeaseException(String message) {
        super(message);
    }

    /**
     * Makes an exception with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause what happened below
     */
    public WorkerLeaseException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
