package io.shardedid.move;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.shardedid.move.KnownRows.Row;
import io.shardedid.shards.ShardFence;
import io.shardedid.testdb.PostgresMajor;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shards move back and forth under the router, while their movers are killed, their
 * servers crash, and migrations add fenced tables. 60 readers share pools of two
 * connections, and scopes stay open while shards move. No answer may miss a row that
 * exists, and in the end every row is compared with what its writer knows.
 */
@Tag("proof")
@Tag("database")
// the long storm takes more than ten minutes on each version
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class RoutedStormIT {

    private static final int KILLS = ProofLength.of(8, 200);

    private static final int CRASHES = ProofLength.of(1, 20);

    private static final int MIGRATIONS = ProofLength.of(2, 10);

    /** A scope stays open over three of them. */
    private static final int LEAST_MOVES = 4;

    /** A router looks at the map each second. */
    private static final int LONGEST_MOVE_MILLIS = 2_000;

    private static final long SEED = Long.getLong("seed", System.nanoTime());

    /** Shard keys are their own shards. */
    private static final int[] MOVING = { 5, 6, 7 };

    private static final int[] STAYING = { 9, 11 };

    private static final String TABLE = """
            CREATE TABLE %1$s (id bigint PRIMARY KEY, photo_id bigint NOT NULL, words text);
            CREATE INDEX %1$s_shard ON %1$s (((id >> 12) & 2047), id);
            SELECT shardedid_fence('%1$s', 'id', 12, 2047)""";

    /** The rows of shards that are there get a bookmark. */
    private static final String ROWS = """
            INSERT INTO %s SELECT id, id, 'migrated' FROM photo
             WHERE (SELECT state FROM shardedid_home WHERE shard = (id >> 12) & 2047) = 'here' ORDER BY id LIMIT 100
            RETURNING id""";

    private final Random random = new Random(SEED);

    private final KnownRows known = new KnownRows(false);

    private final List<String> bookmarks = new CopyOnWriteArrayList<>();

    private TwoDatabases databases;

    private MoverStorm storm;

    static List<PostgresMajor> majors() {
        return List.of(PostgresMajor.values()).subList(0, ProofLength.of(1, PostgresMajor.values().length));
    }

    @ParameterizedTest
    @MethodSource("majors")
    void noRowIsLostAndNoAnswerMissesOne(PostgresMajor major) throws Exception {
        try (TwoServers servers = TwoServers.started(major)) {
            this.databases = new TwoDatabases(servers);
            this.storm = new MoverStorm(servers, this.databases, SEED, KILLS, CRASHES, LONGEST_MOVE_MILLIS);
            try (ConfigurableApplicationContext reading = RoutedCalls.application(this.databases, 2);
                    ConfigurableApplicationContext writing = RoutedCalls.application(this.databases, 6)) {
                RoutedCalls reads = new RoutedCalls(reading, this.known, this.storm::moves, this::bookmarks,
                        this.databases::where);
                RoutedCalls writes = new RoutedCalls(writing, this.known, this.storm::moves, this::bookmarks,
                        this.databases::where);
                try {
                    writes.writers(5, MOVING, SEED);
                    writes.writers(1, STAYING, SEED + 10);
                    writes.readers(6, SEED + 20);
                    reads.readers(60, SEED + 30);
                    reads.scopes(4, MOVING, SEED + 100);
                    storm();
                }
                finally {
                    reads.end();
                    writes.end();
                }
                this.storm.resumeAll();
                int rows = this.known.compare(this.databases, this.bookmarks);
                String figures = "%s: %s, acknowledged=%s, migrations=%s, moves ended by a migration=%s, rows compared=%s%n  readers: %s%n  writers: %s"
                    .formatted(major, this.storm.figures(), this.known.acknowledged(), this.bookmarks.size(),
                            endedByMigration(), rows, reads.figures(), writes.figures());
                System.out.println("routed storm on " + figures);
                assertThat(this.known.faults()).as(figures).isEmpty();
                assertThat(this.databases.leftovers()).as(figures).isEmpty();
                assertThat(endedByMigration()).as("moves ended by a migration").isPositive();
                assertThat(reads.counted("scopes over three moves")).as(figures).isPositive();
                assertThat(reads.counted("reads")).as(figures).isGreaterThan(1_000);
                assertThat(writes.counted("rows in " + bookmarks())).as(figures).isPositive();
            }
        }
    }

    private String bookmarks() {
        return this.bookmarks.isEmpty() ? null : this.bookmarks.get(this.bookmarks.size() - 1);
    }

    private long endedByMigration() {
        return this.storm.ended("Tables have changed during the move");
    }

    private void storm() throws Exception {
        CompletableFuture<Void> migration = CompletableFuture.completedFuture(null);
        while (!this.storm.isOver() || this.storm.moves() < LEAST_MOVES || this.bookmarks.size() < MIGRATIONS
                || !migration.isDone()) {
            if (migration.isDone() && this.bookmarks.size() < MIGRATIONS
                    && this.storm.part() >= (this.bookmarks.size() + 1.0) / (MIGRATIONS + 1)) {
                migration.join();
                if (this.bookmarks.size() % 2 == 0) {
                    migrateBeforeTheFence();
                }
                else {
                    migration = migrateAtAnyTime();
                }
            }
            if (this.storm.next()) {
                System.out.println("routed storm: " + this.storm.figures());
            }
            assertThat(this.known.faults()).as("seed %s", SEED).isEmpty();
        }
        migration.join();
        this.storm.finishMove();
    }

    /**
     * An open transaction keeps the mover from closing the source. Meanwhile both
     * databases get the table, and writers use it.
     */
    private void migrateBeforeTheFence() throws Exception {
        this.storm.finishMove();
        String source = this.databases.home(MOVING[0]);
        String table = name();
        Process mover;
        try (Connection open = (source.equals("a") ? this.databases.a : this.databases.b)
            .connect(this.databases.name()); Statement statement = open.createStatement()) {
            open.setAutoCommit(false);
            statement.execute("SELECT shardedid_enter(%s)".formatted(MOVING[0]));
            mover = this.storm.start();
            await(() -> !mover.isAlive()
                    || !this.databases.query(source, "SELECT count(*) FROM pg_publication").equals("0"));
            migrate("a", table);
            migrate("b", table);
            this.bookmarks.add(table);
            await(() -> !this.databases
                .query(source,
                        "SELECT count(*) FROM %s WHERE (id >> 12) & 2047 = 5 AND words <> 'migrated'".formatted(table))
                .equals("0"));
            open.commit();
        }
        this.storm.ends(mover);
    }

    private CompletableFuture<Void> migrateAtAnyTime() {
        String table = name();
        boolean homeFirst = this.random.nextBoolean();
        long[] pauses = this.random.longs(2, 0, TimeUnit.MILLISECONDS.toNanos(LONGEST_MOVE_MILLIS)).toArray();
        return CompletableFuture.runAsync(() -> {
            LockSupport.parkNanos(pauses[0]);
            this.bookmarks.add(table);
            migrate(homeFirst ? "a" : "b", table);
            LockSupport.parkNanos(pauses[1]);
            migrate(homeFirst ? "b" : "a", table);
        }, (task) -> new Thread(task, "migration").start());
    }

    private String name() {
        return "bookmark_" + this.bookmarks.size();
    }

    /** Repeats a migration until it has run, as the start of an application does. */
    private void migrate(String database, String table) {
        await(() -> {
            List<Row> rows = new ArrayList<>();
            try (Connection connection = (database.equals("a") ? this.databases.a : this.databases.b)
                .connect(this.databases.name()); Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute(TABLE.formatted(table));
                try (ResultSet ids = statement.executeQuery(ROWS.formatted(table))) {
                    while (ids.next()) {
                        rows.add(new Row(table, ids.getLong(1)));
                    }
                }
                connection.commit();
                this.known.acknowledged("migrated", rows.toArray(Row[]::new));
                lasting(database, rows);
                return true;
            }
            catch (SQLException ex) {
                if ("42P07".equals(ex.getSQLState())) {
                    // its commit had no answer
                    this.known.doubtful("migrated");
                    return true;
                }
                assertThat(ex.getSQLState()).as(ex.toString()).matches("08...|57P0.|40...|" + ShardFence.MOVED);
                return false;
            }
        });
    }

    /** Where a mover has opened the target, the map may still name the source. */
    private void lasting(String database, List<Row> rows) throws SQLException {
        try (Connection connection = this.databases.a.connect(this.databases.name());
                Statement statement = connection.createStatement();
                ResultSet homes = statement.executeQuery(
                        "SELECT shard, (SELECT version FROM shardedid_shard WHERE shard = -1) FROM shardedid_shard WHERE home = '%s'"
                            .formatted(database))) {
            while (homes.next()) {
                int shard = homes.getInt(1);
                long version = homes.getLong(2);
                rows.stream().filter((row) -> row.shard() == shard).forEach((row) -> this.known.lasts(row, version));
            }
        }
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            LockSupport.parkNanos(20_000_000);
        }
    }

}
