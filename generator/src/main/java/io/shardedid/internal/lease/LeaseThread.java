package io.shardedid.internal.lease;

/**
 * A keeper that does tasks beside its leases, which the
 * {@link io.shardedid.ShardedIdEngine#leaseSource() source of leases} is if it leases
 * worker ids from a store. Thread-safe.
 *
 * @apiNote The type is public for integrations such as {@code shardedid-shards}.
 */
public interface LeaseThread {

    /**
     * Lets the keeper run a task from now on, whenever it is due.
     * @return whether the keeper runs; if not, the task will never run
     */
    boolean add(LeaseThreadTask task);

    /**
     * Returns the store of the leases.
     * @return the store, which tasks alone may use, while they run
     */
    LeaseStore store();

    /** Lets the keeper look at once which tasks are due. */
    void look();

    /** Returns the namespace of the lease. */
    String namespace();

    /** Returns application, host and process in words. */
    String owner();

}
