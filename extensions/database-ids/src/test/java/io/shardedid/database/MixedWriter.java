package io.shardedid.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * Inserts rows, batch by batch, each batch a transaction of its own that waits until it
 * is safe on disk. Whether rows have an id is the subclass's matter.
 */
abstract class MixedWriter {

    static final int BATCH = 100;

    private static final String DUPLICATE_KEY = "23505";

    private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

    private final String url;

    private final Random random;

    /**
     * Makes a writer that has not begun.
     * @param url the database
     * @param seed of the keys of its rows
     */
    MixedWriter(String url, long seed) {
        this.url = url;
        this.random = new Random(seed);
    }

    /** Inserts a row for each of the users. */
    abstract void insert(Connection connection, long[] users) throws SQLException;

    /** Is told that the commit of the last batch was acknowledged. */
    void committed() {
    }

    /**
     * Inserts as many rows as are asked for, and possibly more: a batch whose commit had
     * no answer is done again, with other rows.
     * @param rows how many commits are to be acknowledged for
     * @param onFault whether to go on with another connection when one broke
     * @param acknowledged is told how many there are after each commit
     */
    final void write(long rows, boolean onFault, LongConsumer acknowledged) throws SQLException {
        long done = 0;
        long lastSuccess = System.nanoTime();
        while (done < rows) {
            try (Connection connection = DriverManager.getConnection(this.url, "postgres", "")) {
                connection.createStatement().execute("SET synchronous_commit = on");
                connection.setAutoCommit(false);
                while (done < rows) {
                    insert(connection, this.random.longs(Math.min(BATCH, rows - done), 0, Long.MAX_VALUE).toArray());
                    connection.commit();
                    committed();
                    done += Math.min(BATCH, rows - done);
                    acknowledged.accept(done);
                    lastSuccess = System.nanoTime();
                }
            }
            catch (SQLException ex) {
                if (!onFault || DUPLICATE_KEY.equals(ex.getSQLState())
                        || System.nanoTime() - lastSuccess > PATIENCE_NANOS) {
                    throw ex;
                }
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        }
    }

}
