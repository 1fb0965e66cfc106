package io.shardedid.internal.lease.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TimeSource;
import io.shardedid.internal.lease.LeaseRow;
import org.jspecify.annotations.Nullable;

/**
 * The lease table as the application's own connections find it. The keeper's connection
 * may lead to another table; only a write that is read proves that it does not: a copy of
 * a database has all that was written before it was made.
 *
 * @param connections those of the application
 */
record ApplicationView(LeaseConnections connections) {

    /** How long another row is looked at: a copy may show a write late. */
    private static final long PATIENCE_NANOS = Duration.ofSeconds(3).toNanos();

    private static final long PAUSE_NANOS = 100_000_000;

    /**
     * Looks for a row that the keeper has written.
     * @param keeper the keeper's connection, for messages
     * @return false if the application has no connection now
     * @throws ShardedIdConfigurationException if the application does not read the row
     */
    boolean check(LeaseTableName name, String namespace, String keeper, int worker, Supplier<Set<String>> tokens) {
        TimeSource time = TimeSource.system();
        long began = time.nanoTime();
        try (SqlLeaseTable table = new SqlLeaseTable(this.connections, name, namespace, SchemaInitialization.NEVER,
                LeaseTimeouts.DEFAULT)) {
            while (true) {
                Set<String> written = new HashSet<>(tokens.get());
                Optional<LeaseRow> row = table.beside(1, (open) -> open.read(worker));
                written.addAll(tokens.get());
                if (row.filter((each) -> written.contains(each.token())).isPresent()) {
                    return true;
                }
                if (time.nanoTime() - began >= PATIENCE_NANOS) {
                    throw refusal(name, keeper, worker,
                            row.isPresent() ? "its row was written by another process" : "the table has no row of it",
                            null);
                }
                if (Thread.currentThread().isInterrupted()) {
                    return false;
                }
                time.park(PAUSE_NANOS);
            }
        }
        catch (ShardedIdConfigurationException ex) {
            throw ex;
        }
        catch (Exception ex) {
            if (DriverFailure.isTransient(ex) || !(ex instanceof SQLException)) {
                return false;
            }
            throw refusal(name, keeper, worker, LeaseTableSetup.oneLine(ex), ex);
        }
    }

    private static ShardedIdConfigurationException refusal(LeaseTableName name, String keeper, int worker,
            String reason, @Nullable Exception cause) {
        return new ShardedIdConfigurationException(new ShardedIdConfigurationException.Problem(
                ("Could not use the lease table: table=%s, connection=%s, worker id=%s (the application's data source "
                        + "does not read the lease that was just written there: %s; it leads to another table than "
                        + "this connection, and processes with other tables make duplicate ids)")
                    .formatted(name, keeper, worker, reason),
                "mark the data source that leads to the lease table with '@ShardedIdDataSource', set "
                        + "'shardedid.worker.lease.url', or name the schema in 'shardedid.worker.lease.table'"),
                cause);
    }

}
