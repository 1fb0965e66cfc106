package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Hears what happens to the lease of this process. Called on the lease thread, and once,
 * with a lease that is held already, on the thread that joins an engine which others of
 * the JVM have opened. A listener has to return quickly, because the lease thread renews
 * the lease, too. What a listener throws is logged at most once a minute and changes
 * nothing else: neither the lease nor what other listeners hear.
 *
 * @since 0.1
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
     * The lease is lost: it belongs to another process now, its row is gone, or it
     * expired on the database before it was renewed. Another worker id is acquired. If
     * ids may be duplicates, {@link #violated} follows.
     * @param worker the worker id that was lost
     * @param why what was seen in the store
     */
    default void lost(int worker, String why) {
    }

    /**
     * Every worker id is taken.
     * @param holders which process has which worker id
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
     * The lease was given back, and the database has acknowledged it.
     * @param worker the worker id
     */
    default void released(int worker) {
    }

    /**
     * The lease ended in this process, but the database did not acknowledge that it was
     * given back. It expires by itself.
     * @param worker the worker id
     * @param why what the database answered, or that it did not
     */
    default void abandoned(int worker, String why) {
    }

    /**
     * Another process could use a part of this process's lease before it had expired: a
     * row of the store was deleted, its first free tick was lowered, the database lost
     * commits, or the process was copied. Ids of this process whose time lies in the
     * interval may be duplicates of ids of another process.
     * @param worker the worker id that the ids carry
     * @param from the first time that may be affected
     * @param end the end of the interval, exclusive
     * @param why what was seen in the store
     */
    default void violated(int worker, Instant from, Instant end, String why) {
    }

}
