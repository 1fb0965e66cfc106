package io.shardedid.benchmarks;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.LongStream;

import io.shardedid.IdLayout;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;

/**
 * "One hour's rows" in PostgreSQL, by the id of the standard layout, by the id of
 * {@code dense}, and by an index on the time of creation: the same rows, in one table
 * with the three indexes. A 24th of the rows is read. At 500 rows a second the rows are
 * those of a whole day, at more they are as many as fit a disk.
 * <p>
 * Eight processes make the ids. A row gets its place in the table when its transaction
 * inserts it: at once, or some milliseconds after its id was made.
 */
final class HourGrowth {

    private static final int WORKERS = 8;

    private static final int SLICES = 24;

    private static final int WHOLE_DAY_RATE = 500;

    private static final int READS = 9;

    private final Scale scale;

    private final Measurements measured;

    private final Progress progress;

    HourGrowth(Scale scale, Measurements measured, Progress progress) {
        this.scale = scale;
        this.measured = measured;
        this.progress = progress;
    }

    static List<String> rates() {
        return List.of("500", "5000", "20000", "100000", "500000");
    }

    private int rows(int rate, Delay delay) {
        if (!this.scale.meant()) {
            return 24_000;
        }
        boolean wholeDay = rate == WHOLE_DAY_RATE && delay == Delay.LATER;
        return Math.min(RowGrowth.mostRows(), wholeDay ? rate * 86_400 : 4_800_000);
    }

    void run() throws Exception {
        try (Database.Server server = Database.postgresql(Map.of("autovacuum", "off", "full_page_writes", "off",
                "shared_buffers", "1GB", "maintenance_work_mem", "1GB", "max_parallel_workers_per_gather", "0"));
                Connection connection = server.connection()) {
            for (String rate : this.scale.meant() ? rates() : List.of("500", "500000")) {
                for (Delay delay : Delay.values()) {
                    day(connection, Integer.parseInt(rate), delay);
                }
            }
        }
    }

    private void day(Connection connection, int rate, Delay delay) throws SQLException, IOException {
        Statements sql = new Statements(connection);
        sql.execute("CREATE TABLE day_row (standard bigint PRIMARY KEY, dense bigint UNIQUE, user_id bigint, "
                + "created_at timestamptz, caption varchar(255))");
        sql.execute("CREATE INDEX day_row_created_at ON day_row (created_at)");
        int rows = rows(rate, delay);
        long from;
        long to;
        try (Writers writers = new Writers(rate, delay); RowCopy copy = new RowCopy(connection, "day_row", 5)) {
            for (int row = 0; row < rows; row++) {
                Row next = writers.next();
                copy.row().number(next.standard).number(next.dense).number(row).time(next.madeNanos / 1000);
                copy.text("a photo");
            }
            from = writers.part(12);
            to = writers.part(13);
        }
        sql.execute("VACUUM ANALYZE day_row");
        String name = "hour, %s, %%s, %%s, %d".formatted(delay.externalName(), rate);
        read(sql, name, "standard layout", "standard", ids(IdLayout.standard(), from, to));
        read(sql, name, "dense", "dense", ids(IdLayout.dense(), from, to));
        read(sql, name, "created-at index", "created_at", LongStream.of(from, to)
            .mapToObj((nanos) -> "to_timestamp(%d.%06d)".formatted(nanos / 1_000_000_000, nanos / 1000 % 1_000_000))
            .toList());
        weigh(sql, rows, name, "standard layout", "day_row_pkey");
        weigh(sql, rows, name, "dense", "day_row_dense_key");
        weigh(sql, rows, name, "created-at index", "day_row_created_at");
        sql.execute("DROP TABLE day_row");
        sql.execute("CHECKPOINT");
        this.progress.done("an hour's rows at %,d a second, of %,d, %s".formatted(rate, rows, delay.title()));
    }

    private static List<String> ids(IdLayout layout, long fromNanos, long toNanos) {
        return LongStream.of(fromNanos, toNanos)
            .mapToObj((nanos) -> Long.toString(layout.firstIdAt(SimulatedTime.instant(nanos))))
            .toList();
    }

