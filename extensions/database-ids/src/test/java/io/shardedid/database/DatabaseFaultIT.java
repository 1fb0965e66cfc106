package io.shardedid.database;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

import io.shardedid.IdLayout;
import io.shardedid.Seed;
import io.shardedid.ShardFunction;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.internal.lease.fleet.CrashingPostgres;
import io.shardedid.internal.lease.fleet.Signals;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The counter of a database's ids survives what its committed rows survive.
 */
@Tag("proof")
@Tag("nightly")
class DatabaseFaultIT {

    private static final int FAULTS = 20;

    private static final long ROWS_EACH = 25_000;

    /** As far as the clock was set back before: it cannot hide a counter that forgets. */
    private static final String AHEAD_OF_THE_CLOCK = "(shardedid_tick(clock_timestamp()) + 1200000) << 5";

    @Test
    void noCommittedIdRepeatsWhenBackendsAndServerAreKilled(@TempDir Path folder) throws Exception {
        Seed seed = Seed.ofThisRun();
        try (CrashingPostgres server = new CrashingPostgres(folder.resolve("data"))) {
            TestDatabase database = new TestDatabase("jdbc:postgresql://127.0.0.1:%s/postgres".formatted(server.port()),
                    "postgres", "");
            MixedRows.prepare(database, IdLayout.standard(), Duration.ofHours(1));
            database.execute("SELECT setval('shardedid_cell', " + AHEAD_OF_THE_CLOCK + ")");
            prepareACounterThatIsNotLogged(database);
            long committed = insertByCounterThatIsNotLogged(server);
            long bySql = ROWS_EACH * MixedWriters.OF_EACH_KIND;
            Instant began;
            try (MixedWriters writers = new MixedWriters(database.url(), seed, ROWS_EACH, true)) {
                began = writers.begin();
                for (int fault = 0; fault < FAULTS; fault++) {
                    // enough rows are left for the last fault to meet somebody
                    writers.awaitRowsOfClients(bySql * (fault + 1) / (FAULTS + 5));
                    if (fault % 2 == 0) {
                        killABackend(database);
                    }
                    else {
                        server.crash("KILL");
                    }
                }
                writers.awaitEnd();
            }

            MixedRows found = MixedRows.of(database, IdLayout.standard(), began.minusMillis(1),
                    Instant.now().plus(Duration.ofHours(1)));
            System.out.printf("killed backends and servers: %s, faults=%s, %s%n", seed, FAULTS, found);
            // what was acknowledged is there, and a batch without an answer may be, too
            assertThat(found.rows()).as(seed.toString()).isGreaterThanOrEqualTo(2 * bySql);
            assertThat(found.bySql()).as(seed.toString()).isGreaterThanOrEqualTo(bySql);
            assertThat(found).as(seed.toString())
                .isEqualTo(new MixedRows(found.rows(), found.rows(), found.bySql(), 0, 0, 0));
            // that a counter could have forgotten, and that this would be seen
            assertThat(insertByCounterThatIsNotLogged(server)).isLessThan(committed);
        }
    }

    /**
     * The one of a SQL client, in the midst of its work. A statement is short beside its
     * commit where the disk is slow, and a look with a connection of its own is rare.
     */
    private static void killABackend(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement look = connection
                    .prepareStatement("SELECT pid FROM pg_stat_activity WHERE state = 'active' "
                            + "AND query LIKE 'INSERT INTO mixed_row (user_id%' LIMIT 1")) {
            for (int looks = 0; looks < 100_000; looks++) {
                try (ResultSet found = look.executeQuery()) {
                    if (found.next()) {
                        Signals.send("KILL", found.getLong(1));
                        return;
                    }
                }
            }
        }
        throw new AssertionError("No SQL client was at work");
    }

    private static void prepareACounterThatIsNotLogged(TestDatabase database) {
        DatabaseIds ids = new DatabaseIds(IdLayout.standard(), MixedRows.SHARDS, ShardFunction.modulo(),
                Duration.ofHours(1), Duration.ofSeconds(5));
        database.execute("CREATE SCHEMA lossy",
                ids.script("lossy").replace("CREATE SEQUENCE", "CREATE UNLOGGED SEQUENCE"),
                "SELECT setval('lossy.shardedid_cell', " + AHEAD_OF_THE_CLOCK + ")",
                "CREATE TABLE lossy.row (id bigint)");
    }

    private static long insertByCounterThatIsNotLogged(CrashingPostgres server) throws SQLException {
        server.execute("SET synchronous_commit = on; INSERT INTO lossy.row VALUES (lossy.shardedid_next(7))");
        return server.longs("SELECT id FROM lossy.row ORDER BY ctid DESC LIMIT 1")[0];
    }

}
