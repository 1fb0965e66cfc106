package io.shardedid.move;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.shardedid.shards.ShardFence;
import io.shardedid.internal.lease.jdbc.ConfirmedCommit;
import io.shardedid.internal.lease.jdbc.Credentials;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a mover to one database. Each statement is its own transaction outside
 * of {@link #transaction}. The server ends the session if the mover falls silent inside a
 * transaction, so that a mover that was stopped holds no lock forever. A commit that a
 * server did not confirm fails like one that nobody answered: what became of it is
 * unknown.
 */
final class Session implements AutoCloseable {

    static final String APPLICATION = "shardedid-move";

    /** How long an answer may take that the server has given up. */
    private static final Duration NETWORK = Duration.ofSeconds(5);

    /** How long a statement may wait for a lock. */
    static final Duration LOCK = Duration.ofSeconds(2);

    /** The schemas with homes of a role of the account. */
    static final String HOMES = """
            SELECT string_agg(n.nspname, ', ' ORDER BY n.nspname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE c.relname = 'shardedid_home' AND c.relkind = 'r' AND c.relpersistence = 'p' AND pg_has_role(c.relowner, 'USAGE')""";

    /** An ambiguous name. */
    private static final String SEVERAL = "42P09";

    private final String database;

    private final Connection connection;

    private final Probe probe;

    /** How long an answer may take, in milliseconds, while nobody is in a hurry. */
    private int patience;

    /** The schemas where the account looks for names, in their order, as an array. */
    private String schemas = "{}";

    /** The schema of the fence, as SQL names it; null if there is none. */
    private @Nullable String home;

    /** The schema of the shard map, as SQL names it; null until it was asked for. */
    private @Nullable String map;

    /** The number of the server's version, as 150018. */
    private int version;

    /** The milliseconds that are left for all statements, while a writer waits. */
    private @Nullable LongSupplier rest;

    private Session(String database, Connection connection, Probe probe) {
        this.database = database;
        this.connection = connection;
        this.probe = probe;
    }

    static Session open(MoveDatabases databases, String name, Duration statement, Probe probe) throws SQLException {
        MoveDatabases.Database database = databases.databases().get(name);
        if (database == null) {
            throw MoveException.refused("Database '%s' is not configured: %s".formatted(name,
                    MoveDatabases.missing(name, "databases=" + new TreeSet<>(databases.databases().keySet()))));
        }
        Session session = new Session(name, connect(database, properties(database, statement)), probe);
        try {
            session.settle(statement, database.saysSchema());
            return session;
        }
        catch (SQLException ex) {
            session.close();
            throw ex;
        }
    }

    /**
     * Nothing of the account, of the database or of the server decides what a statement
     * of the mover means, or ends it. An operator or a function in a schema of the search
     * path would be taken if it suits better than that of PostgreSQL, so there is no such
     * schema, and every statement names the schemas of its tables.
     */
    private void settle(Duration statement, boolean saysSchema) throws SQLException {
        this.patience = millis(statement.plus(NETWORK));
        List<@Nullable String> first = rows(
                "SELECT pg_catalog.current_schemas(false), pg_catalog.current_setting('server_version_num')")
            .get(0);
        this.schemas = String.valueOf(first.get(0));
        this.version = Integer.parseInt(first.get(1));
        execute("SET search_path = pg_catalog, pg_temp; SET row_security = off");
        limit(statement);
        // rows are compared as texts, so both databases have to write them alike
        execute("""
                SET synchronous_commit = on; SET lock_timeout = %s; SET SESSION idle_session_timeout = 0;
                SET idle_in_transaction_session_timeout = %s; SET default_transaction_read_only = off;
                SET default_transaction_isolation = 'read committed';
                SET standard_conforming_strings = on; SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD';
                SET IntervalStyle = 'postgres'; SET extra_float_digits = 1; SET bytea_output = 'hex';
                """.formatted(LOCK.toMillis(), statement.toMillis())
                + (isAtLeast(17) ? "SET transaction_timeout = 0" : ""));
        // the account may lack the right to set what is right already
        execute("SELECT set_config('session_replication_role', 'origin', false) WHERE current_setting('session_replication_role') <> 'origin'");
        String schema = schemaOf("shardedid_home", "r");
        this.home = schema.isEmpty() ? null : schema;
        if (this.home != null && !saysSchema) {
            requireOnlyHomes(schema);
        }
    }

    /**
     * A superuser goes by homes of any role, and what plans with those of a stranger runs
     * functions of their indexes.
     */
    private void requireOnlyHomes(String schema) throws SQLException {
        String others = text(HOMES + " AND quote_ident(n.nspname) <> ?", schema);
        if (!others.isEmpty()) {
            throw new SQLException(
                    "Database %s has several fences: schemas=%s, found=%s (a mover goes by one of them); say which one by shardedid.databases.%1$s.url=...?currentSchema=%3$s"
                        .formatted(this.database, others, schema),
                    SEVERAL);
        }
    }

    /** Returns whether the server has a major version, or a later one. */
    boolean isAtLeast(int major) {
        return this.version / 10_000 >= major;
    }

    /**
     * Returns the first schema in which the account finds a lasting relation of a kind
     * that belongs to a role of its own, as SQL names it; empty if there is none.
     */
    String schemaOf(String relation, String kind) throws SQLException {
        return schemaOf(this.schemas, relation, kind);
    }

    private String schemaOf(String among, String relation, String kind) throws SQLException {
        return text(
                """
                        SELECT quote_ident(n.nspname) FROM unnest(?::name[]) WITH ORDINALITY AS p (name, at)
                          JOIN pg_namespace n ON n.nspname = p.name JOIN pg_class c ON c.relnamespace = n.oid
                         WHERE c.relname = ? AND c.relkind::text = ? AND c.relpersistence = 'p' AND pg_has_role(c.relowner, 'USAGE')
                         ORDER BY p.at LIMIT 1""",
                among, relation, kind);
    }

    /** The schemas where the account looks for names, in their order, as an array. */
    String schemas() {
        return this.schemas;
    }

    /** Names a table of the shard map, as SQL does. */
    String mapTable(MoveDatabases databases, String table) throws SQLException {
        if (this.map == null) {
            String schema = databases.mapSchema();
            String found = schemaOf((schema != null) ? "{%s}".formatted(FencedTable.quoted(schema)) : this.schemas,
                    "shardedid_shard", "r");
            if (found.isEmpty()) {
                throw new SQLException(
                        "no table shardedid_shard of the account of the mover, or of a role whose member it is: schemas=%s; let lease.table name the schema, or GRANT the role that owns the map"
                            .formatted((schema != null) ? "{%s}".formatted(schema) : this.schemas),
                        "42501");
            }
            this.map = found;
        }
        return "%s.%s".formatted(this.map, table);
    }

    /** Writes texts as an array. */
    static String array(Collection<String> texts) {
        return texts.stream()
            .map((text) -> "\"%s\"".formatted(text.replace("\\", "\\\\").replace("\"", "\\\"")))
            .collect(Collectors.joining(",", "{", "}"));
    }

    boolean isFenced() {
        return this.home != null;
    }

    /** The schema of the fence, as SQL names it. */
    String home() {
        if (this.home == null) {
            throw MoveException
                .refused("Database %s has no fence in the schemas of the mover: schemas=%s; see 'shards plan'"
                    .formatted(this.database, this.schemas));
        }
        return this.home;
    }

    /** Names a table of the fence, as SQL does. */
    String own(String table) {
        return "%s.%s".formatted(home(), table);
    }

    /**
     * Refuses two names of one database: a move would close, count and delete the rows of
     * one as those of the other.
     */
    void requireOther(Session other) throws SQLException {
        if (isFenced() && other.isFenced() && ShardFence.sameHomes(this.connection, own("shardedid_home"),
                other.connection, other.own("shardedid_home"))) {
            throw MoveException.refused(
                    "Names of databases must lead to different ones: databases=[%s, %s] (both find the same %s, and the server refuses one the lock of the other); correct shardedid.databases.%1$s.url or shardedid.databases.%2$s.url"
                        .formatted(this.database, other.database, own("shardedid_home")));
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
     * @param rest says how many milliseconds are left, at least one, or throws; null if
     * nobody waits any more
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
        catch (SQLException ex) {
            throw named(ex);
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
        catch (SQLException ex) {
            throw named(ex);
        }
    }

    /**
     * Adds the transactions that lock tables to a failure to get a lock. Behind the fence
     * it asks nothing, because writers wait.
     */
    private SQLException named(SQLException failure) {
        if (!MoveContext.LOCK_TIMEOUT.equals(failure.getSQLState()) || this.rest != null) {
            return failure;
        }
        try {
            return !this.connection.getAutoCommit() ? failure
                    : new SQLException("%s: transactions that lock tables: %s".formatted(
                            String.valueOf(failure.getMessage()).lines().findFirst().orElse(""),
                            Transactions.thatLock(this)), failure.getSQLState(), failure);
        }
        catch (SQLException ex) {
            failure.addSuppressed(ex);
            return failure;
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
        try {
            return inTransaction(work);
        }
        catch (SQLException ex) {
            throw named(ex);
        }
    }

    private <T> T inTransaction(Work<T> work) throws SQLException {
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
