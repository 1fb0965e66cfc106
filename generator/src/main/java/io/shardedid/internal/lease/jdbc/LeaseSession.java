package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Types;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TimeSource;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import org.jspecify.annotations.Nullable;

/**
 * An open connection to the lease table. Each statement is a transaction of its own: the
 * session turns autocommit on, and refuses a connection on which another transaction is
 * open. It leaves the isolation level as it is, because no statement reads again what
 * another one has read.
 */
final class LeaseSession {

    /** How often a statement is sent that others make the database roll back. */
    static final int ATTEMPTS = 10;

    private static final long LONGEST_PAUSE_NANOS = 20_000_000;

    private static final int UNLIMITED = -1;

    private final LeaseConnections source;

    private final Connection connection;

    private final LeaseSql sql;

    private final String namespace;

    private final LeaseTimeouts timeouts;

    private final boolean autoCommitBefore;

    private final int networkMillisBefore;

    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    private LeaseSession(LeaseConnections source, Connection connection, LeaseTableName name, String namespace,
            LeaseTimeouts timeouts) throws SQLException {
        this.source = source;
        this.connection = connection;
        this.namespace = namespace;
        this.timeouts = timeouts;
        DatabaseMetaData database = connection.getMetaData();
        LeaseDialect dialect = LeaseDialect.of(database);
        this.sql = new LeaseSql(dialect, dialect.quoted(name, database));
        if (connection.isReadOnly()) {
            throw new ShardedIdConfigurationException(
                    "Could not lease a worker id: connection=%s, read-only=true (a lease is a write)"
                        .formatted(source.describe()),
                    "mark a data source that writes with '@ShardedIdDataSource', or set 'shardedid.worker.lease.url'");
        }
        // what the driver says of autocommit does not tell: MariaDB and MySQL leave it on
        // within a transaction that a statement has begun
        if (dialect.inTransaction(connection)) {
            throw shared("a transaction is open on it");
        }
        this.autoCommitBefore = dialect.autoCommit(connection);
        if (!this.autoCommitBefore) {
            connection.setAutoCommit(true);
            if (!dialect.autoCommit(connection)) {
                throw new ShardedIdConfigurationException(
                        ("Could not use the lease table: connection=%s, autocommit after setAutoCommit(true)=false "
                                + "(each write is a transaction of its own, and nobody would commit it)")
                            .formatted(connection.getClass().getName()),
                        "set 'shardedid.worker.lease.url'");
            }
        }
        this.networkMillisBefore = limitReads(ofDriver(connection), timeouts.networkMillis());
    }

    /**
     * Looks whether the connection is still the keeper's alone. In another transaction a
     * write would be part of that one, and a commit would end it.
     * @throws ShardedIdConfigurationException if another transaction is open on it
     */
    void checkAlone() throws SQLException {
        if (!this.connection.getAutoCommit()) {
            throw shared("its autocommit is off");
        }
        if (this.sql.dialect() == LeaseDialect.POSTGRESQL && this.sql.dialect().inTransaction(this.connection)) {
            throw shared("a transaction is open on it");
        }
    }

    private ShardedIdConfigurationException shared(String reason) {
        return new ShardedIdConfigurationException(
                ("Could not use the lease table: connection=%s (%s: the lease must neither end the "
                        + "transaction of others nor write within it)")
                    .formatted(this.connection.getClass().getName(), reason),
                "give the lease connections of its own by 'shardedid.worker.lease.url'");
    }

    /** Opens a connection and a session on it, or closes the connection. */
    static LeaseSession open(LeaseConnections source, Duration timeout, LeaseTableName name, String namespace,
            LeaseTimeouts timeouts) throws SQLException {
        Connection connection;
        try {
            connection = source.open(timeout);
        }
        catch (ShardedIdConfigurationException ex) {
            throw ex;
        }
        catch (SQLException | RuntimeException ex) {
            throw DriverFailure.unquoted(ex);
        }
        try {
            return new LeaseSession(source, connection, name, namespace, timeouts);
        }
        catch (SQLException | RuntimeException ex) {
            quietly(() -> source.close(connection));
            throw ex;
        }
    }

