package io.shardedid.shards;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

import io.shardedid.IdField;
import io.shardedid.IdLayout;
import org.jspecify.annotations.Nullable;

/**
 * The fence in PostgreSQL, 15 or later, around the shards of a database. A transaction
 * that inserts, updates or deletes a row enters the shard of the row once: from then on
 * until it ends, no mover can move that shard away, and a transaction that comes too late
 * fails.
 *
 * @since 0.1
 */
public final class ShardFence {

    /** The SQLSTATE of "the shard is not in this database". */
    public static final String MOVED = "SI001";

    /** Lets the transaction enter a shard, the parameter; by the search path. */
    public static final String ENTER = "SELECT shardedid_enter(?)";

    private static final String HOMES = "SELECT to_regclass(?)::oid::text";

    private static final String LOCK = "SELECT pg_try_advisory_xact_lock(?)::text";

    /** How long each answer may take when two connections are compared. */
    private static final int ANSWER_MILLIS = 5_000;

    private static final String SCRIPT = "shard-fence-postgresql.sql";

    private ShardFence() {
    }

    /**
     * Returns the script of the fence, for {@code psql}, Flyway and Liquibase. It belongs
     * into every database that holds shards, in the schema of the tables, and it may run
     * again at any time.
     * @param layout the layout of the ids
     * @param shards the number of logical shards
     * @param tables the tables, as SQL names them, whose primary key is a sharded id in a
     * column {@code id}; they have to exist
     * @return statements, each ended by a semicolon at the end of a line
     * @throws ShardMapException if the layout has not so many shards
     */
    public static String script(IdLayout layout, int shards, String... tables) {
        if (shards < 1 || shards > 1L << layout.shardBits()) {
            throw new ShardMapException(
                    "Could not write the fence: shards must be in [1, %s] (shard-bits=%s): shards=%s"
                        .formatted(1L << layout.shardBits(), layout.shardBits(), shards));
        }
        StringBuilder script = new StringBuilder(read()).append("\nSELECT shardedid_homes(%s);\n".formatted(shards));
        for (String table : tables) {
            script.append("SELECT shardedid_fence('%s', 'id', %s, %s);\n".formatted(table.replace("'", "''"),
                    layout.shiftOf(IdField.SHARD), (1L << layout.shardBits()) - 1));
        }
        return script.toString();
    }

    /**
     * Returns whether two connections lead to the same homes of shards: both find the
     * same table, and the server refuses one a lock that the other has. A system
     * identifier would not do, because a restored copy has it, too. Changes nothing, and
     * locks a random number, so that several processes do not meet each other. Asks each
     * connection in one transaction, so a pooler may stand before the server.
     * @param one a connection without an open transaction
     * @param homes the table of the homes as SQL names it there
     * @param other another connection without an open transaction
     * @param otherHomes the table of the homes as SQL names it there
     * @return false also if a connection finds no such table
     * @throws SQLException if a database does not say it in 5 seconds
     */
    public static boolean sameHomes(Connection one, String homes, Connection other, String otherHomes)
            throws SQLException {
        long number = UUID.randomUUID().getMostSignificantBits();
        return inTransaction(one, () -> {
            String found = ask(one, HOMES, homes);
            return found != null && "true".equals(ask(one, LOCK, number)) && inTransaction(other,
                    () -> found.equals(ask(other, HOMES, otherHomes)) && "false".equals(ask(other, LOCK, number)));
        });
    }

    private static boolean inTransaction(Connection connection, Question question) throws SQLException {
        int limit = connection.getNetworkTimeout();
        boolean autoCommit = connection.getAutoCommit();
        connection.setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
        connection.setAutoCommit(false);
        try {
            return question.holds();
        }
        finally {
            connection.rollback();
            connection.setAutoCommit(autoCommit);
            connection.setNetworkTimeout(Runnable::run, limit);
        }
    }

    private static @Nullable String ask(Connection connection, String sql, Object value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, value);
            try (ResultSet found = statement.executeQuery()) {
                return found.next() ? found.getString(1) : null;
            }
        }
    }

    private static String read() {
        try (InputStream script = ShardFence.class.getResourceAsStream(SCRIPT)) {
            if (script == null) {
                throw new IllegalStateException("script must be in the jar: name=" + SCRIPT);
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** What a connection is asked. */
    @FunctionalInterface
    private interface Question {

        boolean holds() throws SQLException;

    }

}
