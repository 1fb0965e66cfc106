package io.shardedid.internal.lease;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.shardedid.LeaseSettings;
import io.shardedid.LeaseSource;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerLeases;

/**
 * Makes the sources behind {@link WorkerLeases}, for integrations and stores.
 *
 * @since 0.1
 */
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
     * @return the source
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
     * @return the source
     * @since 0.1
     */
    public static WorkerLeases leased(LeaseSettings settings, LeaseStore store, List<WorkerLeaseListener> listeners) {
        return new LeasedWorker(settings, store, listeners);
    }

    /**
     * Returns the namespace of a source that leases from a store of some kind.
     * @param source any source
     * @param kind which stores
     * @return the namespace, or empty for another source or store
     * @since 0.1
     */
    public static Optional<String> namespaceOf(LeaseSource source, Predicate<LeaseStore> kind) {
        return (source instanceof LeasedWorker leased) ? leased.namespaceIn(kind) : Optional.empty();
    }

    /**
     * Returns a source that draws a worker id of 16 bits by chance, without a table. Its
     * engine makes UUIDs only. No two UUIDs of one process are equal; those of two
     * processes are if shard, millisecond, sequence and 49 random bits are.
     * @return the source
     * @since 0.1
     */
    public static WorkerLeases random() {
        return new RandomWorker();
    }

    /**
     * Returns a source for a process that never makes an id: a reader, a schema export,
     * AOT processing.
     * @return the source
     */
    public static WorkerLeases none() {
        return NoWorker.byMode();
    }

    /**
     * Returns a source like {@link #none()} that makes no ids for another reason.
     * @param name distinguishes the source from others; sources of one name share an
     * engine
     * @param refused makes the exception for a call that wants an id; called by many
     * threads
     * @return the source
     * @since 0.1
     */
    public static WorkerLeases none(String name, Supplier<WorkerLeaseException> refused) {
        return new NoWorker(name, refused);
    }

}
