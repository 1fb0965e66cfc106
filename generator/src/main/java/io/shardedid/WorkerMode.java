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
    FIXED

}
