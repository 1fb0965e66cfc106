package io.shardedid;

/**
 * What a source of leases sees of the engine that it feeds.
 */
public interface LeaseHolder {

    /**
     * Takes a lease in place of the one before. Call it only after the interval was
     * acknowledged. An engine that is suspended or closed ignores it.
     * @param lease the lease, or {@link TickLease#NONE} for none
     */
    void hold(TickLease lease);

    /**
     * Ends the current lease so thoroughly that the rest of its interval may be given to
     * somebody else: no call that is under way can still make an id in it.
     * @return the highest tick that any id of this engine may carry, or -1 if none was
     * made
     */
    long relinquish();

}
