package io.shardedid.move;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import io.shardedid.internal.lease.jdbc.ConfirmedCommit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyOperation;
import org.postgresql.copy.CopyOut;

/**
 * A connection of a mover to one database, as the account of the application. Each
 * statement is its own transaction outside of {@link #transaction}. The server ends the
 * session if the mover falls silent, so that a mover that was stopped holds no lock for
 * long. It never connects again: a mover whose session is gone has lost its locks.
 */
final class Session implements AutoCloseable {

    /** How long an answer may take that the server has given up. */
    private static final Duration NETWORK = Duration.ofSeconds(5);

    /** How long a statement may take that neither copies nor looks at rows. */
    private static final Duration STATEMENT = Duration.ofSeconds(30);

    /** What a failed login is, in our own words: a driver may quote what is secret. */
    private static final Map<String, String> LOGIN = Map.of("28", "login refused", "3D", "no such database", "08",
            "server not reached", "57", "server starts or stops", "53", "too many connections");

    private static final int OLDEST = 150_000;

    private final String database;

    private final Connection connection;

    private final Probe probe;

    private Session(String database, Connection connection, Probe probe) {
        this.database = database;
        this.connection = connection;
        this.probe = probe;
    }

    /**
     * Connects.
     * @param idle how long the server lets the session be silent
     * @throws SQLException if the server does not answer
     * @throws MoveException if the server is too old or a standby, or the account has
     * more rights than a mover may have
     */
    static Session open(MoveDatabases databases, String name, Duration idle, Probe probe) throws SQLException {
        Session session = new Session(name, connect(databases.get(name), name), probe);
        try {
            session.settle(idle);
            session.limit(STATEMENT);
            return session;
        }
        catch (SQLException | RuntimeException ex) {
            session.close();
            throw ex;
        }
    }

