package io.shardedid.worker;

/**
 * A keeper that does errands beside its leases. Safe for use by many threads.
 * <p>
 * The type is public for package {@code io.shardedid.worker.table} only and is no API.
 *
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
     * Returns whether the leases are in a store of a type.
     * @param type the type
     * @return whether an errand can unwrap that type
     */
    boolean keepsIn(Class<?> type);

    /** Lets the keeper look at once which errands are due. */
    void look();

    /**
     * Returns the namespace of the lease.
     * @return the namespace
     */
    String namespace();

    /**
     * Returns application, host and process, for people.
     * @return the text that the row of the worker id shows
     */
    String owner();

}
