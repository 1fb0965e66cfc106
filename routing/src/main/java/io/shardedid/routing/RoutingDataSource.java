package io.shardedid.routing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.Supplier;

import io.shardedid.shards.ShardFence;
import io.shardedid.shards.ShardMovedException;

import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Takes the connection of a statement from the pool of the database that the transaction
 * or the scope is in. The home database is its default only so that the lease finds its
 * way there; no statement takes the default.
 */
final class RoutingDataSource extends AbstractRoutingDataSource {

    private final Supplier<ShardBindings> bindings;

    RoutingDataSource(Databases databases, Supplier<ShardBindings> bindings) {
        this.bindings = bindings;
        setTargetDataSources(Map.copyOf(databases.pools()));
        setDefaultTargetDataSource(databases.pool(databases.home()));
        setLenientFallback(false);
    }

    @Override
    protected Object determineCurrentLookupKey() {
        return this.bindings.get().database();
    }

    /**
     * What Spring would have said to the connection when the transaction began, it is
     * told now. Then the transaction enters its shard, if it has to.
     */
    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        ShardBindings known = this.bindings.get();
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            known.moved().wrote();
            return connection;
        }
        boolean prepared = false;
        try {
            if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
                connection.setReadOnly(true);
            }
            Integer isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
            if (isolation != null) {
                connection.setTransactionIsolation(isolation);
            }
            int shard = known.connected();
            if (shard >= 0) {
                connection.setAutoCommit(false);
                enter(connection, shard);
            }
            prepared = true;
            return connection;
        }
        catch (ShardMovedException ex) {
            known.hasMoved();
            throw ex;
        }
        finally {
            if (!prepared) {
                connection.close();
            }
        }
    }

    /**
     * Lets the transaction of a connection enter a shard.
     * @throws ShardMovedException if the shard is not in this database
     */
    static void enter(Connection connection, int shard) throws SQLException {
        try (PreparedStatement enter = connection.prepareStatement(ShardFence.ENTER)) {
            enter.setInt(1, shard);
            enter.execute();
        }
        catch (SQLException ex) {
            ShardMovedException moved = MovedShards.in(ex);
            if (moved != null) {
                throw moved;
            }
            throw ex;
        }
    }

}
