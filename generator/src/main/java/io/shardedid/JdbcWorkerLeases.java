package io.shardedid;

import java.util.List;

import javax.sql.DataSource;

import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;

/**
 * Creates the source that leases a worker id from a table in a database. Thread-safe.
 *
 * @since 0.1
 */
public final class JdbcWorkerLeases {

    private JdbcWorkerLeases() {
    }

    /**
     * Returns a source that leases a worker id from the table {@code shardedid_worker} of
     * a database. The lease thread holds one connection of the data source for as long as
     * the engine is open, so a pool needs one connection more, unless it is one of
     * HikariCP or Agroal, which makes a twin. The first start creates the table in an H2
     * or HSQLDB database inside this process; run the script of the jar in any other
     * database.
     * @param dataSource the database of the application
     * @param settings the namespace and the times
     * @return the source, which does not close the data source
     */
    public static WorkerLeases leased(DataSource dataSource, LeaseSettings settings) {
        return JdbcLeases.leased(settings, LeaseConnections.own(dataSource), JdbcLeases.DEFAULT_TABLE,
                JdbcLeases.DEFAULT_INITIALIZATION, List.of());
    }

}
