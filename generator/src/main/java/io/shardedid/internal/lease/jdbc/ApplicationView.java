package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TimeSource;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import org.jspecify.annotations.Nullable;

/**
 * The lease table as the application's own connections find it. The keeper's connection
 * was found by what a data source shows, which may lead to another table; only a write
 * that is read proves that it does not: a copy of a database has all that was written
 * before it was made.
 *
 * @param connections those of the application
 * @param several whether rows also go to other databases than that one
 */
record ApplicationView(LeaseConnections connections, boolean several) {

    private static final System.Logger LOG = System.getLogger(ApplicationView.class.getName());

    /** The first connection may take four times as long as the others. */
    private static final LeaseTimeouts TIMEOUTS = new LeaseTimeouts(Duration.ofMillis(750), Duration.ofSeconds(2));

    /**
     * How long another row is looked at: one who reads from a standby may see it late.
     */
    private static final long PATIENCE_NANOS = Duration.ofSeconds(2).toNanos();

    private static final long PAUSE_NANOS = 100_000_000;

    private static final String REMEDY = "mark the data source that leads to the lease table with "
            + "'@ShardedIdDataSource', set 'shardedid.worker.lease.url', or name the schema in "
            + "'shardedid.worker.lease.table'";

    /**
     * Looks for a row that the keeper has written.
     * @param keeper the keeper's connection, for messages
     * @throws ShardedIdConfigurationException if the application reads another row
     */
    void check(LeaseTableName name, String namespace, String keeper, int worker, Supplier<Set<String>> tokens) {
        TimeSource time = TimeSource.system();
        long began = time.nanoTime();
        try (SqlLeaseTable table = new SqlLeaseTable(this.connections, name, namespace, SchemaInitialization.NEVER,
                TIMEOUTS)) {
            while (true) {
                Set<String> written = new HashSet<>(tokens.get());
                Look look = table.beside(2, (open) -> look(open, worker));
                written.addAll(tokens.get());
                if (look.token() != null && written.contains(look.token())) {
                    return;
                }
                if (time.nanoTime() - began >= PATIENCE_NANOS || Thread.currentThread().isInterrupted()) {
                    refuse(name, keeper, worker, look);
                    return;
                }
                time.park(PAUSE_NANOS);
            }
        }
        catch (ShardedIdConfigurationException ex) {
            throw ex;
        }
        catch (Exception ex) {
            warn(name, keeper, LeaseTableSetup.oneLine(ex));
        }
    }

    private static Look look(LeaseSession open, int worker) throws SQLException {
        LeaseDialect dialect = open.sql().dialect();
        try {
            LeaseReply reply = open.execute(new LeaseStatement.ReadOne(worker));
            LeaseRow row = (reply instanceof LeaseReply.Rows rows) ? rows.row(worker).orElse(null) : null;
            return new Look((row != null) ? row.token() : null,
                    (row != null) ? "its row was written by another process" : "the table has no row of it",
                    readOnly(open.connection(), dialect));
        }
        catch (SQLException ex) {
            if (!dialect.missingTable(ex) || !dialect.tellsMissingTables()) {
                throw ex;
            }
            return new Look(null, "there is no such table", readOnly(open.connection(), dialect));
        }
    }

    /** Whether the server takes no writes: a standby may show what was written late. */
    private static boolean readOnly(Connection connection, LeaseDialect dialect) throws SQLException {
        String query = switch (dialect) {
            case POSTGRESQL -> "SELECT pg_catalog.current_setting('transaction_read_only') = 'on'";
            case MARIADB, MYSQL -> "SELECT @@global.read_only";
            case H2, HSQLDB, GENERIC -> null;
        };
        if (query == null) {
            return connection.isReadOnly();
        }
        try (Statement statement = connection.createStatement(); ResultSet found = statement.executeQuery(query)) {
            return found.next() && found.getBoolean(1);
        }
    }

    private void refuse(LeaseTableName name, String keeper, int worker, Look look) {
        if (look.readOnly() || this.several) {
            warn(name, keeper, "the application's connection %s, and %s"
                .formatted(look.readOnly() ? "is read only" : "leads to one of several databases", look.reason()));
            return;
        }
        throw new ShardedIdConfigurationException(
                ("Could not use the lease table: table=%s, connection=%s, worker id=%s (the application's "
                        + "data source does not read the lease that was just written there: %s; it leads to another "
                        + "table than this connection, and processes with other tables make duplicate ids)")
                    .formatted(name, keeper, worker, look.reason()),
                REMEDY);
    }

    private static void warn(LeaseTableName name, String keeper, String reason) {
        LOG.log(System.Logger.Level.WARNING,
                "Could not find out whether the application''s data source leads to the lease table: table={0}, "
                        + "connection={1} ({2}). If it leads to another table, processes may make duplicate ids; {3}",
                name, keeper, reason, REMEDY);
    }

    /**
     * What the application reads.
     *
     * @param token the token of the row, or null if there is none
     * @param reason what is wrong, if the token is
     * @param readOnly whether the server takes no writes
     */
    private record Look(@Nullable String token, String reason, boolean readOnly) {
    }

}
