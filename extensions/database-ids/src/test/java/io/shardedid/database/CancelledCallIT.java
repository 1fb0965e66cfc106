package io.shardedid.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A call that is cancelled between any two of its steps keeps no lock, with which all
 * others would wait forever.
 */
@Tag("database")
class CancelledCallIT {

    private static final int CLIENTS = 4;

    private static final int CANCELLED_CALLS = 500;

    private static final String CANCELLED = "57014";

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    @Test
    void keepsNoLockWhereverItWasCancelled() throws Exception {
        this.database.execute(new DatabaseIds(IdLayout.standard(), 2000, ShardFunction.modulo(), Duration.ofHours(1),
                Duration.ofSeconds(5))
            .script(""));
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<Integer>> all = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                all.add(threads.submit(this::locksAfterManyCancelledCalls));
            }
            for (Future<Integer> one : all) {
                assertThat(one.get(30, TimeUnit.SECONDS)).as("locks of a session").isZero();
            }
        }
        finally {
            threads.shutdownNow();
        }
    }

    private int locksAfterManyCancelledCalls() throws SQLException {
        try (Connection connection = this.database.connect(); Statement statement = connection.createStatement()) {
            int session = number(statement, "SELECT pg_backend_pid()");
            statement.execute("SET statement_timeout = '1ms'");
            int cancelled = 0;
            while (cancelled < CANCELLED_CALLS) {
                try {
                    statement.execute("SELECT max(shardedid_next(7)) FROM generate_series(1, 1000)");
                }
                catch (SQLException ex) {
                    assertThat(ex.getSQLState()).as(ex.getMessage()).isEqualTo(CANCELLED);
                    cancelled++;
                }
            }
            return locksOf(session);
        }
    }

    /*
     * Another session counts: in this one each statement may be cancelled, also that
     * which sets the timeout back.
     */
    private int locksOf(int session) throws SQLException {
        try (Connection connection = this.database.connect(); Statement statement = connection.createStatement()) {
            return number(statement, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = " + session);
        }
    }

    private static int number(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getInt(1);
        }
    }

}
