package io.shardedid.benchmarks;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;

import io.shardedid.IdLayout;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;

/**
 * A table in PostgreSQL that grows, for each kind of primary key: 30 million rows in a
 * simulated day, which is 347 rows a second. Most rows come by COPY. The last five
 * minutes before each measured size come by INSERT, after a checkpoint, as a server does
 * one every five minutes: that is where inserts and their log are measured.
 */
final class RowGrowth {

    private static final long NANOS_A_ROW = 86_400_000_000_000L / 30_000_000;

    private static final int BATCH = 50;

    private static final int TRANSACTION = 1000;

    private static final int WINDOW_READ = 1000;

    private final Scale scale;

    private final Measurements measured;

    private final Progress progress;

    RowGrowth(Scale scale, Measurements measured, Progress progress) {
        this.scale = scale;
        this.measured = measured;
        this.progress = progress;
    }

    static List<String> sizes() {
        return List.of("2000", "4000", "1000000", "10000000", "30000000");
    }

    private int[] stages() {
        return this.scale.meant()
                ? IntStream.of(1_000_000, 10_000_000, 30_000_000).filter((rows) -> rows <= mostRows()).toArray()
                : new int[] { 2000, 4000 };
    }

    /**
     * How far a table may grow; less than 30 million only where time or disk is short.
     */
    static int mostRows() {
        return Integer.getInteger("growth.rows", 30_000_000);
    }

    /** As many as come in five minutes, the time between two checkpoints. */
    private int inserted() {
        return this.scale.meant() ? 104_000 : TRANSACTION;
    }

    void run() throws Exception {
        // vacuum comes when it is told to, and never while something is measured
        try (Database.Server server = Database
            .postgresql(Map.of("autovacuum", "off", "shared_buffers", "1GB", "max_parallel_workers_per_gather", "0"));
                Connection connection = server.connection()) {
            for (Key key : Key.values()) {
                grow(connection, key);
            }
        }
    }

    private void grow(Connection connection, Key key) throws SQLException, IOException {
        Statements sql = new Statements(connection);
        sql.execute(
                "CREATE TABLE grown_row (id %s PRIMARY KEY, user_id bigint, parent_id bigint, ".formatted(key.type())
                        + "created_at timestamptz, caption varchar(255))");
        sql.execute("CREATE SEQUENCE grown_ids INCREMENT 50");
        try (Arrivals arrivals = new Arrivals(key)) {
            for (int stage : stages()) {
                fullPages(sql, false);
                copy(connection, arrivals, stage - inserted());
                fullPages(sql, true);
                sql.execute("CHECKPOINT");
                insert(connection, sql, arrivals, stage);
                sql.execute("VACUUM ANALYZE grown_row");
                weigh(sql, key, stage);
                read(connection, sql, arrivals, stage);
                this.progress.done("rows, %s, %,d".formatted(key, stage));
            }
        }
        sql.execute("DROP SEQUENCE grown_ids");
        sql.execute("DROP TABLE grown_row");
        // what was dropped goes away with the next checkpoint
        sql.execute("CHECKPOINT");
    }

    /**
     * Pages that are logged as a whole would only take time where nothing is measured.
     */
    private static void fullPages(Statements sql, boolean logged) throws SQLException {
        sql.execute("ALTER SYSTEM SET full_page_writes = " + (logged ? "on" : "off"));
        sql.execute("SELECT pg_reload_conf()");
        while (!sql.text("SHOW full_page_writes").equals(logged ? "on" : "off")) {
            Thread.onSpinWait();
        }
    }

    private static void copy(Connection connection, Arrivals arrivals, int until) throws SQLException, IOException {
        try (RowCopy copy = new RowCopy(connection, "grown_row", 5)) {
            while (arrivals.made < until) {
                copy.row().key(arrivals.next()).number(arrivals.user()).number(arrivals.made);
                copy.time(arrivals.time.epochNanos() / 1000).text("a photo");
            }
        }
    }