    private static Connection connect(MoveDatabases.Database database, String name) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("ApplicationName", "shardedid-move");
        properties.setProperty("connectTimeout", "10");
        properties.setProperty("socketTimeout", String.valueOf(STATEMENT.plus(NETWORK).toSeconds()));
        properties.setProperty("tcpKeepAlive", "true");
        if (!database.username().isEmpty()) {
            properties.setProperty("user", database.username());
        }
        if (!database.password().isEmpty()) {
            properties.setProperty("password", database.password());
        }
        if (database.hasSeveralHosts()) {
            properties.setProperty("targetServerType", "primary");
        }
        try {
            return DriverManager.getConnection(database.url(), properties);
        }
        catch (SQLException ex) {
            String state = String.valueOf(ex.getSQLState());
            throw new SQLException(
                    "Could not connect: database=%s, SQLState=%s (%s: %s)".formatted(name, state,
                            ex.getClass().getSimpleName(), LOGIN.getOrDefault(
                                    state.substring(0, Math.min(2, state.length())), "see the log of the server")),
                    state);
        }
    }

    /** Limits how long each of the next statements may take. */
    private void limit(Duration limit) throws SQLException {
        execute("SELECT set_config('statement_timeout', ?, false)", String.valueOf(limit.toMillis()));
        this.connection.setNetworkTimeout(Runnable::run, (int) limit.plus(NETWORK).toMillis());
    }

    /** Runs statements each of which may take longer. */
    <T> T within(Duration limit, Work<T> work) throws SQLException {
        limit(limit);
        T result = work.run();
        limit(STATEMENT);
        return result;
    }

    /**
     * Settings that decide what a statement means are the same in both databases, because
     * rows are copied and compared as texts.
     */
    private void settle(Duration idle) throws SQLException {
        List<@Nullable String> facts = rows(
                """
                        SELECT current_setting('server_version_num'), pg_is_in_recovery(), current_setting('server_encoding'),
                               current_user, (SELECT concat_ws(', ', CASE WHEN rolsuper THEN 'SUPERUSER' END,
                                 CASE WHEN rolreplication THEN 'REPLICATION' END, CASE WHEN rolbypassrls THEN 'BYPASSRLS' END)
                                 FROM pg_catalog.pg_roles WHERE rolname = current_user),
                               array_to_string('{pg_catalog}' || ARRAY(SELECT quote_ident(s) FROM unnest(current_schemas(false)) s), ', ')""")
            .get(0);
        require(Integer.parseInt(facts.get(0)) >= OLDEST,
                "its server must be PostgreSQL 15 or later: version=%s; upgrade it", facts.get(0));
        require("f".equals(facts.get(1)), "it must not be a standby; let its URL lead to the primary");
        require(String.valueOf(facts.get(4)).isEmpty(),
                "its account must have no rights above the application's: account='%s', rights=%s; give the account of the application, which owns the tables",
                facts.get(3), facts.get(4));
        require("UTF8".equals(facts.get(2)), "it must have the encoding UTF8: server_encoding=%s; move it by pg_dump",
                facts.get(2));
        execute("""
                SET search_path = %s; SET row_security = off; SET synchronous_commit = on;
                SET lock_timeout = '2s'; SET idle_in_transaction_session_timeout = %s;
                SET idle_session_timeout = %2$s; SET tcp_keepalives_idle = 60; SET tcp_keepalives_interval = 10;
                SET default_transaction_read_only = off;
                SET default_transaction_isolation = 'read committed'; SET standard_conforming_strings = on;
                SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres'; SET lc_monetary = 'C';
                SET extra_float_digits = 1; SET bytea_output = 'hex'; SET xmloption = content""".formatted(facts.get(5),
                idle.toMillis()));
        execute("SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'");
    }

    private void require(boolean so, String rule, @Nullable Object... values) {
        if (!so) {
            throw MoveException
                .refused("Could not use database %s: %s".formatted(this.database, rule.formatted(values)));
        }
    }

    String database() {
        return this.database;
    }

    boolean answers() {
        try {
            return this.connection.isValid((int) NETWORK.toSeconds());
        }
        catch (SQLException ex) {
            return false;
        }
    }

    void execute(String sql, @Nullable Object... parameters) throws SQLException {
        rows(sql, parameters);
    }

    int update(String sql, @Nullable Object... parameters) throws SQLException {
        this.probe.before(this.database, sql);
        try (PreparedStatement statement = prepare(sql, parameters)) {
            return this.connection.getAutoCommit() ? ConfirmedCommit.update(statement, Duration.ZERO)
                    : statement.executeUpdate();
        }
    }

    boolean holds(String sql, @Nullable Object... parameters) throws SQLException {
        return text(sql, parameters).equals("t");
    }

    /** The first column of the first row; empty if there is none, or it is null. */
    String text(String sql, @Nullable Object... parameters) throws SQLException {
        List<List<@Nullable String>> rows = rows(sql, parameters);
        String value = rows.isEmpty() ? null : rows.get(0).get(0);
        return (value != null) ? value : "";
    }

    List<List<@Nullable String>> rows(String sql, @Nullable Object... parameters) throws SQLException {
        this.probe.before(this.database, sql);
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

    /** Sends the rows of a query into a table of another database. */
    long copy(String query, Session target, String table, Runnable check) throws SQLException {
        String sql = "COPY (%s) TO STDOUT".formatted(query);
        this.probe.before(this.database, sql);
        CopyIn to = target.connection.unwrap(PGConnection.class)
            .getCopyAPI()
            .copyIn("COPY %s FROM STDIN".formatted(table));
        CopyOut from = null;
        try {
            from = this.connection.unwrap(PGConnection.class).getCopyAPI().copyOut(sql);
            for (byte[] row = from.readFromCopy(); row != null; row = from.readFromCopy()) {
                to.writeToCopy(row, 0, row.length);
                check.run();
            }
            return to.endCopy();
        }
        finally {
            cancel(to);
            cancel(from);
        }
    }

    private static void cancel(@Nullable CopyOperation copy) {
        try {
            if (copy != null && copy.isActive()) {
                copy.cancelCopy();
            }
        }
        catch (SQLException ex) {
            // the first failure counts, and the transaction is rolled back
        }
    }

    /** Runs statements in one transaction, and commits it. */
    <T> T transaction(Work<T> work) throws SQLException {
        return transaction(Connection.TRANSACTION_READ_COMMITTED, true, work);
    }

    /** Runs statements on one snapshot. */
    <T> T snapshot(boolean commits, Work<T> work) throws SQLException {
        return transaction(Connection.TRANSACTION_REPEATABLE_READ, commits, work);
    }

    /** Runs statements that are rolled back. */
    <T> T tried(Work<T> work) throws SQLException {
        return transaction(Connection.TRANSACTION_READ_COMMITTED, false, work);
    }

    private <T> T transaction(int isolation, boolean commits, Work<T> work) throws SQLException {
        boolean done = false;
        this.connection.setTransactionIsolation(isolation);
        this.connection.setAutoCommit(false);
        try {
            T result = work.run();
            if (commits) {
                this.probe.before(this.database, "COMMIT");
                ConfirmedCommit.commit(this.connection);
                done = true;
            }
            return result;
        }
        finally {
            try {
                if (!done) {
                    this.connection.rollback();
                }
                this.connection.setAutoCommit(true);
            }
            catch (SQLException ex) {
                // the server rolls back when the connection is gone; the first failure
                // counts
            }
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

        void before(String database, String sql);

    }

}
