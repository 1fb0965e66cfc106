package io.shardedid.routing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.Map;
import java.util.function.Supplier;

import io.shardedid.shards.ShardFence;
import io.shardedid.shards.ShardMovedException;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.SQLStateSQLExceptionTranslator;
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
        if (!isInTransaction()) {
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
            BitSet shards = known.connected((shard) -> enterLate(connection, shard));
            if (!shards.isEmpty()) {
                connection.setAutoCommit(false);
                for (int shard = shards.nextSetBit(0); shard >= 0; shard = shards.nextSetBit(shard + 1)) {
                    enter(connection, shard);
                }
            }
            prepared = true;
            return (isolation != null && !shards.isEmpty()) ? isolated(connection, isolation) : connection;
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
     * Returns whether a transaction is going on. While those who wait for its end are
     * told of it, Spring still calls it active, but nobody can wait for its end any more.
     */
    private static boolean isInTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    /**
     * A transaction that Spring has begun on the connection itself sets its isolation
     * level there once more, which cannot be done any more after the connection has
     * entered a shard, because that begins the transaction.
     */
    private static Connection isolated(Connection connection, Integer isolation) {
        return (Connection) Proxy.newProxyInstance(RoutingDataSource.class.getClassLoader(),
                new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
                    if (method.getName().equals("setTransactionIsolation") && isolation.equals(arguments[0])) {
                        return null;
                    }
                    try {
                        return method.invoke(connection, arguments);
                    }
                    catch (InvocationTargetException ex) {
                        throw ex.getTargetException();
                    }
                });
    }

    /**
     * Lets a connection enter a shard in the middle of its transaction, where neither
     * Hibernate nor a template is there to translate a failure.
     * @throws ShardMovedException if the shard is not in this database
     * @throws DataAccessException if it could not be entered
     */
    private static void enterLate(Connection connection, int shard) {
        try {
            if (!connection.isClosed()) {
                enter(connection, shard);
            }
        }
        catch (SQLException ex) {
            String task = "Could not enter shard: shard=" + shard;
            DataAccessException translated = new SQLStateSQLExceptionTranslator().translate(task, ShardFence.ENTER, ex);
            throw (translated != null) ? translated : new UncategorizedSQLException(task, ShardFence.ENTER, ex);
        }
    }

    /**
     * Lets the transaction of a connection enter a shard.
     * @throws ShardMovedException if the shard is not in this database
     */
    private static void enter(Connection connection, int shard) throws SQLException {
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
