package io.shardedid.worker.table;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdConfigurationException.Problem;
import io.shardedid.ShardedIdException;
import io.shardedid.worker.KeeperErrand;
import io.shardedid.worker.LeaseStore;
import org.jspecify.annotations.Nullable;

/**
 * The database of the lease table, as an errand of the keeper uses it for tables beside
 * the lease table: on the keeper's connection, in bounded time, and with tables that are
 * made by the same rule. Used by one thread at a time, which is the keeper's.
 *
 * @apiNote The type is public for integrations such as {@code shardedid-shards}.
 * @since 0.1
 * @see KeeperErrand
 */
public final class KeeperDatabase {

    /**
     * To look for a table and to make it takes no longer than so many slow statements.
     */
    private static final int SETUP_STATEMENTS = 2;

    /** SQLState class of a statement that the database does not understand. */
    private static final String NOT_UNDERSTOOD = "42";

    private final SqlLeaseTable leases;

    private KeeperDatabase(SqlLeaseTable leases) {
        this.leases = leases;
    }

    /**
     * Returns the database of a store of leases.
     * @param store the store
     * @return the database, or empty if the store is none
     */
    public static Optional<KeeperDatabase> of(LeaseStore store) {
        return (store instanceof SqlLeaseTable leases) ? Optional.of(new KeeperDatabase(leases)) : Optional.empty();
    }

    /**
     * Makes tables where the lease table would be made, and tries the rights.
     * @param tables the tables
     * @throws Exception what {@link Table#refusal} made if a table cannot be made or
     * used; any other exception may pass
     */
    public void ensure(List<? extends Table> tables) throws Exception {
        refusing(() -> this.leases.beside(SETUP_STATEMENTS * tables.size(), (open) -> {
            for (Table table : tables) {
                setup(table).ensure(open);
            }
            return true;
        }));
    }

    /**
     * Does some work with a table.
     * @param <T> the type of the result
     * @param table the table
     * @param statements how many statements the work sends at most
     * @param work the work
     * @return what the work returned
     * @throws Exception what {@link Table#refusal} made if the work will fail again until
     * something is changed; any other exception may pass
     */
    public <T> T use(Table table, int statements, Work<T> work) throws Exception {
        return refusing(() -> this.leases.beside(statements, (open) -> {
            try {
                return work.on(new Session(open, name(table)));
            }
            catch (SQLException ex) {
                LeaseDialect dialect = open.sql().dialect();
                boolean lasts = dialect.missingTable(ex) || dialect.missingRight(ex) || dialect.readOnly(ex)
                        || String.valueOf(ex.getSQLState()).startsWith(NOT_UNDERSTOOD);
                throw lasts ? setup(table).refusal(open, ex) : ex;
            }
        }));
    }

    private static <T> T refusing(Call<T> call) throws Exception {
        try {
            return call.make();
        }
        catch (LastingRefusal ex) {
            throw ex.table().refusal(ex.problem(), ex.getCause());
        }
    }

    private LeaseTableSetup setup(Table table) {
        return new LeaseTableSetup(new Beside(table, name(table)), this.leases.initialization());
    }

    private LeaseTableName name(Table table) {
        return this.leases.name().beside(table.tableName());
    }

    /**
     * A table beside the lease table, in the same schema.
     *
     * @since 0.1
     */
    public interface Table {

        /**
         * Returns what the table is.
         * @return a few words for a message
         */
        String what();

        /**
         * Returns the name of the table.
         * @return the name, without a schema, which it also has in its scripts
         */
        String tableName();

        /**
         * Returns the path of the scripts that make it.
         * @return the path of a resource in the jar of this class, without the database:
         * {@code a/b} for {@code a/b-h2.sql}
         */
        String scripts();

        /**
         * Returns the artifact whose jar has the scripts.
         * @return the artifact's name
         */
        String artifact();

        /**
         * Returns the rights that a process needs.
         * @return the rights as GRANT lists them
         */
        String rights();

        /**
         * Runs every statement that is always needed, so that it finds no row: the
         * database checks columns and rights all the same.
         * @param session the session
         * @throws SQLException if a statement failed
         */
        void probe(Session session) throws SQLException;

        /**
         * Makes the exception for a table that cannot be used until something is changed.
         * @param problem what is wrong with the table
         * @param cause the failure that led to this one
         * @return the exception
         */
        ShardedIdException refusal(Problem problem, @Nullable Throwable cause);

    }

    /**
     * Work with a table.
     *
     * @param <T> the type of the result
     * @since 0.1
     */
    @FunctionalInterface
    public interface Work<T> {

        /**
         * Does the work.
         * @param session the session, which is valid until the work returns
         * @return the result
         * @throws SQLException if a statement failed
         */
        T on(Session session) throws SQLException;

    }

    /**
     * The keeper's connection, and the words of its database.
     *
     * @since 0.1
     */
    public static final class Session {

        private final LeaseSession open;

        private final LeaseTableName name;

        private Session(LeaseSession open, LeaseTableName name) {
            this.open = open;
            this.name = name;
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
            return this.open.sql().dialect().quoted(this.name, this.open.connection().getMetaData());
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
         * Returns the condition that makes a write wait for the disk and bounds its wait
         * for locks.
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

    }

    /**
     * A refusal by which the database has answered, so that the connection is usable. The
     * table makes its own exception of it when it is free of credentials.
     */
    static final class LastingRefusal extends ShardedIdConfigurationException {

        private static final long serialVersionUID = 1L;

        private final transient Table table;

        LastingRefusal(Table table, Problem problem, @Nullable Throwable cause) {
            super(problem, cause);
            this.table = table;
        }

        Table table() {
            return this.table;
        }

    }

    @FunctionalInterface
    private interface Call<T> {

        T make() throws Exception;

    }

    private record Beside(Table table, LeaseTableName name) implements LeaseTableSetup.Table {

        @Override
        public String what() {
            return this.table.what();
        }

        @Override
        public String scripts() {
            return this.table.scripts();
        }

        @Override
        public String jar() {
            return "the jar of '%s'".formatted(this.table.artifact());
        }

        @Override
        public Class<?> inJar() {
            return this.table.getClass();
        }

        @Override
        public String nameInScripts() {
            return this.table.tableName();
        }

        @Override
        public String rights() {
            return this.table.rights();
        }

        @Override
        public void probe(LeaseSession session) throws SQLException {
            this.table.probe(new Session(session, this.name));
        }

        @Override
        public ShardedIdException refusal(Problem problem, SQLException cause) {
            return new LastingRefusal(this.table, problem, cause);
        }

    }

}
