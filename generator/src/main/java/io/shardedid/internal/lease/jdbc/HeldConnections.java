package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

import javax.sql.DataSource;

import io.shardedid.ShardedIdConfigurationException;

/**
 * Connections of a data source, of which one may be held for as long as the process
 * lives. Where the data source is a pool, that is one place of it.
 */
final class HeldConnections implements LeaseConnections {

    private final DataSource dataSource;

    private final boolean held;

    private final Optional<KnownDataSource> kind;

    HeldConnections(DataSource dataSource, boolean held) {
        this.dataSource = dataSource;
        this.held = held;
        this.kind = KnownDataSource.of(dataSource);
    }

    @Override
    public Connection open(Duration timeout) throws SQLException {
        this.kind.filter((pool) -> this.held && pool.size(this.dataSource).orElse(0) == 1)
            .ifPresent(this::refuseAPoolOfOne);
        Connection connection = this.dataSource.getConnection();
        boolean ready = false;
        try {
            endWhatIsLeft(connection);
            ready = true;
            return connection;
        }
        finally {
            if (!ready) {
                connection.close();
            }
        }
    }

    /**
     * A known pool lends a connection to nobody else, so a transaction on it is one that
     * its last borrower or a check of the pool has left open.
     */
    private void endWhatIsLeft(Connection connection) throws SQLException {
        if (this.kind.map(KnownDataSource::setting).isPresent() && !connection.getAutoCommit()) {
            connection.rollback();
        }
    }

    private void refuseAPoolOfOne(KnownDataSource pool) {
        String setting = String.valueOf(pool.setting());
        throw new ShardedIdConfigurationException(
                ("'%s' of the connection pool must be 2 or more: %1$s=1, data source=%s (the lease of the worker id "
                        + "holds one connection of it)")
                    .formatted(setting, this.dataSource.getClass().getName()),
                "set it to 2, or set 'shardedid.worker.lease.url'", setting);
    }

    /** What is not known may be a pool. */
    @Override
    public boolean sharedWithCallers() {
        return this.kind.map((known) -> known.setting() != null).orElse(true);
    }

    /** Its class only: toString of some data sources shows credentials. */
    @Override
    public String describe() {
        return "a connection of " + this.dataSource.getClass().getName();
    }

}
