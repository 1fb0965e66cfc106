package io.shardedid.routing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.Map;
import java.util.function.Supplier;

import io.shardedid.shards.ShardFence;
import io.shardedid.shards.ShardMovedException;
import io.shardedid.spring.boot.ShardedIdDataSource;

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
@ShardedIdDataSource // the default target, which is the home of the lease table
final class RoutingDataSource extends AbstractRoutingDataSource {

    /** A shard does not move more often while one connection is waited for. */
    private static final int ATTEMPTS = 5;

    private final Databases databases;

    private final Supplier<ShardBindings> bindings;

    RoutingDataSource(Databases databases, Supplier<ShardBindings> bindings) {
        this.databases = databases;
        this.bindings = bindings;
        setTargetDataSources(Map.copyOf(databases.pools()));
        setDefaultTargetDataSource(databases.pool(databases.home()));
        setLenientFallback(false);
    }

    /** Nothing but the default is found by a key. */
    @Override
    protected Object determineCurrentLookupKey() {
        throw new UnsupportedOperationException("Could not connect: the router takes no other user and password");
    }

    /**
     * A connection can take long, if its pool is exhausted. If the shard has moved
     * meanwhile, nothing has been done on the connection, so it is given back.
     */
    @Override
    public Connection getConnection() throws SQLException {
        ShardBindings known = this.bindings.get();
        boolean inTransaction = isInTransaction();
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Place place = known.place();
            Connection connection = null;
            boolean taken = false;
            try {
                connection = this.databases.pool(place.database()).getConnection();
                if (place.isCurrent()) {
                    if (place.isRouted()) {
                        this.databases.lookForFence(place.database(), connection);
                    }
                    taken = true;
                    return !inTransaction ? connection
                            : place.isReference() ? reading(connection, known) : prepared(connection, place, known);
                }
            }
            finally {
                if (!taken && connection != null) {
                    connection.close();
                }
            }
        }
        throw new ShardMovedException(
                "Could not choose a database: the shard has moved each time while a connection was waited for: attempts=%s; repeat the call"
                    .formatted(ATTEMPTS));
    }

    /** The shard of the transaction is not known yet, and may be anywhere. */
    private Connection reading(Connection connection, ShardBindings known) throws SQLException {
        boolean prepared = false;
        try {
            connection.setReadOnly(true);
            Integer isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
            if (isolation != null) {
                connection.setTransactionIsolation(isolation);
            }
            prepared = true;
            return ReferenceConnection.of(connection, known, this);
        }
        finally {
            if (!prepared) {
                connection.close();
            }
        }
    }

    /**
     * The connection gets what Spring would have set when the transaction began. Then the
     * transaction enters its shard, if it has to.
     */
    private Connection prepared(Connection connection, Place place, ShardBindings known) throws SQLException {
        boolean prepared = false;
        try {
            BitSet shards = place.connected((shard) -> enterLate(connection, shard));
            if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
                connection.setReadOnly(true);
            }
            Integer isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
            if (isolation != null) {
                connection.setTransactionIsolation(isolation);
            }
            if (!shards.isEmpty()) {
                connection.setAutoCommit(false);
                for (int shard = shards.nextSetBit(0); shard >= 0; shard = shards.nextSetBit(shard + 1)) {
                    enter(connection, shard);
                }
            }
            prepared = true;
            return (shards.isEmpty() || isolation == null) ? connection : RoutedConnection.of(connection, isolation);
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
            ShardMovedException moved = Refusals.byFence(ex);
            if (moved != null) {
                throw moved;
            }
            throw ex;
        }
    }

}
