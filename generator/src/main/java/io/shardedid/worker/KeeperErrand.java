package io.shardedid.worker;

/**
 * Work beside the leases that has to be done on the keeper's thread, because that is the
 * only thread that speaks to the database of the lease table. The lease comes first: an
 * errand runs while the protocol has nothing to send.
 * <p>
 * The type is public for package {@code io.shardedid.worker.table} only and is no API.
 *
 * @since 0.1
 */
public interface KeeperErrand {

    /**
     * Returns when the errand wants to run. Called by the keeper's thread, about once a
     * second.
     * @return a monotonic time of the engine's time source, in nanoseconds
     */
    long dueNanos();

    /**
     * Runs, in bounded time. The keeper outlives what it throws, and runs it again when
     * it is due.
     * @param table the lease table, whose connection the errand may use until it returns
     * @return whether the errand wants to run again; if not, the keeper forgets it
     */
    boolean run(LeaseStore table);

    /**
     * Ends: the errand is not run any more. It may say so in the database.
     * @param table the lease table, which is closed afterwards
     */
    void end(LeaseStore table);

}
