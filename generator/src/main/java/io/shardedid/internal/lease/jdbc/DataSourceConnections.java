package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import javax.sql.DataSource;

/**
 * Connections of a data source.
 *
 * @param dataSource the data source
 * @param keep whether it is the keeper's own
 */
record DataSourceConnections(DataSource dataSource, boolean keep) implements LeaseConnections {

    @Override
    public Connection open(Duration timeout) throws SQLException {
        return this.dataSource.getConnection();
    }

    /** Its class only: toString of some data sources shows credentials. */
    @Override
    public String describe() {
        return (this.keep ? "own " : "borrowed from ") + this.dataSource.getClass().getName();
    }

}
