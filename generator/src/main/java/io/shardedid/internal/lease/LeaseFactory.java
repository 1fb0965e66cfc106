package io.shardedid.internal.lease;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import io.shardedid.LeaseSettings;
import io.shardedid.LeaseSource;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerLeases;

/** Makes the sources behind {@link WorkerLeases}, for integrations and stores. */
public final class LeaseFactory {

    private LeaseFactory() {
    }

    /**
     * Returns a source for a worker id that you assign, without a table. You must then
     * make sure that no two running processes have the same worker id, and that the wall
     * clock was not set back when a process starts; otherwise processes make duplicate
     * ids.
     * @param worker 0 to 2<sup>worker bits</sup> - 2, since the last worker id is
     * reserved for ids that the database makes; 0 for a layout without worker bits.
     * Checked when the engine opens
     */
    public static WorkerLeases fixed(int worker) {
        return new FixedWorker(worker);
    }

    /**
     * Returns a source that leases a worker id from a store and keeps it by a thread of
     * its own. For a table of a database, applications call
     * {@code io.shardedid.JdbcWorkerLeases.leased}, which also opens the table.
     * @param settings the namespace and the times
     * @param store where the rows of the namespace are, which the source closes
     * @param listeners the listeners of the lease
     */
    public static WorkerLeases leased(LeaseSettings settings, LeaseStore store, List<WorkerLeaseListener> listeners) {
        return new LeasedWorker(settings, store, listeners);
    }

    /**
     * Returns the namespace of a source that leases from a store of some kind.
     * @return the namespace, or empty for another source or store
     */
    public static Optional<String> namespaceOf(LeaseSource source, Predicate<LeaseStore> kind) {
        return (source instanceof LeasedWorker leased) ? leased.namespaceIn(kind) : Optional.empty();
    }

}
