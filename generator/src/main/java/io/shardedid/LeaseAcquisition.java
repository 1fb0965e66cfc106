package io.shardedid;

/**
 * When a process takes its first lease: {@code shardedid.worker.lease.acquire}.
 *
 * @since 0.1
 */
public enum LeaseAcquisition {

    /** While the application starts, so that a lack of worker ids shows there. */
    STARTUP,

    /** With the first id. */
    FIRST_USE

}