    /**
     * Without it a read from a dead socket ends after hours, whatever the query timeout.
     * HikariCP gives up a connection of its own whose driver says that it has none.
     * @return what was set before; {@value #UNLIMITED} if the driver has no such timeout
     */
    private static int limitReads(Connection driver, int millis) throws SQLException {
        try {
            int before = driver.getNetworkTimeout();
            driver.setNetworkTimeout(Runnable::run, millis);
            return before;
        }
        catch (SQLFeatureNotSupportedException ex) {
            return UNLIMITED;
        }
    }

    /** The connection of the driver, on which a call has no effect on a pool. */
    static Connection ofDriver(Connection connection) throws SQLException {
        return connection.isWrapperFor(Connection.class) ? connection.unwrap(Connection.class) : connection;
    }

    Connection connection() {
        return this.connection;
    }

    String namespace() {
        return this.namespace;
    }

    LeaseSql sql() {
        return this.sql;
    }

    /**
     * Executes a statement. One that the database rolls back, because another one was
     * faster, did not happen, and is sent again.
     */
    LeaseReply execute(LeaseStatement statement) throws SQLException {
        for (int attempt = 1; true; attempt++) {
            try {
                return executeOnce(statement);
            }
            catch (SQLException ex) {
                if (attempt == ATTEMPTS || !this.sql.dialect().rolledBack(ex)) {
                    throw ex;
                }
                pause();
            }
        }
    }

