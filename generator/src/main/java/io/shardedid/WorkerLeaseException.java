package io.shardedid;

import org.jspecify.annotations.Nullable;

/**
 * This process holds no worker lease under which an id may be made. Unless something has
 * to be changed first, this exception is retryable: the transaction works again once a
 * lease is held.
 *
 * @since 0.1
 */
public class WorkerLeaseException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates a retryable exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public WorkerLeaseException(String message) {
        this(message, null);
    }

    /**
     * Creates a retryable exception with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause the failure that led to this one
     */
    public WorkerLeaseException(String message, @Nullable Throwable cause) {
        this(message, true,
                "Check that the database can be reached and that its user may read and write the lease table "
                        + "('shardedid.worker.lease.table'), then try again. No id was made and nothing was written.",
                cause);
    }

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     * @param retryable whether this process can hold a lease later
     * @param action what to do, in whole sentences
     * @param cause the failure that led to this one
     */
    public WorkerLeaseException(String message, boolean retryable, String action, @Nullable Throwable cause) {
        super(message, retryable, action, cause);
    }

}
