package io.shardedid.move;

import java.io.IOException;
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
import org.postgresql.copy.PGCopyOutputStream;

/**
 * A connection of a mover to one database, as the account of the application. Each
 * statement is its own transaction outside of {@link #transaction}. The server ends the
 * session if the mover falls silent, so that a mover that was stopped holds no lock for
 * long. It never connects again: a mover whose session is gone has lost its locks.
 */
record Session(String database, Connection connection, Probe probe) implements AutoCloseable {

    /** How long an answer may take that the server has given up. */
    private static final Duration NETWORK = Duration.ofSeconds(5);

    /** How long a statement may take that neither copies nor looks at rows. */
    private static final Duration STATEMENT = Duration.ofSeconds(30);

    /** Connects. The server ends the session if it is silent for longer than it may. */
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
        // of several hosts the primary; a standby that is alone is refused by name
        properties.putAll(Map.of("ApplicationName", "shardedid-move", "connectTimeout", "10", "socketTimeout",
                String.valueOf(STATEMENT.plus(NETWORK).toSeconds()), "tcpKeepAlive", "true", "targetServerType",
                "preferPrimary"));
        if (!database.username().isEmpty()) {
            properties.setProperty("user", database.username());
        }
        if (!database.password().isEmpty()) {
            properties.setProperty("password", database.password());
        }
        try {
            return DriverManager.getConnection(database.url(), properties);
        }
        catch (SQLException ex) {
            // without the text and the cause, which may have the URL with its password
            throw new SQLException("Could not connect: database=%s, SQLState=%s (%s); see the log of the server"
                .formatted(name, ex.getSQLState(), ex.getClass().getSimpleName()), ex.getSQLState());
        }
    }

    /** Limits how long each of the next statements may take. */
    void limit(Duration limit) throws SQLException {
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
        require(Integer.parseInt(facts.get(0)) >= 150_000,
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

    boolean answers() throws SQLException {
        return this.connection.isValid((int) NETWORK.toSeconds());
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
            ResultSet found = statement.execute() ? statement.getResultSet() : null;
            while (found != null && found.next()) {
                List<@Nullable String> row = new ArrayList<>();
                for (int column = 1; column <= found.getMetaData().getColumnCount(); column++) {
                    row.add(found.getString(column));
                }
                rows.add(row);
            }
            return rows;
        }
    }

    /** Takes an advisory lock of a table, and of a key that may be an expression. */
    void lock(String function, String table, String key, Object value) throws SQLException {
        execute("SELECT %s(?::regclass::oid::integer, %s)".formatted(function, key), table, value);
    }

    /** Says who has such a lock; empty if nobody else has. */
    String inside(String table, String key, Object value) throws SQLException {
        return text("""
                SELECT string_agg(coalesce('pid ' || pid, 'a prepared transaction'), ', ') FROM pg_locks
                 WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = ?::regclass
                   AND objid = (%s::bigint & 4294967295)::oid AND pid IS DISTINCT FROM pg_backend_pid()
                   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())""".formatted(key),
                table, value);
    }

    private PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
        PreparedStatement statement = this.connection.prepareStatement(sql);
        for (int at = 0; at < parameters.length; at++) {
            statement.setObject(at + 1, parameters[at]);
        }
        return statement;
    }

    /** Sends the rows of a query into a table of another database. */
    long copy(String query, Session target, String table) throws SQLException {
        String sql = "COPY (%s) TO STDOUT".formatted(query);
        this.probe.before(this.database, sql);
        try (PGCopyOutputStream rows = new PGCopyOutputStream(target.connection.unwrap(PGConnection.class),
                "COPY %s FROM STDIN".formatted(table))) {
            this.connection.unwrap(PGConnection.class).getCopyAPI().copyOut(sql, rows);
            return rows.endCopy();
        }
        catch (IOException ex) {
            throw (ex.getCause() instanceof SQLException sent) ? sent : new SQLException(ex);
        }
    }

    /** Runs statements in one transaction, which is committed or rolled back. */
    <T> T transaction(boolean commits, Work<T> work) throws SQLException {
        this.connection.setAutoCommit(false);
        try {
            T result = work.run();
            if (commits) {
                this.probe.before(this.database, "COMMIT");
                ConfirmedCommit.commit(this.connection);
            }
            return result;
        }
        finally {
            try {
                this.connection.rollback();
                this.connection.setAutoCommit(true);
            }
            catch (SQLException ex) {
                // the connection is gone, and so is the transaction
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
    interface Work<T> {

        T run() throws SQLException;

    }

    /** Sees each statement before it is sent: where tests stop a mover. */
    interface Probe {

        void before(String database, String sql);

    }

}
