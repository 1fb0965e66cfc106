package io.shardedid.internal.lease;

/**
 * A keeper that does errands beside its leases, which the
 * {@link io.shardedid.ShardedIdEngine#leaseSource() source of leases} is if it leases
 * worker ids from a store. Thread-safe.
 *
 * @apiNote The type is public for integrations such as {@code shardedid-shards}.
 * @since 0.1
 */
public interface KeeperErrands {

    /**
     * Lets the keeper run an errand from now on, whenever it is due.
     * @param errand the errand
     * @return whether the keeper runs; if not, the errand will never run
     */
    boolean add(KeeperErrand errand);

    /**
     * Returns the store of the leases.
     * @return the store, which errands alone may use, while they run
     */
    LeaseStore store();

    /** Lets the keeper look at once which errands are due. */
    void look();

    /**
     * Returns the namespace of the lease.
     * @return the namespace
     */
    String namespace();

    /**
     * Returns application, host and process in words.
     * @return the text that the row of the worker id shows
     */
    String owner();

}
