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

    /** The lease is being given back. */
    void released(int worker);

}
