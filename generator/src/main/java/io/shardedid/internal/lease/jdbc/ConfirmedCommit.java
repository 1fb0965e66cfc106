package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.List;

import io.shardedid.TimeSource;
import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * Commits, and believes the server only if it says nothing against it.
 *
 * <p>
 * A commit of PostgreSQL waits for its synchronous standby. A query timeout or an
 * administrator that cancels it ends the wait alone: the transaction is committed here,
 * perhaps nowhere else, and the server reports success and a warning. Nothing of such a
 * commit may be relied on.
 *
 * <p>
 * The SQLState decides, since the text is translated, and so is the severity that drivers
 * show. PostgreSQL gives {@code 01000} to each warning that has no state of its own, and
 * a state of class 57 where an operator intervenes; its notices have {@code 00000}. A
 * trigger of the owner's that raises such a state itself is taken at its word.
 *
 * <p>
 * A pool may hide the warning. Therefore an answer that came as late as the query timeout
 * is no confirmation either: the driver may have cancelled the wait. An administrator's
 * hand behind such a pool stays unseen.
 *
 * @apiNote The type is public for integrations such as {@code shardedid-shard-move}.
 * @since 0.1
 */
public final class ConfirmedCommit {

    /** SQLState of a connection that broke: what became of the transaction is unknown. */
    public static final String UNKNOWN = "08007";

    /** SQLState of a warning that has no state of its own. */
    private static final String WARNING = "01000";

    /** SQLState class of what an operator did. */
    private static final String OPERATOR = "57";

    private ConfirmedCommit() {
    }

    /**
     * Executes a write whose transaction ends with it.
     * @param write the write, on a connection with autocommit
     * @param cancelled when the driver cancels the write; zero if it never does
     * @return how many rows were written
     * @throws SQLException if the write failed, or the server did not confirm it:
     * {@link #UNKNOWN}
     */
    public static int update(PreparedStatement write, Duration cancelled) throws SQLException {
        Connection connection = write.getConnection();
        write.clearWarnings();
        connection.clearWarnings();
        TimeSource time = TimeSource.system();
        long began = time.nanoTime();
        int rows = write.executeUpdate();
        long took = time.nanoTime() - began;
        check(write.getWarnings());
        check(connection.getWarnings());
        if (!cancelled.isZero() && took >= cancelled.toNanos()) {
            throw new SQLException(
                    "Could not confirm a commit: answered after=%s, query timeout=%s (the driver may have cancelled the "
                        .formatted(MessageText.duration(Duration.ofMillis(took / 1_000_000)),
                                MessageText.duration(cancelled))
                            + "wait for a synchronous standby); see whether the standbys of the database follow",
                    UNKNOWN);
        }
        return rows;
    }

    /**
     * Commits a transaction.
     * @param connection the connection of the transaction
     * @throws SQLException if the commit failed, or the server did not confirm it:
     * {@link #UNKNOWN}
     */
    public static void commit(Connection connection) throws SQLException {
        connection.clearWarnings();
        connection.commit();
        check(connection.getWarnings());
    }

    private static void check(@Nullable SQLWarning warnings) throws SQLException {
        if (warnings == null) {
            return;
        }
        List<Throwable> chain = DriverFailure.chain(warnings);
        for (Throwable each : chain) {
            if (each instanceof SQLException warning && speaksAgainst(String.valueOf(warning.getSQLState()))) {
                throw unconfirmed(warning.getSQLState() + " " + LeaseTableSetup.oneLine(warning), warnings);
            }
        }
        if (chain.size() >= DriverFailure.DEEPEST) {
            throw unconfirmed("more than " + (DriverFailure.DEEPEST - 1), warnings);
        }
    }

    private static boolean speaksAgainst(String state) {
        return state.equals(WARNING) || state.startsWith(OPERATOR);
    }

    private static SQLException unconfirmed(String warning, SQLWarning cause) {
        return new SQLException(("Could not confirm a commit: warning=%s (the commit counts only if the server says "
                + "nothing against it); see whether the synchronous standbys of the database follow")
            .formatted(warning), UNKNOWN, cause);
    }

}
