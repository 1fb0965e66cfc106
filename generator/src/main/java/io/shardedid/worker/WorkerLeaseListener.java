package io.shardedid.worker;

import java.time.Duration;
import java.util.List;

import io.shardedid.WorkerHolding;

/**
 * Hears what happens to the lease of this process. Called on the keeper's thread, and
 * once, with a lease that is held already, on the thread that joins an engine which
 * others of the JVM have opened: return quickly, throw nothing.
 */
public interface WorkerLeaseListener {

    /**
     * A worker id was acquired.
     * @param lease the lease
     */
    default void leased(WorkerLease lease) {
    }

    /**
     * The lease was extended.
     * @param lease the lease as it is now
     */
    default void renewed(WorkerLease lease) {
    }

    /**
     * The database did not confirm an acquire or a renewal. It is tried again; ids are
     * made as long as the lease lasts.
     * @param cause what the driver said
     */
    default void renewalFailed(Exception cause) {
    }

    /**
     * The lease belongs to somebody else now. Another worker id is acquired; no id was
     * made twice.
     * @param worker the worker id that was lost
     * @param why what was seen in the table
     */
    default void lost(int worker, String why) {
    }

    /**
     * Every worker id is taken.
     * @param holders who holds what
     */
    default void waiting(List<WorkerHolding> holders) {
    }

    /**
     * The clock of the database differs from ours by more than it should. Ids go by ours
     * until the next acquire.
     * @param databaseAhead how far the database is ahead, negative if behind
     */
    default void skewed(Duration databaseAhead) {
    }

    /**
     * The lease was given back.
     * @param worker the worker id
     */
    default void released(int worker) {
    }

}
