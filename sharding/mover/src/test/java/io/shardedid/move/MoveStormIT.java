package io.shardedid.move;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.shardedid.testdb.PostgresMajor;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shards move back and forth between two servers under eight writers, while their movers
 * are killed, routers and servers crash, and the map, on a third server, loses its last
 * commits in a failover. A second application writes into the same databases. What each
 * of them leaves is ended by the command that {@code status} names. In the end every row
 * is compared with what the writers know.
 */
@Tag("proof")
@Tag("nightly")
@Tag("database")
@Timeout(value = 90, unit = TimeUnit.MINUTES)
class MoveStormIT {

    private static final int MOVES = ProofLength.of(6, 60);

    private static final long SEED = Long.getLong("seed", System.nanoTime());

    private static final int[] MOVING = { 5, 6, 7 };

    private static final int[] STAYING = { 9, 11 };

    /** About as many statements as a move has. */
    private static final int STATEMENTS = 150;

    private static final Pattern COMMAND = Pattern.compile("'(\\w+) ([\\d,-]+)(?: --to=(\\w))?'");

    private final Random random = new Random(SEED);

    private final AtomicLong acknowledged = new AtomicLong();

    private final List<Writer> writers = new ArrayList<>();

    private final Map<String, Integer> counted = new TreeMap<>();

    private final List<String> ends = new ArrayList<>();

    private TwoServers servers;

    private TwoDatabases databases;

    private int moved;

    private long longestPause;

    @ParameterizedTest
    @EnumSource
    void losesNothing(PostgresMajor major) throws Exception {
        try (TwoServers three = TwoServers.startedThree(major)) {
            this.servers = three;
            this.databases = new TwoDatabases(this.servers);
            List<Thread> threads = new ArrayList<>();
            for (int number = 0; number < 8; number++) {
                Writer writer = new Writer(this.databases, number,
                        (number % 2 == 0) ? Connection.TRANSACTION_READ_COMMITTED
                                : Connection.TRANSACTION_REPEATABLE_READ,
                        (number < 6) ? MOVING : STAYING, SEED + number, this.acknowledged);
                this.writers.add(writer);
                threads.add(new Thread(writer, "writer-" + number));
            }
            Neighbour neighbour = new Neighbour(this.databases);
            threads.add(new Thread(neighbour, "neighbour"));
            threads.forEach(Thread::start);
            for (int move = 0; this.moved < MOVES; move++) {
                assertThat(move).as(figures()).isLessThan(5 * MOVES + 10);
                next(move);
                assertThat(faults()).as(figures()).isEmpty();
            }
            this.writers.forEach(Writer::end);
            neighbour.end();
            for (Thread thread : threads) {
                thread.join(60_000);
                assertThat(thread.isAlive()).as(thread.getName()).isFalse();
            }
            settle();
            System.out.println("storm on %s: %s".formatted(major, figures()));
            assertThat(faults()).as(figures()).isEmpty();
            compare();
            neighbour.compare();
            assertThat(this.counted).as(figures()).containsKeys("killed", "MOVED", "CLEANED");
        }
    }

    private List<String> faults() {
        return this.writers.stream().flatMap((writer) -> writer.faults().stream()).toList();
    }

    private String figures() {
        return "seed=%s, moved=%s, acknowledged=%s, longest pause=%s ms, %s".formatted(SEED, this.moved,
                this.acknowledged.get(), this.longestPause, this.counted);
    }

    /** One shard, or all of them, is to move, and something happens meanwhile. */
    private void next(int move) throws Exception {
        String shards = this.random.nextInt(4) == 0 ? "5-7" : String.valueOf(MOVING[this.random.nextInt(3)]);
        String target = this.databases.home(Integer.parseInt(shards.substring(0, 1))).equals("a") ? "b" : "a";
        int way = move % 6;
        boolean forgets = way == 3;
        if (forgets) {
            this.servers.c.keep();
        }
        Process mover = MoverProcess.start(this.databases, "move", shards, target,
                (way < 3 || forgets && this.random.nextBoolean()) ? 1 + this.random.nextInt(STATEMENTS) : 0);
        if (way == 4) {
            Thread.sleep(1_000 + this.random.nextInt(2_000));
            mover.toHandle().destroyForcibly();
        }
        if (way == 5) {
            Thread.sleep(800 + this.random.nextInt(1_500));
            List.of(this.servers.a, this.servers.b, this.servers.c).get(this.random.nextInt(3)).crash();
            count("crashes");
        }
        if (!forgets && this.random.nextBoolean()) {
            this.writers.get(this.random.nextInt(this.writers.size())).kill();
            count("crashes of routers");
        }
        end(mover);
        if (forgets) {
            this.servers.c.failOver();
            count("failovers of the map");
        }
        settle();
        if (this.databases.home(Integer.parseInt(shards.substring(0, 1))).equals(target)) {
            this.moved++;
        }
    }

