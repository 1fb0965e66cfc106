package io.shardedid.worker;

import java.util.List;

import io.shardedid.LeaseSource;

/**
 * The port behind which worker ids come: leased, fixed, or none.
 */
public interface WorkerLeases extends LeaseSource {

    /**
     * Returns a source for a worker id that somebody has assigned, without a table.
     * Uniqueness then rests on that somebody and on the wall clock at start: two running
     * processes with one id, or a process that restarts after the wall clock was set
     * back, make equal ids.
     * @param worker 0 to 2<sup>worker bits</sup> - 1; checked against the layout when the
     * engine opens
     * @return the source
     */
    static WorkerLeases fixed(int worker) {
        return new FixedWorker(worker);
    }

    /**
     * Returns a source that leases a worker id from a table and keeps it by a thread of
     * its own: as long as the database keeps what it acknowledged, no two processes make
     * equal ids.
     * @param settings the namespace and the times
     * @param connections where the keeper connects to
     * @param table the name of the table, {@code table} or {@code schema.table}
     * @param initialization who makes the table
     * @param listeners who hears what happens to the lease
     * @return the source
     * @throws io.shardedid.ShardedIdConfigurationException if the name of the table is
     * not one
     */
    static WorkerLeases leased(LeaseSettings settings, LeaseConnections connections, String table,
            SchemaInitialization initialization, List<WorkerLeaseListener> listeners) {
        return new LeaseKeeper(settings, new SqlLeaseTable(connections, LeaseTableName.of(table), settings.namespace(),
                initialization, LeaseTimeouts.DEFAULT), listeners);
    }

    /**
     * Returns a source like {@link #leased} for a namespace that takes the place of
     * another one, because the layout, the number of shards or the shard function change.
     * The first start of it closes the old namespace for ever, after a check that nobody
     * holds a lease there and that every id of the new layout will be larger than every
     * id of the old one; what is below is legacy. Later starts find that done.
     * @param settings the new namespace and the times
     * @param connections where the keeper connects to
     * @param table the name of the table
     * @param initialization who makes the table
     * @param listeners who hears what happens to the lease
     * @param replaced the namespace that ends
     * @return the source
     * @throws io.shardedid.ShardedIdConfigurationException if the name of the table is
     * not one
     */
    static WorkerLeases leasedInPlaceOf(LeaseSettings settings, LeaseConnections connections, String table,
            SchemaInitialization initialization, List<WorkerLeaseListener> listeners, String replaced) {
        LeaseTableName name = LeaseTableName.of(table);
        return new LeaseKeeper(settings,
                new SqlLeaseTable(connections, name, settings.namespace(), initialization, LeaseTimeouts.DEFAULT),
                listeners, new LayoutChange(replaced, settings.namespace(),
                        () -> new SqlLeaseTable(connections, name, replaced, initialization, LeaseTimeouts.DEFAULT)));
    }

    /**
     * Returns a source for a process that never makes an id: a reader, a schema export,
     * AOT processing.
     * @return the source
     */
    static WorkerLeases none() {
        return new NoWorker();
    }

}
