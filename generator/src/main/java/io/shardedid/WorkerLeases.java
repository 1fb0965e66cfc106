package io.shardedid;

import io.shardedid.internal.lease.FixedWorker;

/**
 * The sources of worker ids: leased, or fixed.
 *
 * @since 0.1
 */
public interface WorkerLeases extends LeaseSource {

    /**
     * Returns a source for a worker id that you assign, without a table. You must then
     * make sure that no two running processes have the same worker id, and that the wall
     * clock was not set back when a process starts; otherwise processes make duplicate
     * ids.
     * @param worker 0 to 2<sup>worker bits</sup> - 2, since the last worker id is
     * reserved for ids that the database makes; 0 for a layout without worker bits.
     * Checked when the engine opens
     * @return the source
     */
    static WorkerLeases fixed(int worker) {
        return new FixedWorker(worker);
    }

}
