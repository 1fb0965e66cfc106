package io.shardedid.move;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

import io.shardedid.testdb.PostgresMajor;

/**
 * Measures what docs/moving.md reports: the latency of writers of shards that stay,
 * inserts and a bulk statement with and without the fence, and a move of a range. The
 * argument is the number of photos of that range, 1,000 bytes each.
 */
final class MoveFigures {

    private static final int ROUNDS = 9;

    private static final int PASSES = 3;

    private static final long WARM_UP_MILLIS = 5_000;

    private static final int TRANSACTIONS = 2_000;

    private static final int BATCH = 1_000;

    private MoveFigures() {
    }

    public static void main(String[] arguments) throws Exception {
        try (TwoServers servers = TwoServers.started(PostgresMajor.V18)) {
            latency(new TwoDatabases(servers));
            TwoDatabases fenced = new TwoDatabases(servers);
            TwoDatabases bare = new TwoDatabases(servers.a, servers.b, UnaryOperator.identity());
            bare.execute("a", "ALTER TABLE photo DISABLE TRIGGER USER");
            inserts(fenced, bare, 1);
            inserts(fenced, bare, BATCH);
            bulk(fenced, bare);
            range(fenced, Integer.parseInt(arguments[0]));
        }
        System.exit(0);
    }

    /** Four writers of shards that move, and two of shards that stay. */
    private static void latency(TwoDatabases databases) throws InterruptedException {
        List<Writer> writers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < 6; number++) {
            Writer writer = new Writer(databases, number, Connection.TRANSACTION_READ_COMMITTED,
                    (number < 4) ? new int[] { 5, 6, 7 } : new int[] { 11, 12 }, number, new AtomicLong());
            writers.add(writer);
            Thread thread = new Thread(writer, "writer-" + number);
            thread.start();
            threads.add(thread);
        }
        Thread.sleep(WARM_UP_MILLIS);
        List<Writer> staying = writers.subList(4, 6);
        for (int pass = 0; pass < PASSES; pass++) {
            Queue<Long> moving = measured(staying);
            long began = System.nanoTime();
            List<Long> pauses = new ArrayList<>();
            for (String target : List.of("b", "a", "b", "a")) {
                pauses.add(databases.mover().move(ShardRanges.parse("5-7"), target).pause().toMillis());
            }
            long took = System.nanoTime() - began;
            Queue<Long> still = measured(staying);
            Thread.sleep(took / 1_000_000);
            measured(staying);
            System.out.printf("latency of shards that stay, %.1f s each: 4 moves (pauses %s ms) %s, no move %s%n",
                    took / 1e9, pauses, spread(moving), spread(still));
        }
        writers.forEach(Writer::end);
        for (Thread thread : threads) {
            thread.join();
        }
        for (Writer writer : writers) {
            if (!writer.faults().isEmpty()) {
                throw new IllegalStateException(writer.faults().toString());
            }
        }
    }

    private static Queue<Long> measured(List<Writer> writers) {
        Queue<Long> latencies = new ConcurrentLinkedQueue<>();
        writers.forEach((writer) -> writer.measure(latencies::add));
        return latencies;
    }

    private static String spread(Queue<Long> latencies) {
        long[] sorted = latencies.stream().mapToLong(Long::longValue).sorted().toArray();
        return "[transactions=%s, median=%.1f ms, p99=%.1f ms, max=%.1f ms]".formatted(sorted.length,
                sorted[sorted.length / 2] / 1e6, sorted[(int) (sorted.length * 0.99)] / 1e6,
                sorted[sorted.length - 1] / 1e6);
    }

    private static void inserts(TwoDatabases fenced, TwoDatabases bare, int rows) throws SQLException {
        double[][] micros = new double[2][ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            micros[0][round] = micros(fenced, rows, round);
            micros[1][round] = micros(bare, rows, round);
        }
        Arrays.sort(micros[0]);
        Arrays.sort(micros[1]);
        System.out.printf(
                "inserts, %s rows in a transaction: with the fence %.1f us a row, without %.1f (medians of %s rounds)%n",
                rows, micros[0][ROUNDS / 2], micros[1][ROUNDS / 2], ROUNDS);
    }

    private static double micros(TwoDatabases databases, int rows, int round) throws SQLException {
        try (Connection connection = databases.a.connect(databases.name());
                PreparedStatement insert = connection.prepareStatement("INSERT INTO photo VALUES (?, 1, 'a lake')")) {
            connection.createStatement().execute("SET synchronous_commit = off");
            connection.setAutoCommit(false);
            long began = System.nanoTime();
            int transactions = Math.max(5, TRANSACTIONS / rows);
            for (int transaction = 0; transaction < transactions; transaction++) {
                for (int row = 0; row < rows; row++) {
                    insert.setLong(1, TwoDatabases.id(3, 1_000_000L * (rows + round + 1) + transaction * 1_000L + row));
                    insert.addBatch();
                }
                insert.executeBatch();
                connection.commit();
            }
            return (System.nanoTime() - began) / 1_000.0 / transactions / rows;
        }
        finally {
            databases.execute("a", "DELETE FROM photo");
        }
    }

    /** A statement over 40,000 rows in 2,000 shards, which come in no order. */
    private static void bulk(TwoDatabases fenced, TwoDatabases bare) throws SQLException {
        for (TwoDatabases each : List.of(fenced, bare)) {
            each.execute("a", "SELECT shardedid_homes(2020)", "ALTER TABLE photo DISABLE TRIGGER USER",
                    "INSERT INTO photo SELECT (i::bigint << 23) | ((20 + i % 2000) << 12), i, 'a lake' FROM generate_series(1, 40000) i ORDER BY random()");
        }
        fenced.execute("a", "ALTER TABLE photo ENABLE TRIGGER USER");
        double[][] millis = new double[2][ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            millis[0][round] = millis(fenced, round);
            millis[1][round] = millis(bare, round);
        }
        Arrays.sort(millis[0]);
        Arrays.sort(millis[1]);
        System.out.printf(
                "bulk statement, 40,000 rows in 2,000 shards: with the fence %.0f ms, without %.0f (medians of %s rounds)%n",
                millis[0][ROUNDS / 2], millis[1][ROUNDS / 2], ROUNDS);
        fenced.execute("a", "TRUNCATE photo CASCADE");
    }

    private static double millis(TwoDatabases databases, int round) throws SQLException {
        databases.execute("a", "VACUUM photo");
        try (Connection connection = databases.a.connect(databases.name());
                PreparedStatement update = connection.prepareStatement("UPDATE photo SET caption = ?")) {
            update.setString(1, "round " + round);
            long began = System.nanoTime();
            update.executeUpdate();
            return (System.nanoTime() - began) / 1e6;
        }
    }

    private static void range(TwoDatabases databases, int photos) throws SQLException {
        // 20 shards that the tests have, and 1,000 that travel
        for (String database : new String[] { "a", "b" }) {
            databases.execute(database, "SELECT shardedid_homes(1100)");
        }
        databases.execute("b", "UPDATE shardedid_home SET state = 'moved' WHERE shard >= 20");
        databases.execute("a",
                "INSERT INTO shardedid_shard (namespace, shard, home, version, identity, mover, changed_at) SELECT 'default', s, 'a', 1, 71, 0, 0 FROM generate_series(20, 1099) s",
                "ALTER TABLE photo DISABLE TRIGGER USER",
                "INSERT INTO photo SELECT (i::bigint << 23) | ((100 + i %% 1000) << 12), i, repeat(md5(i::text), 31) FROM generate_series(1, %s) i"
                    .formatted(photos),
                "ALTER TABLE photo ENABLE TRIGGER USER", "VACUUM ANALYZE photo");
        long size = Long.parseLong(databases.query("a", "SELECT pg_table_size('photo')"));
        String log = databases.query("a", "SELECT pg_current_wal_lsn()");
        String logThere = databases.query("b", "SELECT pg_current_wal_lsn()");
        long began = System.nanoTime();
        MoveResult result = new ShardMover(databases.databases(),
                MoveLimits.defaults().withPause(Duration.ofSeconds(60)),
                (progress) -> System.out.println(progress.step() + ": " + progress.message()))
            .move(ShardRanges.parse("100-1099"), "b");
        System.out.printf(
                "range of 1000 shards: rows=%s, MB=%s, seconds=%.1f, pause=%s ms, log of the source=%s MB, log of the target=%s MB%n",
                result.rows(), size >> 20, (System.nanoTime() - began) / 1e9, result.pause().toMillis(),
                databases.query("a", "SELECT (pg_current_wal_lsn() - '%s') / 1048576".formatted(log)),
                databases.query("b", "SELECT (pg_current_wal_lsn() - '%s') / 1048576".formatted(logThere)));
    }

}
