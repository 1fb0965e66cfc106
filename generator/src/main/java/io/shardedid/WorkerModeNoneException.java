package io.shardedid;

/**
 * This process was configured never to make an id ({@code shardedid.worker.mode=none}).
 */
public class WorkerModeNoneException extends WorkerLeaseException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public WorkerModeNoneException(String message) {
        super(message);
    }

}