    private void read(Statements sql, String name, String by, String column, List<String> bounds) throws SQLException {
        String query = "SELECT user_id, created_at, caption FROM day_row WHERE %s >= %s AND %1$s < %s".formatted(column,
                bounds.get(0), bounds.get(1));
        Explained explained = sql.explain(query);
        for (int read = 0; read < (this.scale.meant() ? READS : 1); read++) {
            long began = System.nanoTime();
            sql.explain(query);
            double micros = (System.nanoTime() - began) / 1000.0;
            this.measured.addTime(name.formatted(by, "µs a row"), micros / explained.rows());
        }
        this.measured.add(name.formatted(by, "buffers for 1,000 rows"), explained.buffers() * 1000 / explained.rows());
        this.measured.add(name.formatted(by, "rows found"), explained.rows());
        this.measured.add(name.formatted(by, "by an index scan"), explained.scan().equals("Index Scan") ? 1 : 0);
    }

    private void weigh(Statements sql, int rows, String name, String by, String index) throws SQLException {
        this.measured.add(name.formatted(by, "index bytes a row"),
                sql.number("SELECT pg_relation_size('%s')".formatted(index)) / rows);
    }

    /** How long after its id a row is inserted. */
    enum Delay {

        AT_ONCE("in the order of their ids' time", 0), LATER("0 to 10 ms after their ids were made", 10_000_000);

        private final String title;

        private final long latestNanos;

        Delay(String title, long latestNanos) {
            this.title = title;
            this.latestNanos = latestNanos;
        }

        String title() {
            return this.title;
        }

        String externalName() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

    }

    private record Row(long insertedNanos, long madeNanos, long standard, long dense) {
    }

    /** Rows as they come in, in the order in which they are inserted. */
    private static final class Writers implements AutoCloseable {

        private final Random random = new Random(1);

        private final SimulatedTime time = new SimulatedTime();

        private final PriorityQueue<Row> inserting = new PriorityQueue<>(Comparator.comparingLong(Row::insertedNanos));

        private final List<ShardedIdEngine> standard = open(IdLayout.standard());

        private final List<ShardedIdEngine> dense = open(IdLayout.dense());

        private final double nanosARow;

        private final Delay delay;

        private long firstNanos;

        private long lastNanos;

        private Row pending;

        Writers(int rate, Delay delay) {
            this.delay = delay;
            this.nanosARow = 1e9 / rate;
            this.standard.forEach((ids) -> ids.next(0));
            this.dense.forEach((ids) -> ids.next(0));
            this.time.park(1_000_000_000);
            this.pending = make();
            this.firstNanos = this.pending.madeNanos;
        }

        private List<ShardedIdEngine> open(IdLayout layout) {
            List<ShardedIdEngine> engines = new ArrayList<>();
            for (int worker = 0; worker < WORKERS; worker++) {
                engines.add(SeparateProcess.open(ShardedIds.builder()
                    .layout(layout)
                    .shards(2000)
                    .timeSource(this.time)
                    .workers(WorkerLeases.fixed(worker))));
            }
            return engines;
        }

        private Row make() {
            this.time.park(Math.max(1, Math.round(-Math.log(1 - this.random.nextDouble()) * this.nanosARow)));
            int worker = this.random.nextInt(WORKERS);
            int shard = this.random.nextInt(2000);
            long now = this.time.epochNanos();
            long delay = (long) (this.random.nextDouble() * this.delay.latestNanos);
            return new Row(now + delay, now, this.standard.get(worker).next(shard), this.dense.get(worker).next(shard));
        }

        /** The row that is inserted next: nobody who comes later overtakes it. */
        Row next() {
            while (this.inserting.isEmpty() || this.inserting.peek().insertedNanos > this.pending.madeNanos) {
                this.inserting.add(this.pending);
                this.pending = make();
            }
            this.lastNanos = this.pending.madeNanos;
            return this.inserting.remove();
        }

        /** When a part of the day began, nanoseconds since 1970, on a millisecond. */
        long part(int slice) {
            return (this.firstNanos + (this.lastNanos - this.firstNanos) / SLICES * slice) / 1_000_000 * 1_000_000;
        }

        @Override
        public void close() {
            this.standard.forEach(ShardedIdEngine::close);
            this.dense.forEach(ShardedIdEngine::close);
        }

    }

}
