package io.shardedid.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All rows go into one shard, as fast as the function makes ids.
 */
@Tag("proof")
@Tag("nightly")
class OneShardIT {

    private static final int ROWS = ProofLength.of(300_000, 1_000_000);

    /**
     * Shorter than a statement takes: each of its ids waits for itself. A call that
     * waited longer would fail, and its statement with it.
     */
    private static final Duration MAX_WAIT = Duration.ofMillis(500);

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    @ParameterizedTest
    @ValueSource(ints = { 1, 4 })
    void fullSpeedMakesNoDuplicateIdsAndEveryCallEndsWithinItsMaxWait(int clients) throws Exception {
        this.database
            .execute(
                    new DatabaseIds(IdLayout.standard(), 2000, ShardFunction.modulo(), Duration.ofSeconds(1), MAX_WAIT)
                        .script(""),
                    "CREATE TABLE one_shard (id bigint PRIMARY KEY, client integer, made timestamptz)");
        long began = System.nanoTime();
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int client = 0; client < clients; client++) {
                int number = client;
                all.add(threads.submit(() -> {
                    insert(number, ROWS / clients);
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
        finally {
            threads.shutdownNow();
        }
        long millis = (System.nanoTime() - began) / 1_000_000;

        // from one id of a client to its next: the call, what inserting the row takes,
        // and what else runs here
        String waits = "SELECT extract(epoch FROM made - lag(made) OVER (PARTITION BY client ORDER BY made)) * 1000 "
                + "AS ms FROM one_shard";
        String waited = this.database.query("SELECT format('median %s ms, 99.9 %% %s ms, longest %s ms', "
                + "round(percentile_disc(0.5) WITHIN GROUP (ORDER BY ms), 3), "
                + "round(percentile_disc(0.999) WITHIN GROUP (ORDER BY ms), 1), round(max(ms), 1)) FROM (" + waits
                + ") AS calls");
        System.out.printf("one shard: clients=%s, rows=%,d, %,d ms, %,d rows a second, from id to id of a client: %s%n",
                clients, ROWS, millis, ROWS * 1000L / millis, waited);
        assertThat(this.database.query("SELECT count(*), count(DISTINCT id) FROM one_shard WHERE "
                + "shardedid_shard(id) = 1341 HAVING count(*) = count(DISTINCT id)"))
            .isEqualTo(String.valueOf(ROWS));
    }

    private void insert(int client, int rows) throws Exception {
        try (Connection connection = this.database.connect();
                PreparedStatement insert = connection
                    .prepareStatement("INSERT INTO one_shard SELECT shardedid_next(1341), ?, clock_timestamp() "
                            + "FROM generate_series(1, ?)")) {
            insert.setInt(1, client);
            insert.setInt(2, rows);
            insert.executeUpdate();
        }
    }

}
