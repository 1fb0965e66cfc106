package io.shardedid.worker;

import org.jspecify.annotations.Nullable;

/**
 * A row of the lease table.
 *
 * @param worker the worker id, or {@link #LAYOUT} for the row that holds the fingerprint
 * @param token random, new on every write; of the layout row: the identity of the
 * database, never changed
 * @param fence how often the row was acquired: for people, logs and metrics
 * @param leaseUntil when the row may be taken, on the database's clock in epoch
 * milliseconds; 0 when it is free
 * @param hwmTick the first tick that was never leased to anyone under this worker id; of
 * the layout row: the tick of the very first lease
 * @param owner application, host and process, for people
 * @param layout of the layout row: the fingerprint
 */
record LeaseRow(int worker, String token, long fence, long leaseUntil, long hwmTick, @Nullable String owner,
        @Nullable String layout) {

    /** The number of the row that is no worker's. */
    static final int LAYOUT = -1;

}
