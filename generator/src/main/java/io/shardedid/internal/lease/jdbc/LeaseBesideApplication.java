package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Connections of the keeper beside the databases that the rows of the application go to.
 *
 * @param lease the keeper's
 * @param application the application's
 * @param view what has to read the first lease, or null
 */
record LeaseBesideApplication(LeaseConnections lease, List<LeaseConnections> application,
        @Nullable ApplicationView view) implements LeaseConnections {

    LeaseBesideApplication {
        application = List.copyOf(application);
    }

    @Override
    public Connection open(Duration timeout) throws SQLException {
        return this.lease.open(timeout);
    }

    @Override
    public void close(Connection connection) throws SQLException {
        this.lease.close(connection);
    }

    @Override
    public void abort(Connection connection) throws SQLException {
        this.lease.abort(connection);
    }

    @Override
    public boolean sharedWithCallers() {
        return this.lease.sharedWithCallers();
    }

    @Override
    public @Nullable String typedUrl() {
        return this.lease.typedUrl();
    }

    @Override
    public LeaseConnections beside(List<LeaseConnections> databases) {
        return new LeaseBesideApplication(this.lease, databases, this.view);
    }

    @Override
    public String describe() {
        return this.lease.describe();
    }

}
