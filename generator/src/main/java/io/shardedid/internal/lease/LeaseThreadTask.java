package io.shardedid.internal.lease;

/**
 * Work beside the leases that has to be done on the keeper's thread, because that is the
 * only thread that speaks to the store of the leases. The lease comes first: a task runs
 * while the protocol has nothing to send. It has {@link LeaseThread#store()} to itself
 * until it returns.
 *
 * @apiNote The type is public for integrations such as {@code shardedid-shards}.
 */
public interface LeaseThreadTask {

    /**
     * Returns when the task wants to run. Called by the keeper's thread, about once a
     * second.
     */
    long dueNanos();

    /**
     * Runs, in bounded time. The keeper outlives what it throws, and runs it again when
     * it is due.
     * @return whether the task wants to run again; if not, the keeper forgets it
     */
    boolean run();

    /**
     * Ends: the task is not run any more. It may say so in the store, which is closed
     * afterwards.
     */
    void end();

}
