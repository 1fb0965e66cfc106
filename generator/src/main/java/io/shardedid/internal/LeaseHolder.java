package io.shardedid.internal;

import io.shardedid.TickLease;

/** What a source of leases sees of the engine that it feeds. */
public interface LeaseHolder {

    /**
     * Replaces the lease by another one. Call it only after the interval was
     * acknowledged. An engine that is suspended or closed ignores it.
     * @param lease the lease, or {@link TickLease#NONE} for none
     */
    void hold(TickLease lease);

    /**
     * Ends the current lease. No call that is under way can make an id in the rest of its
     * interval any more, so that another process may get it.
     * @return the highest tick that an id of this lease may carry, or -1 if none was
     * made; if there is no lease, that of the latest one
     */
    long relinquish();

}
