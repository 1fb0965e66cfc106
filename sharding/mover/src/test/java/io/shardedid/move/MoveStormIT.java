package io.shardedid.move;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shards move back and forth under writers, while their movers are killed and their
 * servers crash. In the end every row is compared with what the writers know.
 */
@Tag("proof")
@Tag("database")
// the long storm takes six minutes
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class MoveStormIT {

    private static final int TRANSACTIONS = ProofLength.of(10_000, 100_000);

    private static final int KILLS = ProofLength.of(36, 200);

    private static final int CRASHES = ProofLength.of(4, 20);

    private static final long SEED = Long.getLong("seed", System.nanoTime());

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private static final int[] MOVING = { 5, 6, 7 };

    private static final int[] STAYING = { 11, 12 };

    private static final int LONGEST_MOVE_MILLIS = 1_500;

    @Test
    void losesNothing() throws Exception {
        TwoDatabases databases = new TwoDatabases(servers);
        AtomicLong acknowledged = new AtomicLong();
        List<Writer> writers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < 6; number++) {
            Writer writer = new Writer(databases, number,
                    (number % 2 == 0) ? Connection.TRANSACTION_READ_COMMITTED : Connection.TRANSACTION_REPEATABLE_READ,
                    (number < 4) ? MOVING : STAYING, SEED + number, acknowledged);
            writers.add(writer);
            Thread thread = new Thread(writer, "writer-" + number);
            thread.start();
            threads.add(thread);
        }
        MoverStorm storm = new MoverStorm(servers, databases, SEED, KILLS, CRASHES, LONGEST_MOVE_MILLIS);
        while (acknowledged.get() < TRANSACTIONS || !storm.isOver()) {
            if (storm.next()) {
                System.out.println("storm: " + figures(storm, acknowledged));
            }
            if (acknowledged.get() >= TRANSACTIONS) {
                writers.forEach(Writer::slowDown);
            }
            assertThat(writers.stream().flatMap((writer) -> writer.faults().stream())).as("seed %d", SEED).isEmpty();
        }
        storm.finishMove();
        writers.forEach(Writer::end);
        for (Thread thread : threads) {
            thread.join(60_000);
            assertThat(thread.isAlive()).as(thread.getName()).isFalse();
        }
        storm.resumeAll();
        String figures = figures(storm, acknowledged);
        Comparison found = compare(databases, writers);
        System.out.println("storm: " + figures + ", " + found);
        assertThat(writers.stream().flatMap((writer) -> writer.faults().stream())).as(figures).isEmpty();
        assertThat(found.faults()).as(figures).isEmpty();
        assertThat(databases.leftovers()).as(figures).isEmpty();
        assertThat(storm.moves()).as("moves").isPositive();
    }

    private static String figures(MoverStorm storm, AtomicLong acknowledged) {
        return "%s, acknowledged=%d".formatted(storm.figures(), acknowledged.get());
    }

    private static Comparison compare(TwoDatabases databases, List<Writer> writers) throws SQLException {
        Map<Long, String> found = new HashMap<>();
        List<String> faults = new ArrayList<>();
        List<String> homes = IntStream.range(0, TwoDatabases.SHARDS).mapToObj(databases::home).toList();
        for (String database : new String[] { "a", "b" }) {
            try (Connection connection = ((database.equals("a")) ? databases.a : databases.b).connect(databases.name());
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(
                            "SELECT p.id, p.caption, c.words, p.id IS NULL OR c.id IS NULL FROM photo p FULL JOIN comment c ON c.photo_id = p.id")) {
                while (rows.next()) {
                    long id = rows.getLong(1);
                    if (rows.getBoolean(4) || !rows.getString(2).equals(rows.getString(3))) {
                        faults.add("photo and comment differ: id=%d, %s, %s".formatted(id, rows.getString(2),
                                rows.getString(3)));
                    }
                    if (!homes.get(TwoDatabases.LAYOUT.shardOf(id)).equals(database)) {
                        faults.add("wrong home: id=%d, database=%s".formatted(id, database));
                    }
                    if (found.put(id, rows.getString(2)) != null) {
                        faults.add("doubled: id=%d".formatted(id));
                    }
                }
            }
        }
        int rows = found.size();
        int doubtful = 0;
        for (Writer writer : writers) {
            for (Map.Entry<Long, String> row : writer.known().entrySet()) {
                String now = found.remove(row.getKey());
                if (row.getValue() == null && now != null) {
                    faults.add("risen again: id=%d".formatted(row.getKey()));
                }
                else if (row.getValue() != null && !row.getValue().equals(now)) {
                    faults.add("%s: id=%d, known=%s, found=%s".formatted((now == null) ? "lost" : "wrong", row.getKey(),
                            row.getValue(), now));
                }
            }
            for (Map.Entry<Long, List<String>> row : writer.doubtful().entrySet()) {
                doubtful++;
                String now = found.remove(row.getKey());
                if (!row.getValue().contains(now)) {
                    faults.add("wrong after no answer: id=%d, known=%s, found=%s".formatted(row.getKey(),
                            row.getValue(), now));
                }
            }
        }
        found.forEach((id, caption) -> faults.add("nobody's: id=%d, %s".formatted(id, caption)));
        return new Comparison(rows, doubtful, faults);
    }

    /**
     * What the comparison has found.
     *
     * @param rows the photos in both databases
     * @param doubtful the transactions without an answer
     * @param faults what is not right
     */
    private record Comparison(int rows, int doubtful, List<String> faults) {
    }

}
