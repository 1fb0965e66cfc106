package io.shardedid.internal.lease;

import io.shardedid.WorkerLeaseException;

/**
 * The lease table of the simulation for those who change it while no process runs.
 *
 * @param rows the table
 * @param world the time
 */
record SimStore(SimDatabase rows, SimWorld world) implements LeaseStore {

    @Override
    public void ensure() {
    }

    @Override
    public boolean isTransient(WorkerLeaseException failure) {
        return false;
    }

    @Override
    public LeaseReply execute(LeaseStatement statement) {
        return this.rows.execute(statement, this.world.now(), 0);
    }

    @Override
    public void disconnect() {
    }

    @Override
    public void close() {
    }

}
