package io.shardedid.move;

import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.testdb.PostgresMajor;
import org.postgresql.PGConnection;

/**
 * How long the writers of a shard are refused, beside a plain {@code COPY} of the same
 * rows into the same tables, and what {@code plan} has said; and how long writers of
 * other shards take before and while a shard of a million rows moves, if they share a
 * pool of five connections with writers of that shard. Run by hand, on an idle machine.
 */
final class PauseFigures {

    private PauseFigures() {
    }

    public static void main(String[] arguments) throws Exception {
        for (PostgresMajor major : PostgresMajor.values()) {
            try (TwoServers servers = TwoServers.started(major)) {
                for (int rows : new int[] { 3_000, 10_000, 100_000, 1_000_000 }) {
                    for (int run = 0; run < 3; run++) {
                        measure(major, servers, rows);
                    }
                }
                shareAPool(major, servers);
            }
        }
        System.exit(0);
    }

    private static void measure(PostgresMajor major, TwoServers servers, int rows) throws Exception {
        TwoDatabases databases = new TwoDatabases(servers);
        databases.fill("a", 5, rows / 3);
        databases.execute("a", "ANALYZE");
        long copy = copyMillis(databases);
        String shard = "5";
        long plan = databases.mover().plan(shard, "b").get(0).pauseMillis();
        MoveResult move = databases.mover().move(shard, "b").get(0);
        System.out.printf("%s: %s rows, COPY %s ms, plan %s ms, pause %s ms%n", major, move.rows(), copy, plan,
                move.pauseMillis());
        servers.a.execute("postgres", "DROP DATABASE %s WITH (FORCE)".formatted(databases.name()));
        servers.b.execute("postgres", "DROP DATABASE %s WITH (FORCE)".formatted(databases.name()));
    }

    private static void shareAPool(PostgresMajor major, TwoServers servers) throws Exception {
        TwoDatabases databases = new TwoDatabases(servers);
        databases.fill("a", 5, 333_333);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(servers.a.url(databases.name()));
        config.setUsername("app");
        config.setMaximumPoolSize(5);
        AtomicBoolean ended = new AtomicBoolean();
        AtomicBoolean moves = new AtomicBoolean();
        List<Long> before = Collections.synchronizedList(new ArrayList<>());
        List<Long> during = Collections.synchronizedList(new ArrayList<>());
        AtomicLong ticks = new AtomicLong(5_000_000);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            List<Thread> threads = new ArrayList<>();
            for (int number = 0; number < 12; number++) {
                int shard = (number < 8) ? 5 : 11;
                threads.add(new Thread(() -> {
                    while (!ended.get()) {
                        boolean counts = moves.get();
                        long began = System.nanoTime();
                        try (Connection connection = pool.getConnection();
                                Statement statement = connection.createStatement()) {
                            statement.execute("INSERT INTO photo VALUES (%s, 1, 'x')"
                                .formatted(TwoDatabases.id(shard, ticks.incrementAndGet())));
                            if (shard == 11) {
                                (counts ? during : before).add(System.nanoTime() - began);
                            }
                        }
                        catch (SQLException ex) {
                            // refused, with a pause as a repeated transaction has it
                        }
                        LockSupport.parkNanos(10_000_000);
                    }
                }));
            }
            threads.forEach(Thread::start);
            Thread.sleep(5_000);
            moves.set(true);
            MoveResult move = databases.mover().move("5", "b").get(0);
            ended.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
            System.out.printf("%s: %s rows, pause %s ms; writers of another shard: before %s, during %s%n", major,
                    move.rows(), move.pauseMillis(), times(before), times(during));
        }
    }

    private static String times(List<Long> nanos) {
        List<Long> sorted = nanos.stream().sorted().toList();
        return "%s writes, median %.1f ms, 99 %% %.1f ms, longest %.1f ms".formatted(sorted.size(),
                sorted.get(sorted.size() / 2) / 1e6, sorted.get(sorted.size() * 99 / 100) / 1e6,
                sorted.get(sorted.size() - 1) / 1e6);
    }

    private static long copyMillis(TwoDatabases databases) throws Exception {
        databases.execute("b", "UPDATE shardedid_home SET state = 'here' WHERE shard = 5");
        long began = System.nanoTime();
        try (Connection from = databases.connect("a"); Connection to = databases.connect("b")) {
            to.setAutoCommit(false);
            for (String table : new String[] { "photo", "comment" }) {
                PipedInputStream in = new PipedInputStream(1 << 20);
                PipedOutputStream out = new PipedOutputStream(in);
                CompletableFuture<Void> sends = CompletableFuture.runAsync(() -> {
                    try (out) {
                        from.unwrap(PGConnection.class)
                            .getCopyAPI()
                            .copyOut("COPY (SELECT * FROM %s WHERE (id >> 12) & 2047 = 5) TO STDOUT".formatted(table),
                                    out);
                    }
                    catch (Exception ex) {
                        throw new CompletionException(ex);
                    }
                });
                to.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY %s FROM STDIN".formatted(table), in);
                sends.join();
            }
            to.commit();
        }
        long millis = (System.nanoTime() - began) / 1_000_000;
        databases.execute("b", "DELETE FROM comment; DELETE FROM photo",
                "UPDATE shardedid_home SET state = 'moved' WHERE shard = 5");
        return millis;
    }

}
