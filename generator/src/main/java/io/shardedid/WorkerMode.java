package io.shardedid;

/**
 * How a process gets its worker id: {@code shardedid.worker.mode}.
 *
 * @since 0.1
 */
public enum WorkerMode {

    /** A worker id that is leased from a store, and renewed while the process runs. */
    LEASE,

    /** A worker id that the configuration assigns: {@link WorkerLeases#fixed}. */
    FIXED,

    /** The process makes no ids: {@link WorkerLeases#none}. */
    NONE,

    /**
     * A worker id by chance, for UUIDs only: {@link WorkerLeases#random}. No table and no
     * database is needed.
     */
    RANDOM

}
