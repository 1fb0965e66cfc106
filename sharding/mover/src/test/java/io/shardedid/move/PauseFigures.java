package io.shardedid.move;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

import io.shardedid.testdb.PostgresMajor;

/**
 * Measures how long writers of a shard wait for its move. The arguments are the number of
 * its narrow photos, how often it moves there and back, and {@code both} if each move is
 * repeated with all rows compared while writers wait. Meanwhile two writers write 1,000
 * rows a second, and in the end all rows are compared with what these know.
 */
final class PauseFigures {

    private static final int SHARD = 5;

    private static final int WRITERS = 2;

    /** Each transaction writes two rows. */
    private static final long NANOS = WRITERS * 2 * 1_000_000L;

    private PauseFigures() {
    }

    public static void main(String[] arguments) throws Exception {
        int photos = Integer.parseInt(arguments[0]);
        int moves = Integer.parseInt(arguments[1]);
        boolean both = arguments.length > 2;
        try (TwoServers servers = TwoServers.started(PostgresMajor.V18)) {
            TwoDatabases databases = new TwoDatabases(servers);
            fill(databases, photos);
            List<Writer> writers = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            AtomicLong acknowledged = new AtomicLong();
            for (int number = 0; number < WRITERS; number++) {
                Writer writer = new Writer(databases, number, Connection.TRANSACTION_READ_COMMITTED,
                        new int[] { SHARD }, number, acknowledged);
                writer.measure(pace());
                writers.add(writer);
                Thread thread = new Thread(writer, "writer-" + number);
                thread.start();
                threads.add(thread);
            }
            long began = System.nanoTime();
            ShardMover mover = new ShardMover(databases.databases(),
                    MoveLimits.defaults().withPause(Duration.ofMinutes(2)), (progress) -> {
                    });
            for (int move = 0; move < moves; move++) {
                move(databases, mover, "changes");
                if (both) {
                    move(databases, mover.comparingAll(), "all");
                }
            }
            double seconds = (System.nanoTime() - began) / 1e9;
            writers.forEach(Writer::end);
            for (Thread thread : threads) {
                thread.join();
            }
            System.out.printf("rows a second=%.0f, untouched rows=%s, %s, faults of writers=%s, left=%s%n",
                    2 * acknowledged.get() / seconds,
                    databases.query(databases.home(SHARD),
                            "SELECT count(*) FROM photo WHERE user_id = " + WrittenRows.NOBODY),
                    WrittenRows.compare(databases, writers),
                    writers.stream().flatMap((writer) -> writer.faults().stream()).toList(), databases.leftovers());
        }
        System.exit(0);
    }

    private static LongConsumer pace() {
        long began = System.nanoTime();
        AtomicLong transactions = new AtomicLong();
        return (nanos) -> {
            long due = began + transactions.incrementAndGet() * NANOS;
            LockSupport.parkNanos(due - System.nanoTime());
        };
    }

    private static void fill(TwoDatabases databases, int photos) {
        databases.execute("a", "ALTER TABLE photo DISABLE TRIGGER USER",
                "ALTER TABLE comment DROP CONSTRAINT comment_photo_id_fkey",
                "ALTER TABLE photo DROP CONSTRAINT photo_pkey", "DROP INDEX photo_shard",
                "SET maintenance_work_mem = '1GB'",
                "INSERT INTO photo SELECT (i::bigint << 23) | (%s << 12) | 1023, %s, 'a lake' FROM generate_series(1, %s) i"
                    .formatted(SHARD, WrittenRows.NOBODY, photos),
                "ALTER TABLE photo ADD PRIMARY KEY (id)", "CREATE INDEX photo_shard ON photo (((id >> 12) & 2047), id)",
                "ALTER TABLE comment ADD FOREIGN KEY (photo_id) REFERENCES photo ON DELETE CASCADE",
                "ALTER TABLE photo ENABLE TRIGGER USER", "VACUUM ANALYZE photo");
    }

    private static void move(TwoDatabases databases, ShardMover mover, String compared) {
        String target = databases.home(SHARD).equals("a") ? "b" : "a";
        long began = System.nanoTime();
        MoveResult result = mover.move(ShardRanges.parse(String.valueOf(SHARD)), target);
        System.out.printf("compare=%s, to=%s, rows=%s, seconds=%.1f, pause=%s ms%n", compared, target, result.rows(),
                (System.nanoTime() - began) / 1e9, result.pause().toMillis());
    }

}
