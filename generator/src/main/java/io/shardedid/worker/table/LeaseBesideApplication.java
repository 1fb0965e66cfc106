package io.shardedid.worker.table;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Connections of the keeper beside the databases that the rows of the application go to.
 *
 * @param lease the keeper's
 * @param application the application's
 */
record LeaseBesideApplication(LeaseConnections lease, List<LeaseConnections> application) implements LeaseConnections {

    LeaseBesideApplication {
        application = List.copyOf(application);
    }

    @Override
    public Connection open(Duration timeout) throws SQLException {
        return this.lease.open(timeout);
    }

    @Override
    public boolean keep() {
        return this.lease.keep();
    }

    @Override
    public boolean mayBePrivate() {
        return this.lease.mayBePrivate();
    }

    @Override
    public String describe() {
        return this.lease.describe();
    }

}
