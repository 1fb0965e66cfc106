package io.shardedid.worker;

/**
 * How a process comes by its worker id: {@code shardedid.worker.mode}.
 *
 * @since 0.1
 */
public enum WorkerMode {

    /** A lease of the database, renewed while the process runs. */
    LEASE,

    /** An id that somebody has assigned: {@link WorkerLeases#fixed}. */
    FIXED,

    /** The process makes no ids: {@link WorkerLeases#none}. */
    NONE,

    /**
     * A worker id by chance, for UUIDs only: {@link WorkerLeases#random}. No table and no
     * database is needed.
     */
    RANDOM

}