    static void pause() {
        TimeSource.system().park(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
    }

    /** Reads one row. */
    Optional<LeaseRow> read(int worker) throws SQLException {
        return ((LeaseReply.Rows) execute(new LeaseStatement.ReadOne(worker))).row(worker);
    }

    LeaseReply executeOnce(LeaseStatement statement) throws SQLException {
        if (statement instanceof LeaseStatement.ReadAll) {
            return rows(bound(this.sql.readAll(), this.namespace));
        }
        if (statement instanceof LeaseStatement.ReadOne read) {
            return rows(bound(this.sql.readOne(), this.namespace, read.worker()));
        }
        if (statement instanceof LeaseStatement.Insert insert) {
            return insert(insert);
        }
        return new LeaseReply.Written(confirmed(prepared((LeaseStatement.Update) statement)));
    }

    private LeaseReply rows(PreparedStatement query) throws SQLException {
        try (ResultSet found = query.executeQuery()) {
            long databaseMillis = Long.MIN_VALUE;
            List<LeaseRow> rows = new ArrayList<>();
            while (found.next()) {
                databaseMillis = Math.max(databaseMillis, millis(found));
                if (found.getString(3) != null) {
                    rows.add(new LeaseRow(found.getInt(2), found.getString(3), found.getLong(4), found.getLong(5),
                            found.getLong(6), found.getString(7), found.getString(8)));
                }
            }
            rows.sort(Comparator.comparingInt(LeaseRow::worker));
            return new LeaseReply.Rows(databaseMillis, List.copyOf(rows));
        }
    }

    /**
     * The clock of the reply. A timestamp without its time zone would be local time,
     * which repeats an hour each autumn, so none is taken.
     */
    private long millis(ResultSet found) throws SQLException {
        if (this.sql.dialect().comparesItsClock()) {
            return found.getLong(1);
        }
        ResultSetMetaData columns = found.getMetaData();
        if (columns.getColumnType(1) != Types.TIMESTAMP_WITH_TIMEZONE) {
            DatabaseMetaData database = this.connection.getMetaData();
            throw new ShardedIdConfigurationException(
                    ("Could not use the lease table: database=%s %s, type of CURRENT_TIMESTAMP=%s (the clock must "
                            + "come with its time zone: local time repeats an hour each autumn)")
                        .formatted(database.getDatabaseProductName(), database.getDatabaseProductVersion(),
                                columns.getColumnTypeName(1)),
                    "name a supported database in 'shardedid.worker.lease.url'");
        }
        return found.getObject(1, OffsetDateTime.class).toInstant().toEpochMilli();
    }

    private void refuseGuard(boolean guarded) throws SQLException {
        if (guarded && !this.sql.dialect().comparesItsClock()) {
            throw new SQLFeatureNotSupportedException(
                    "No statement compares the clock of this database: 'tolerate-lost-commits' is not supported");
        }
    }

    private LeaseReply insert(LeaseStatement.Insert insert) throws SQLException {
        try {
            int rows = confirmed(prepared(insert));
            // too late, if there is a latest time; the next read shows which
            return (rows == 0 && insert.latestMillis() == null) ? new LeaseReply.DuplicateKey()
                    : new LeaseReply.Written(rows);
        }
        catch (SQLException ex) {
            if (this.sql.dialect().duplicateKey(ex)) {
                return new LeaseReply.DuplicateKey();
            }
            throw ex;
        }
    }

    PreparedStatement prepared(LeaseStatement.Insert insert) throws SQLException {
        refuseGuard(insert.latestMillis() != null);
        LeaseRow row = insert.row();
        List<@Nullable Object> values = new ArrayList<@Nullable Object>(
                Arrays.<@Nullable Object>asList(this.namespace, row.worker(), row.token(), row.acquisitions(),
                        row.leaseUntilMillis(), row.hwmTick(), row.owner(), row.layout()));
        if (this.sql.dialect().comparesItsClock()) {
            values.add((insert.latestMillis() != null) ? insert.latestMillis() : Long.MAX_VALUE);
        }
        return bound(this.sql.insert(), values.toArray());
    }

    PreparedStatement prepared(LeaseStatement.Update update) throws SQLException {
        LeaseStatement.Guard guard = update.guard();
        refuseGuard(guard != null);
        List<@Nullable Object> values = new ArrayList<>();
        values.add(update.token());
        values.add(update.acquisitionStep());
        values.add(update.leaseUntilMillis());
        values.add(update.hwmTick());
        values.add(update.owner());
        values.add(update.layout());
        values.addAll(List.of(this.namespace, update.worker(), update.seenToken(), update.hwmAtMost()));
        if (guard != null) {
            values.add(guard.latestMillis());
        }
        String text = (guard != null) ? this.sql.guarded(guard.whileLeased()) : this.sql.update();
        return bound(text, values.toArray());
    }

    /**
     * Executes a write of {@link #bound}.
     * @return how many rows it wrote
     * @throws SQLException also if the server did not confirm it
     */
    int confirmed(PreparedStatement write) throws SQLException {
        int rows = ConfirmedCommit.update(write, Duration.ofSeconds(this.timeouts.querySeconds()));
        checkAlone();
        return rows;
    }

    /** Prepares a statement once, and binds texts and whole numbers. */
    PreparedStatement bound(String text, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = this.prepared.get(text);
        if (statement == null) {
            statement = this.connection.prepareStatement(text);
            statement.setQueryTimeout(this.timeouts.querySeconds());
            this.prepared.put(text, statement);
        }
        for (int i = 0; i < values.length; i++) {
            @Nullable Object value = values[i];
            if (value == null) {
                statement.setNull(i + 1, Types.VARCHAR);
            }
            else if (value instanceof String string) {
                statement.setString(i + 1, string);
            }
            else {
                statement.setLong(i + 1, ((Number) value).longValue());
            }
        }
        return statement;
    }

    /** Closes the connection, or gives it back to its pool as it came. */
    void close() {
        quietly(() -> {
            for (PreparedStatement statement : this.prepared.values()) {
                statement.close();
            }
            if (!this.autoCommitBefore) {
                this.connection.setAutoCommit(false);
            }
            if (this.networkMillisBefore != UNLIMITED) {
                ofDriver(this.connection).setNetworkTimeout(Runnable::run, this.networkMillisBefore);
            }
        });
        quietly(() -> this.source.close(this.connection));
    }

    /** Ends a connection on which a call hangs. */
    void abort() {
        quietly(() -> this.source.abort(this.connection));
    }

    private static void quietly(Attempt ending) {
        try {
            ending.make();
        }
        catch (SQLException | RuntimeException ex) {
            // It is gone either way. What cannot be restored is broken; its pool finds
            // out.
        }
    }

    /** What a connection may refuse. */
    @FunctionalInterface
    interface Attempt {

        void make() throws SQLException;

    }

}
