package io.shardedid.move;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.shardedid.shards.ShardDirectory;
import io.shardedid.testdb.PostgresMajor;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shards move back and forth under two routers, and the server of the map fails over to a
 * standby that lacks its last commits, at any moment of any move. The operator does what
 * docs/moving-trouble.md says. A second application has tables of the same names in
 * another schema of the same databases, and moves shards of the same numbers. After each
 * move all rows of both are compared with what their writers know.
 */
@Tag("proof")
@Tag("nightly")
@Tag("database")
// the long storm takes more than ten minutes on each version
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class FailoverStormIT {

    private static final int FAILOVERS = ProofLength.of(2, 20);

    /** A router looks at the map each second. */
    private static final int LONGEST_MOVE_MILLIS = 3_000;

    private static final int ATTEMPTS = 8;

    private static final long SEED = Long.getLong("seed", System.nanoTime());

    private static final ShardRanges SHARDS = ShardRanges.parse("5-7");

    /** Shard keys are their own shards. */
    private static final int[] MOVING = { 5, 6, 7 };

    private static final int[] STAYING = { 9, 11 };

    private static final String SECOND_MOVES = "moves of the second application";

    /** The problems of status with a statement. */
    private static final Pattern MENDED = Pattern
        .compile("Shard map (is older than shardedid_home: .* to=(?<open>\\w+) |has lost tokens).*: UPDATE .*");

    private final Random random = new Random(SEED);

    private final KnownRows known = new KnownRows(true);

    private final List<Writer> writers = new ArrayList<>();

    private final List<Thread> threads = new ArrayList<>();

    private final AtomicLong acknowledged = new AtomicLong();

    private final Map<String, Long> counts = new TreeMap<>();

    private TwoDatabases databases;

    private TwoDatabases second;

    private MoverStorm storm;

    private List<ConfigurableApplicationContext> applications = List.of();

    private List<RoutedCalls> calls = List.of();

    private long seed = SEED;

    static List<PostgresMajor> majors() {
        List<PostgresMajor> all = List.of(PostgresMajor.values());
        return ProofLength.of(List.of(all.get(Math.floorMod(SEED, all.size()))), all);
    }

    @ParameterizedTest
    @MethodSource("majors")
    void mapThatGoesBackLosesNoRowOfTwoApplications(PostgresMajor major) throws Exception {
        try (TwoServers servers = TwoServers.startedWithMap(major)) {
            this.databases = TwoDatabases.withMap(servers);
            this.second = this.databases.inSchema("two");
            IntStream.range(0, 3)
                .forEach((number) -> this.writers
                    .add(new Writer(this.second, number, Connection.TRANSACTION_READ_COMMITTED,
                            (number == 2) ? STAYING : MOVING, SEED + number, this.acknowledged)));
            this.storm = new MoverStorm(servers, this.databases, SEED, 0, 0, LONGEST_MOVE_MILLIS);
            try {
                start();
                for (int failover = 1; failover <= FAILOVERS; failover++) {
                    call();
                    write();
                    move(servers.c);
                    quiet();
                    compare();
                    System.out.println("failover storm on %s: failovers=%s, %s".formatted(major, failover, figures()));
                }
            }
            finally {
                quiet();
                this.applications.forEach(ConfigurableApplicationContext::close);
            }
            assertThat(this.counts.get("reads")).as(figures()).isPositive();
        }
    }

    private String figures() {
        return "%s, acknowledged=%s, second application acknowledged=%s, %s".formatted(this.storm.figures(),
                this.known.acknowledged(), this.acknowledged, this.counts);
    }

    private void count(String what, long number) {
        this.counts.merge(what, number, Long::sum);
    }

    private void start() {
        this.applications = Stream.of(2, 6)
            .map((connections) -> RoutedCalls.application(this.databases, connections,
                    "shardedid.worker.lease.tolerate-lost-commits=true"))
            .toList();
    }

    private void call() {
        this.applications.forEach((application) -> application.getBean(ShardDirectory.class).refresh());
        this.known.settle();
        this.calls = this.applications.stream()
            .map((application) -> new RoutedCalls(application, this.known, this.storm::moves, () -> null,
                    this.databases::where))
            .toList();
        this.calls.forEach((each) -> {
            each.slowDown();
            each.leasesFailOver();
        });
        this.seed += 1_000;
        this.calls.get(0).readers(10, this.seed);
        this.calls.get(0).writers(1, MOVING, this.seed + 100);
        this.calls.get(1).readers(4, this.seed + 200);
        this.calls.get(1).writers(2, MOVING, this.seed + 300);
        this.calls.get(1).writers(1, STAYING, this.seed + 400);
    }

    private void write() {
        this.writers.forEach((writer) -> {
            writer.begin();
            writer.slowDown();
            Thread thread = new Thread(writer);
            thread.start();
            this.threads.add(thread);
        });
    }

    private void endCalls() throws InterruptedException {
        for (RoutedCalls each : this.calls) {
            each.end();
            count("reads", each.counted("reads"));
        }
        this.calls = List.of();
    }

    private void quiet() throws InterruptedException {
        endCalls();
        this.writers.forEach(Writer::end);
        for (Thread thread : this.threads) {
            thread.join(60_000);
            assertThat(thread.isAlive()).isFalse();
        }
        this.threads.clear();
    }

    /** The standby lacks the end of a move, and sometimes other moves. */
    private void move(MovingServer map) throws Exception {
        CompletableFuture<?> other = CompletableFuture.completedFuture(null);
        if (this.random.nextInt(3) > 0 || !this.counts.containsKey(SECOND_MOVES)) {
            count(SECOND_MOVES, 1);
            String target = this.second.home(5).equals("a") ? "b" : "a";
            other = CompletableFuture.runAsync(() -> mover(this.second).move(SHARDS, target));
        }
        Process mover = this.storm.start();
        Thread.sleep(this.random.nextInt(LONGEST_MOVE_MILLIS));
        map.keep();
        for (int lost = this.random.nextInt(3); lost > 0; lost--) {
            this.storm.ends(mover);
            this.storm.next();
            mover = this.storm.start();
        }
        Thread.sleep(this.random.nextInt(LONGEST_MOVE_MILLIS));
        if (this.random.nextBoolean()) {
            mover.toHandle().destroyForcibly();
        }
        map.failOver();
        this.storm.ends(mover);
        other.join();
        mend();
        this.storm.turn();
        assertThat(mover(this.databases).plan(SHARDS, this.storm.target()).problems()).as(story()).isEmpty();
        this.storm.finishMove();
    }

    private static ShardMover mover(TwoDatabases databases) {
        return new ShardMover(databases.databases(), MoverProcess.PATIENT, (progress) -> {
        });
    }

    /**
     * Mends the map. Nobody waits for 4 minutes, because all processes have begun before
     * the standby was cut off, and so each of them has its row.
     */
    private void mend() throws Exception {
        for (String problem : status().problems()) {
            Matcher mended = MENDED.matcher(problem);
            if (mended.matches()) {
                String open = mended.group("open");
                count((open != null) ? "map was older" : "map had lost tokens", 1);
                if (open != null) {
                    assertThat(this.databases.rows(open, MOVING[0])).as(problem).isNotEmpty();
                }
                this.databases.mendMap(problem);
            }
        }
        resume();
        if (status().problems().stream().anyMatch((problem) -> problem.startsWith("Routers go by another map"))) {
            restart();
        }
        assertThat(status().problems()).as(story()).isEmpty();
    }

    private MoveStatus status() {
        return mover(this.databases).status();
    }

    private void resume() throws Exception {
        List<String> failures = new ArrayList<>();
        for (List<MoveStatus.OpenMove> open = status().moves(); !open.isEmpty(); open = status().moves()) {
            assertThat(failures).as(story()).hasSizeLessThan(ATTEMPTS);
            try {
                mover(this.databases).resume(open.get(0).shards());
                count("resumed", 1);
            }
            catch (MoveException ex) {
                failures.add(ex.getMessage());
                count(ex.getMessage().replaceFirst(":.*", ""), 1);
                if (ex.getMessage().startsWith("Databases are further than the map")) {
                    this.databases.execute("c",
                            "UPDATE shardedid_shard SET step = 'open' WHERE namespace = 'default' AND shard BETWEEN 5 AND 7");
                }
                else if (ex.getMessage().startsWith("Waited too long for routers")) {
                    restart();
                }
            }
        }
    }

    private void restart() throws Exception {
        count("restarts", 1);
        endCalls();
        this.applications.forEach(ConfigurableApplicationContext::close);
        start();
        call();
    }

    private String story() {
        List<String> ends = this.storm.ends();
        return "seed %s, %s; %s".formatted(SEED, this.counts,
                String.join("; ", ends.subList(Math.max(0, ends.size() - ATTEMPTS), ends.size())));
    }

    private void compare() throws Exception {
        String story = story();
        count("rows compared", this.known.compare(this.databases, List.of()));
        assertThat(this.known.faults()).as(story).isEmpty();
        WrittenRows found = WrittenRows.compare(this.second, this.writers);
        count("rows of the second application compared", found.rows());
        assertThat(found.faults()).as(story).isEmpty();
        assertThat(this.writers.stream().flatMap((writer) -> writer.faults().stream())).as(story).isEmpty();
        for (TwoDatabases each : List.of(this.databases, this.second)) {
            assertThat(each.leftovers()).as(story).isEmpty();
            MoveStatus status = each.mover().status();
            assertThat(status.well()).as("%s: %s", story, status).isTrue();
        }
    }

}