    /**
     * Runs what status says until nothing is left, at times with a second mover or a
     * kill.
     */
    private void settle() throws Exception {
        for (int attempt = 0;; attempt++) {
            assertThat(attempt).as("commands: %s", this.ends).isLessThan(40);
            ShardMover.Status status;
            try {
                status = MoverProcess.mover(this.databases.databases(), TwoDatabases.NO_PROBE).status();
            }
            catch (MoveException ex) {
                Thread.sleep(300);
                continue;
            }
            if (status.needs().isEmpty() && status.problems().isEmpty()) {
                return;
            }
            if (status.needs().isEmpty()) {
                assertThat(attempt).as("problems: %s", status.problems()).isLessThan(30);
                Thread.sleep(300);
                continue;
            }
            Matcher command = COMMAND.matcher(status.needs().get(0).command());
            assertThat(command.find()).isTrue();
            String verb = command.group(1);
            if (status.needs().get(0).command().contains("'abort") && this.random.nextInt(4) == 0) {
                verb = "abort";
            }
            if (verb.equals("clean")) {
                Thread.sleep(MoverProcess.ROUTERS.toMillis());
            }
            int kill = this.random.nextInt(3) == 0 ? 1 + this.random.nextInt(80) : 0;
            Process mover = MoverProcess.start(this.databases, verb, command.group(2), String.valueOf(command.group(3)),
                    kill);
            if (this.random.nextInt(6) == 0) {
                Process second = MoverProcess.start(this.databases, verb, command.group(2),
                        String.valueOf(command.group(3)), 0);
                count("second movers");
                end(second);
            }
            end(mover);
        }
    }

    private void end(Process mover) throws Exception {
        String end = MoverProcess.ended(mover);
        this.ends.add(end);
        if (mover.exitValue() == MoverProcess.KILLED) {
            count("killed");
        }
        else if (end.startsWith("0 ")) {
            count(end.split(" ")[1]);
            this.longestPause = Math.max(this.longestPause, Long.parseLong(end.split(" ")[3]));
        }
        else {
            count(end.replaceAll("[^A-Za-z ]", "").replaceAll("(\\w+ \\w+ \\w+ \\w+).*", "$1").strip());
        }
    }

    private void count(String what) {
        this.counted.merge(what, 1, Integer::sum);
    }

    /**
     * Each acknowledged row is in its home alone, as it was acknowledged, and there are
     * no others.
     */
    private void compare() throws Exception {
        Map<Integer, String> homes = new HashMap<>();
        for (int shard = 0; shard < TwoDatabases.SHARDS; shard++) {
            homes.put(shard, this.databases.home(shard));
        }
        Map<Long, String> found = new HashMap<>();
        List<String> wrong = new ArrayList<>();
        int compared = 0;
        for (String database : new String[] { "a", "b", "c" }) {
            try (Connection connection = this.databases.connect(database);
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(
                            "SELECT p.id, p.caption, c.words FROM photo p FULL JOIN comment c ON c.photo_id = p.id")) {
                while (rows.next()) {
                    long id = rows.getLong(1);
                    if (!database.equals(homes.get(TwoDatabases.LAYOUT.shardOf(id)))) {
                        wrong.add("in the wrong database: " + id);
                    }
                    if (!rows.getString(2).equals(rows.getString(3))) {
                        wrong.add("half: " + id);
                    }
                    if (found.put(id, rows.getString(2)) != null) {
                        wrong.add("twice: " + id);
                    }
                }
            }
        }
        for (Writer writer : this.writers) {
            for (Map.Entry<Long, String> row : writer.known().entrySet()) {
                compared++;
                String caption = found.remove(row.getKey());
                if ((row.getValue() == null) ? caption != null : !row.getValue().equals(caption)) {
                    wrong.add("%s is %s, not %s".formatted(row.getKey(), caption, row.getValue()));
                }
            }
            for (Map.Entry<Long, List<String>> row : writer.doubtful().entrySet()) {
                if (!row.getValue().contains(found.remove(row.getKey()))) {
                    wrong.add("neither before nor after: " + row.getKey());
                }
            }
        }
        found.keySet().forEach((id) -> wrong.add("nobody has written it: " + id));
        System.out.println("rows compared: " + compared);
        assertThat(wrong).as(figures()).isEmpty();
        IntStream.of(MOVING)
            .forEach((shard) -> assertThat(this.databases.where(shard)).as(figures())
                .containsOnlyOnce("=here")
                .endsWith(" "));
    }

}
