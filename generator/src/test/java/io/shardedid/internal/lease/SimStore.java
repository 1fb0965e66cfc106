package io.shardedid.internal.lease;

import io.shardedid.WorkerLeaseException;

/**
 * The lease table of the simulation for those who change it while no process runs.
 *
 * @param rows the table
 * @param world the time
 * @param promises whether the rows show what their holders promise
 */
record SimStore(SimDatabase rows, SimWorld world, boolean promises) implements LeaseStore {

    @Override
    public void ensure() {
    }

    @Override
    public boolean isTransient(WorkerLeaseException failure) {
        return false;
    }

    @Override
    public LeaseReply execute(LeaseStatement statement) {
        LeaseReply reply = this.rows.execute(statement, this.world.now(), 0);
        return (reply instanceof LeaseReply.Rows read && !this.promises)
                ? new LeaseReply.Rows(read.databaseMillis(), read.rows().stream().map(SimStore::plain).toList())
                : reply;
    }

    static LeaseRow plain(LeaseRow row) {
        return (row.worker() == LeaseRow.LAYOUT) ? row : new LeaseRow(row.worker(), row.token(), row.acquisitions(),
                row.leaseUntilMillis(), row.hwmTick(), row.owner(), null);
    }

    @Override
    public void disconnect() {
    }

    @Override
    public void close() {
    }

}