    private void insert(Connection connection, Statements sql, Arrivals arrivals, int until) throws SQLException {
        double before = sql.number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
        int from = arrivals.made;
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO grown_row (id, user_id, parent_id, created_at, caption) VALUES (?, ?, ?, to_timestamp(?), ?)")) {
            while (arrivals.made < until) {
                long began = System.nanoTime();
                for (int row = 0; row < TRANSACTION; row += BATCH) {
                    if (arrivals.key == Key.SEQUENCE) {
                        sql.number("SELECT nextval('grown_ids')");
                    }
                    batch(insert, arrivals);
                }
                connection.commit();
                this.measured.addTime(name(arrivals.key, "insert (µs a row)", until),
                        (System.nanoTime() - began) / 1000.0 / TRANSACTION);
            }
        }
        connection.setAutoCommit(true);
        double after = sql.number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
        this.measured.add(name(arrivals.key, "WAL bytes a row", until), (after - before) / (until - from));
    }

    private static void batch(PreparedStatement insert, Arrivals arrivals) throws SQLException {
        for (int i = 0; i < BATCH; i++) {
            insert.setObject(1, arrivals.next());
            insert.setLong(2, arrivals.user());
            insert.setLong(3, arrivals.made);
            insert.setDouble(4, arrivals.time.epochNanos() / 1e9);
            insert.setString(5, "a photo");
            insert.addBatch();
        }
        insert.executeBatch();
    }

    private void weigh(Statements sql, Key key, int rows) throws SQLException {
        this.measured.add(name(key, "index bytes a row", rows),
                sql.number("SELECT pg_relation_size('grown_row_pkey')") / rows);
        this.measured.add(name(key, "table bytes a row", rows),
                sql.number("SELECT pg_relation_size('grown_row')") / rows);
        this.measured.add(name(key, "levels of the index", rows), sql.levels("grown_row_pkey"));
    }

    private void read(Connection connection, Statements sql, Arrivals arrivals, int rows) throws SQLException {
        List<Object> ids = arrivals.some(this.scale.meant() ? 200 : 5);
        read(connection, sql, arrivals.key, rows, "point read", "WHERE id = ?", ids);
        read(connection, sql, arrivals.key, rows, "window read", "WHERE id >= ? ORDER BY id LIMIT " + WINDOW_READ, ids);
    }

    private void read(Connection connection, Statements sql, Key key, int rows, String what, String condition,
            List<Object> ids) throws SQLException {
        String query = "SELECT id, user_id, parent_id, created_at, caption FROM grown_row " + condition;
        Measurements runs = new Measurements();
        for (Object id : ids) {
            Explained explained = sql.explain(query.replace("?", "'" + id + "'"));
            runs.add("buffers", explained.buffers());
            try (PreparedStatement statement = connection.prepareStatement(query)) {
                statement.setObject(1, id);
                long began = System.nanoTime();
                try (ResultSet found = statement.executeQuery()) {
                    while (found.next()) {
                        found.getString("caption");
                    }
                }
                runs.add("time", (System.nanoTime() - began) / 1000.0);
            }
        }
        this.measured.add(name(key, what + " (buffers)", rows), runs.series("buffers").median());
        this.measured.addTime(name(key, what + " (µs)", rows), runs.series("time").median());
    }

    private static String name(Key key, String what, int rows) {
        return "rows %s, %s, %d".formatted(key, what, rows);
    }

    /** The kinds of primary key. */
    enum Key {

        SEQUENCE, STANDARD, DENSE, UUID7, UUID4;

        private String type() {
            return (this == UUID7 || this == UUID4) ? "uuid" : "bigint";
        }

    }

    /** Rows as they come in: at random, so many a second in the mean. */
    private static final class Arrivals implements AutoCloseable {

        private static final int SAMPLE_EVERY = 400;

        private final Random random = new Random(1);

        private final SimulatedTime time = new SimulatedTime();

        private final List<Object> sample = new ArrayList<>();

        private final Key key;

        private final ShardedIdEngine ids;

        private int made;

        Arrivals(Key key) {
            this.key = key;
            this.ids = SeparateProcess.open(ShardedIds.builder()
                .layout((key == Key.DENSE) ? IdLayout.dense() : IdLayout.standard())
                .shards(2000)
                .timeSource(this.time)
                .workers(WorkerLeases.fixed(3)));
        }

        Object next() {
            this.time.park((long) (-Math.log(1 - this.random.nextDouble()) * NANOS_A_ROW));
            Object id = switch (this.key) {
                case SEQUENCE -> (long) this.made + 1;
                case STANDARD, DENSE -> this.ids.next(this.random.nextInt(this.ids.shards()));
                case UUID7 -> new UUID(this.time.epochNanos() / 1_000_000 << 16 | 0x7000 | this.random.nextInt(1 << 12),
                        this.random.nextLong() >>> 2 | Long.MIN_VALUE);
                case UUID4 ->
                    new UUID(this.random.nextLong() & ~0xf000L | 0x4000, this.random.nextLong() >>> 2 | Long.MIN_VALUE);
            };
            if (this.made++ % SAMPLE_EVERY == 0) {
                this.sample.add(id);
            }
            return id;
        }

        long user() {
            return this.random.nextInt(1_000_000);
        }

        /** Draws ids of rows that are there. */
        List<Object> some(int count) {
            return this.random.ints(count, 0, this.sample.size()).mapToObj(this.sample::get).toList();
        }

        @Override
        public void close() {
            this.ids.close();
        }

    }

}
