package io.shardedid.internal.lease.jdbc;

import java.util.List;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.LeasedWorker;
import io.shardedid.internal.lease.LeaseStore;

/**
 * Creates the sources that lease a worker id from a table in a database. Thread-safe.
 *
 * @since 0.1
 */
public final class JdbcLeases {

    /** The name of the lease table unless another one is set. */
    public static final String DEFAULT_TABLE = LeaseTableName.DEFAULT.table();

    /** When a start creates the lease table unless another value is set. */
    public static final SchemaInitialization DEFAULT_INITIALIZATION = SchemaInitialization.EMBEDDED;

    private JdbcLeases() {
    }

    /**
     * Returns a source that leases a worker id from a table and keeps it by a thread of
     * its own: as long as the database keeps what it acknowledged, no two processes make
     * duplicate ids.
     * @param settings the namespace and the times
     * @param connections where the lease thread connects to
     * @param table the name of the table, {@code table} or {@code schema.table}
     * @param initialization when the table is created
     * @param listeners the listeners of the lease
     * @return the source
     * @throws io.shardedid.ShardedIdConfigurationException if the name of the table is
     * not one
     */
    public static WorkerLeases leased(LeaseSettings settings, LeaseConnections connections, String table,
            SchemaInitialization initialization, List<WorkerLeaseListener> listeners) {
        return new LeasedWorker(settings, new SqlLeaseTable(connections, LeaseTableName.of(table), settings.namespace(),
                initialization, LeaseTimeouts.DEFAULT, settings.tolerateLostCommits(), settings.awaitTable()),
                listeners);
    }

    /**
     * Opens the lease table as a store, for those who read its rows, and for tests.
     * Sources of worker ids open it themselves.
     * @param namespace whose rows are read and written
     * @param connections where to connect to
     * @param table the name of the table, {@code table} or {@code schema.table}
     * @param initialization when the table is created
     * @return the store, which connects when it is used first
     * @throws io.shardedid.ShardedIdConfigurationException if the name of the table is
     * not one
     */
    public static LeaseStore store(String namespace, LeaseConnections connections, String table,
            SchemaInitialization initialization) {
        return new SqlLeaseTable(connections, LeaseTableName.of(table), namespace, initialization,
                LeaseTimeouts.DEFAULT);
    }

}
