package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.internal.lease.LeaseThreadTask;
import io.shardedid.internal.lease.LeaseStore;
import org.jspecify.annotations.Nullable;

/**
 * The keeper's connection to the database of the lease table, lent to a task of the
 * keeper for a table beside the lease table, and the words of that database. Used by one
 * thread at a time, and not after the loan.
 *
 * @apiNote The type is public for integrations such as {@code shardedid-shards}.
 * @since 0.1
 * @see LeaseThreadTask
 */
public final class KeeperDatabase {

    private final LeaseSession open;

    private final LeaseTableSetup setup;

    private KeeperDatabase(LeaseSession open, LeaseTableSetup setup) {
        this.open = open;
        this.setup = setup;
    }

    /**
     * Returns whether a store of leases is a database, whose connection can be lent.
     * @param store the store
     * @return true for a lease table
     */
    public static boolean isOf(LeaseStore store) {
        return store instanceof SqlLeaseTable;
    }

    /**
     * Lends the connection for as long as some statements may take. Called by the
     * keeper's thread.
     * @param <T> the type of the result
     * @param store a store that is a database
     * @param table the table that the statements are about
     * @param statements how many statements the borrower sends at most, each of which may
     * take as long as one of the lease
     * @param loan what the borrower does
     * @return what the borrower returned
     * @throws ShardedIdConfigurationException if the database has answered that the table
     * cannot be used until something is changed, with that answer as the cause; or,
     * without a cause, if the connection cannot be used
     * @throws Exception if the failure may pass by itself
     */
    public static <T> T lend(LeaseStore store, TableScript table, int statements, Loan<T> loan) throws Exception {
        SqlLeaseTable leases = (SqlLeaseTable) store;
        LeaseTableSetup setup = leases.setupBeside(table);
        return leases.beside(statements, (open) -> {
            try {
                return loan.use(new KeeperDatabase(open, setup));
            }
            catch (SQLException ex) {
                throw open.sql().dialect().refusesUntilChanged(ex) ? setup.refusal(open, ex, null) : ex;
            }
        });
    }

    /**
     * Makes the table where the lease table would be made, and tries the rights.
     * @param probe runs every statement that is always needed, so that it finds no row:
     * the database checks columns and rights all the same
     * @return whether the table was missing
     * @throws SQLException if the failure may pass by itself
     * @throws ShardedIdConfigurationException if the table cannot be made or used
     */
    public boolean ensure(Loan<?> probe) throws SQLException {
        boolean listed = this.open.sql().dialect() == LeaseDialect.POSTGRESQL;
        return this.setup.ensure(this.open, () -> {
            if (listed && !this.setup.exists(this.open)) {
                throw LeaseTableSetup.missing();
            }
            probe.use(this);
        });
    }

    /**
     * Returns the connection.
     * @return the connection, whose autocommit is on and is left on
     */
    public Connection connection() {
        return this.open.connection();
    }

    /**
     * Returns the table in an SQL statement.
     * @return the quoted name, with its schema
     * @throws SQLException if the connection is broken
     */
    public String table() throws SQLException {
        return this.open.sql().dialect().quoted(this.setup.name(), this.open.connection().getMetaData());
    }

    /**
     * Returns the clock of the database in an SQL statement.
     * @return an expression, in milliseconds since 1970
     */
    public String nowMillis() {
        return this.open.sql().dialect().nowMillis();
    }

    /**
     * Returns a table of one row in an SQL statement.
     * @return what follows FROM
     */
    public String oneRow() {
        return this.open.sql().dialect().oneRow();
    }

    /**
     * Returns the condition that makes a write wait for the disk and bounds its wait for
     * locks.
     * @return a condition that is always true
     */
    public String writeCondition() {
        return this.open.sql().dialect().writeCondition();
    }

    /**
     * Prepares a statement, once for each connection, and binds its parameters.
     * @param text the statement
     * @param values texts, whole numbers and nulls
     * @return the statement, which stays open
     * @throws SQLException if it cannot be prepared
     */
    public PreparedStatement bound(String text, @Nullable Object... values) throws SQLException {
        return this.open.bound(text, values);
    }

    /**
     * Executes a write.
     * @param write a statement of {@link #bound}
     * @return how many rows it wrote
     * @throws SQLException if it failed, or if the server did not confirm it
     */
    public int confirmed(PreparedStatement write) throws SQLException {
        return this.open.confirmed(write);
    }

    /**
     * Returns whether a write failed because a row with its key is there.
     * @param failure how it failed
     * @return true for no other constraint
     */
    public boolean duplicateKey(SQLException failure) {
        return this.open.sql().dialect().duplicateKey(failure);
    }

    /**
     * What a borrower does with the connection.
     *
     * @param <T> the type of the result
     * @since 0.1
     */
    @FunctionalInterface
    public interface Loan<T> {

        /**
         * Uses the connection.
         * @param lent the connection, which must not be used after the return
         * @return the result
         * @throws SQLException if a statement failed
         */
        T use(KeeperDatabase lent) throws SQLException;

    }

}
