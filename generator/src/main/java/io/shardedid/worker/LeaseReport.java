package io.shardedid.worker;

import java.time.Duration;

/**
 * What the protocol has to tell.
 */
interface LeaseReport {

    /** A lease was confirmed, a fresh one or a longer one. */
    void held(LeaseAttempt lease, boolean fresh);

    /** The row belongs to somebody else. */
    void lost(int worker, String why);

    /** The database did not answer, or not as it should. */
    void failed(Exception cause, long now);

    /** No worker id can be asked for now. */
    void waiting(AcquirePlan.Waiting why, LeaseReply.Rows rows);

    /** The database's clock jumped. */
    void skewed(Duration databaseAhead);

    /** From here on no id is made under the worker id, and the table is told so. */
    default void releasing(int worker) {
    }

    /** The table has acknowledged that the lease was given back. */
    void released(int worker);

    /** The lease could not be given back: it runs out by itself. */
    default void abandoned(int worker, String why) {
    }

    /**
     * Somebody else could use ticks that ids of this process may carry.
     * @param worker the worker id
     * @param from the first of these ticks
     * @param end the first tick after them
     * @param why what was seen in the table
     */
    default void violated(int worker, long from, long end, String why) {
    }

}
