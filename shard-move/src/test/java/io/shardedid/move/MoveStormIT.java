package io.shardedid.move;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shards move back and forth under writers, while their movers are killed and their
 * servers crash. In the end every row is compared with what the writers know.
 */
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

    /** About as many statements as a move has. */
    private static final int STATEMENTS = 140;

    private static final int LONGEST_MOVE_MILLIS = 1_500;

    private final Random random = new Random(SEED);

    private final List<String> ends = new ArrayList<>();

    private int kills;

    private int crashes;

    private int moves;

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
        String target = "b";
        while (acknowledged.get() < TRANSACTIONS || this.kills < KILLS || this.crashes < CRASHES) {
            if (moved(databases, target)) {
                this.moves++;
                target = target.equals("a") ? "b" : "a";
                System.out.println("storm: " + figures(acknowledged));
            }
            if (acknowledged.get() >= TRANSACTIONS) {
                writers.forEach(Writer::slowDown);
            }
            assertThat(writers.stream().flatMap((writer) -> writer.faults().stream())).as("seed %d", SEED).isEmpty();
        }
        for (int attempt = 0; !databases.home(5).equals(target); attempt++) {
            assertThat(attempt).as("attempts of the last mover: %s", String.join("\n", this.ends)).isLessThan(8);
            run(databases, target, 0, -1);
        }
        // whatever the last mover has left
        for (MoveStatus.OpenMove open : databases.mover().status().moves()) {
            databases.mover().resume(open.shards());
        }
        writers.forEach(Writer::end);
        for (Thread thread : threads) {
            thread.join(60_000);
            assertThat(thread.isAlive()).as(thread.getName()).isFalse();
        }
        for (MoveStatus.OpenMove open : databases.mover().status().moves()) {
            databases.mover().resume(open.shards());
        }
        String figures = figures(acknowledged);
        Comparison found = compare(databases, writers);
        System.out.println("storm: " + figures + ", " + found);
        assertThat(writers.stream().flatMap((writer) -> writer.faults().stream())).as(figures).isEmpty();
        assertThat(found.faults()).as(figures).isEmpty();
        assertThat(databases.leftovers()).as(figures).isEmpty();
        assertThat(this.moves).as("moves").isPositive();
    }

    private String figures(AtomicLong acknowledged) {
        return "moves=%d, kills=%d, crashes=%d, acknowledged=%d, seed=%d".formatted(this.moves, this.kills,
                this.crashes, acknowledged.get(), SEED);
    }

    /** Lets one mover run, in whose way things are put. */
    private boolean moved(TwoDatabases databases, String target) throws Exception {
        if (this.crashes < CRASHES && this.kills >= (this.crashes + 1) * KILLS / (CRASHES + 1)) {
            this.crashes++;
            Process mover = MoverProcess.start(databases, "5-7", target, MoverProcess.KILL, "0");
            Thread.sleep(this.random.nextInt(LONGEST_MOVE_MILLIS));
            (this.random.nextBoolean() ? servers.a : servers.b).crash();
            return ended(mover);
        }
        int way = this.random.nextInt(8);
        if (way < 3) {
            return run(databases, target, 1 + this.random.nextInt(STATEMENTS), -1);
        }
        if (way < 6) {
            return run(databases, target, 0, this.random.nextInt(LONGEST_MOVE_MILLIS));
        }
        return run(databases, target, 0, -1);
    }

    private boolean run(TwoDatabases databases, String target, int statement, int killAfterMillis) throws Exception {
        Process mover = MoverProcess.start(databases, "5-7", target, MoverProcess.KILL, String.valueOf(statement));
        if (killAfterMillis >= 0 && !mover.waitFor(killAfterMillis, TimeUnit.MILLISECONDS)) {
            // unlike that of the process, this leaves what it has said
            mover.toHandle().destroyForcibly();
        }
        return ended(mover);
    }

    private boolean ended(Process mover) throws Exception {
        assertThat(mover.waitFor(120, TimeUnit.SECONDS)).as("the mover ends, seed %d", SEED).isTrue();
        String text = new String(mover.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines()
            .findFirst()
            .orElse("killed");
        if (mover.exitValue() == MoverProcess.KILLED) {
            this.kills++;
        }
        this.ends.add(mover.exitValue() + " " + text);
        return mover.exitValue() == 0;
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
