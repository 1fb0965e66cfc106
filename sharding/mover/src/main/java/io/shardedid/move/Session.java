package io.shardedid.move;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.LongSupplier;

import io.shardedid.worker.table.ConfirmedCommit;
import io.shardedid.worker.table.Credentials;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a mover to one database. Each statement is its own transaction outside
 * of {@link #transaction}. The server ends the session if the mover falls silent inside a
 * transaction, so that a mover that was stopped holds no lock for ever. A commit that a
 * server did not confirm fails like one that nobody answered: what became of it is
 * unknown.
 */
final class Session implements AutoCloseable {

    static final String APPLICATION = "shardedid-move";

    /** How long an answer may take that the server has given up. */
    private static final Duration NETWORK = Duration.ofSeconds(5);

    /** How long a statement may wait for a lock. */
    static final Duration LOCK = Duration.ofSeconds(2);

    private final String database;

    private final Connection connection;

    private final Probe probe;

    /** How long an answer may take, in milliseconds, while nobody is in a hurry. */
    private int patience;

    /** The milliseconds that are left for all statements, while a writer waits. */
    private @Nullable LongSupplier rest;

    private Session(String database, Connection connection, Probe probe) {
        this.database = database;
        this.connection = connection;
        this.probe = probe;
    }

    static Session open(MoveDatabases databases, String name, Duration statement, Probe probe) throws SQLException {
        MoveDatabases.Database database = databases.get(name);
        Session session = new Session(name, connect(database, properties(database, statement)), probe);
        try {
            session.limit(statement);
            // rows are compared as texts, so both databases have to write them alike
            session.execute("""
                    SET synchronous_commit = on; SET lock_timeout = %s; SET SESSION idle_session_timeout = 0;
                    SET idle_in_transaction_session_timeout = %s; SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD';
                    SET IntervalStyle = 'postgres'; SET extra_float_digits = 1; SET bytea_output = 'hex';
                    """.formatted(LOCK.toMillis(), statement.toMillis()));
            return session;
        }
        catch (SQLException ex) {
            session.close();
            throw ex;
        }
    }

    /** A connection that reads changes, and runs no other statements. */
    static Connection replication(MoveDatabases databases, String name, Duration patience) throws SQLException {
        MoveDatabases.Database database = databases.get(name);
        Properties properties = properties(database, patience);
        properties.setProperty("replication", "database");
        properties.setProperty("preferQueryMode", "simple");
        properties.setProperty("assumeMinServerVersion", "15");
        return connect(database, properties);
    }

    private static Properties properties(MoveDatabases.Database database, Duration statement) {
        Properties properties = new Properties();
        if (!database.username().isEmpty()) {
            properties.setProperty("user", database.username());
        }
        if (!database.password().isEmpty()) {
            properties.setProperty("password", database.password());
        }
        if (database.hasSeveralHosts()) {
            properties.setProperty("targetServerType", "primary");
        }
        properties.setProperty("ApplicationName", APPLICATION);
        properties.setProperty("connectTimeout", "10");
        properties.setProperty("socketTimeout", String.valueOf(statement.plus(NETWORK).toSeconds()));
        properties.setProperty("tcpKeepAlive", "true");
        return properties;
    }

    /** Drivers quote URLs, and a URL may have a password. */
    private static Connection connect(MoveDatabases.Database database, Properties properties) throws SQLException {
        try {
            return DriverManager.getConnection(database.url(), properties);
        }
        catch (SQLException ex) {
            throw (Credentials.of(database.url(), database.password()).without(ex) instanceof SQLException clean)
                    ? clean : ex;
        }
    }

    String database() {
        return this.database;
    }

    /**
     * Limits each statement from now on: the server ends it after that time, and if the
     * server itself falls silent, the session ends some seconds later.
     */
    void limit(Duration each) throws SQLException {
        this.patience = millis(each.plus(NETWORK));
        execute("SET statement_timeout = " + millis(each));
    }

    /**
     * Ends the session if the server has not answered when the time is over, however many
     * statements are sent until then.
     * @param rest says how many milliseconds are left; null if nobody waits any more
     */
    void hurry(@Nullable LongSupplier rest) {
        this.rest = rest;
    }

    /** Limits the wait for a lock from now on. */
    void limitLock(Duration each) throws SQLException {
        execute("SET lock_timeout = " + millis(each));
    }

    private void awaitAnswers() throws SQLException {
        LongSupplier left = this.rest;
        long millis = (left != null) ? Math.min(left.getAsLong(), this.patience) : this.patience;
        if (millis < 1) {
            throw new SQLTimeoutException("The time of the statement is over: database=" + this.database,
                    MoveContext.CANCELLED);
        }
        this.connection.setNetworkTimeout(Runnable::run, (int) millis);
    }

    private static int millis(Duration time) {
        return (int) Math.min(Integer.MAX_VALUE, time.toMillis());
    }

    void execute(String sql, @Nullable Object... parameters) throws SQLException {
        rows(sql, parameters);
    }

    int update(String sql, @Nullable Object... parameters) throws SQLException {
        this.probe.before(this.database, sql);
        awaitAnswers();
        try (PreparedStatement statement = prepare(sql, parameters)) {
            return this.connection.getAutoCommit() ? ConfirmedCommit.update(statement, Duration.ZERO)
                    : statement.executeUpdate();
        }
    }

    long number(String sql, @Nullable Object... parameters) throws SQLException {
        return Long.parseLong(text(sql, parameters));
    }

    boolean holds(String sql, @Nullable Object... parameters) throws SQLException {
        return text(sql, parameters).equals("t");
    }

    /**
     * Returns the first column of the first row; empty if there is none, or it is null.
     */
    String text(String sql, @Nullable Object... parameters) throws SQLException {
        List<List<@Nullable String>> rows = rows(sql, parameters);
        String value = rows.isEmpty() ? null : rows.get(0).get(0);
        return (value != null) ? value : "";
    }

    /** Returns the first column of all rows. */
    List<String> texts(String sql, @Nullable Object... parameters) throws SQLException {
        return rows(sql, parameters).stream().map((row) -> String.valueOf(row.get(0))).toList();
    }

    List<List<@Nullable String>> rows(String sql, @Nullable Object... parameters) throws SQLException {
        this.probe.before(this.database, sql);
        awaitAnswers();
        try (PreparedStatement statement = prepare(sql, parameters)) {
            List<List<@Nullable String>> rows = new ArrayList<>();
            if (statement.execute()) {
                try (ResultSet found = statement.getResultSet()) {
                    int columns = found.getMetaData().getColumnCount();
                    while (found.next()) {
                        List<@Nullable String> row = new ArrayList<>();
                        for (int column = 1; column <= columns; column++) {
                            row.add(found.getString(column));
                        }
                        rows.add(row);
                    }
                }
            }
            return rows;
        }
    }

    private PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
        PreparedStatement statement = this.connection.prepareStatement(sql);
        for (int at = 0; at < parameters.length; at++) {
            statement.setObject(at + 1, parameters[at]);
        }
        return statement;
    }

    /** Runs statements in one transaction. */
    <T> T transaction(Work<T> work) throws SQLException {
        boolean done = false;
        this.connection.setAutoCommit(false);
        try {
            T result = work.run();
            this.probe.before(this.database, "COMMIT");
            awaitAnswers();
            ConfirmedCommit.commit(this.connection);
            done = true;
            return result;
        }
        finally {
            if (!done) {
                rollback();
            }
            else {
                this.connection.setAutoCommit(true);
            }
        }
    }

    private void rollback() {
        try {
            this.connection.rollback();
            this.connection.setAutoCommit(true);
        }
        catch (SQLException ex) {
            // the server rolls back when the connection is gone; the first failure counts
        }
    }

    @Override
    public void close() {
        try {
            this.connection.close();
        }
        catch (SQLException ex) {
            // it is gone
        }
    }

    /**
     * Statements.
     *
     * @param <T> what they return
     */
    @FunctionalInterface
    interface Work<T> {

        T run() throws SQLException;

    }

    /** Sees each statement before it is sent: where tests stop a mover. */
    @FunctionalInterface
    interface Probe {

        Probe NONE = (database, sql) -> {
        };

        void before(String database, String sql);

    }

}
