package io.shardedid.move;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.shards.ShardFence;
import io.shardedid.testdb.PostgresMajor;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Between the plan and the end of a move somebody changes the catalogue, at random steps,
 * under writers. Each move ends right or stops; when the changes are taken back, it
 * resumes or aborts, and all rows are as the writers know them.
 */
@Tag("proof")
@Tag("database")
// by hand, with 200 moves
@Timeout(value = 80, unit = TimeUnit.MINUTES)
class CatalogueStormIT {

    private static final ShardRanges FIVE = ShardRanges.parse("5");

    private static final int MOVES = ProofLength.of(10, 200);

    /** That of the first move; each other one has the next. */
    private static final long SEED = Long.getLong("seed", System.nanoTime());

    /** The latest statement of a step that is changed before. */
    private static final int STATEMENTS = 24;

    private static final int MOST_CHANGES = 2;

    private static final int ROWS = 40;

    private static final MoveLimits LIMITS = new MoveLimits(Duration.ofSeconds(4), Duration.ofMillis(200),
            Duration.ofSeconds(10), Duration.ofSeconds(6), Duration.ofSeconds(15), Duration.ofSeconds(15));

    private static final String FENCE = "SELECT shardedid_fence('%s', 'id', 12, 2047)";

    private static final Pattern REMAIN = Pattern
        .compile("table=(\\S+), .*, written after this move has compared them");

    /** Changes that give all rows of a table new versions. */
    private static final Pattern REWRITES = Pattern.compile(" TYPE | SET UNLOGGED| DEFAULT gen_random_uuid");

    /** Somebody's rows, which no writer changes. */
    private static final String NOBODYS = "user_id = " + WrittenRows.NOBODY;

    private static final List<Change> CHANGES = List.of(
            Change.of("ALTER TABLE photo DISABLE TRIGGER USER", "ALTER TABLE photo ENABLE TRIGGER USER"),
            Change.of("ALTER TABLE comment DISABLE TRIGGER ALL", "ALTER TABLE comment ENABLE TRIGGER ALL"),
            Change.of("ALTER TABLE photo DISABLE TRIGGER zz_shardedid_fence_insert",
                    "ALTER TABLE photo ENABLE TRIGGER zz_shardedid_fence_insert"),
            Change.of("ALTER TABLE photo DISABLE TRIGGER zz_shardedid_fence_update",
                    "ALTER TABLE photo ENABLE TRIGGER zz_shardedid_fence_update"),
            Change.of("ALTER TABLE photo ENABLE REPLICA TRIGGER zz_shardedid_fence_delete",
                    "ALTER TABLE photo ENABLE TRIGGER zz_shardedid_fence_delete"),
            Change.of("ALTER TABLE comment ENABLE ALWAYS TRIGGER zz_shardedid_fence_insert",
                    "ALTER TABLE comment ENABLE TRIGGER zz_shardedid_fence_insert"),
            Change.of("ALTER TABLE photo ENABLE ALWAYS TRIGGER zz_shardedid_fence_delete",
                    "ALTER TABLE photo ENABLE TRIGGER zz_shardedid_fence_delete"),
            Change.of("DROP TRIGGER zz_shardedid_fence_insert ON comment", FENCE.formatted("comment")),
            Change.of("DROP TRIGGER zz_shardedid_fence_delete ON photo", FENCE.formatted("photo")),
            Change.of("DROP FUNCTION shardedid_fence_comment CASCADE", FENCE.formatted("comment")),
            Change.of("ALTER TRIGGER zz_shardedid_fence_update ON photo RENAME TO fence",
                    "ALTER TRIGGER fence ON photo RENAME TO zz_shardedid_fence_update"),
            Change.of(
                    "CREATE OR REPLACE FUNCTION shardedid_fence_photo() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN coalesce(NEW, OLD); END'",
                    FENCE.formatted("photo")),
            Change.of("ALTER FUNCTION shardedid_fence_photo() SECURITY INVOKER",
                    "ALTER FUNCTION shardedid_fence_photo() SECURITY DEFINER"),
            Change.of("ALTER FUNCTION shardedid_fence_photo() RENAME TO fence_of_photo",
                    "ALTER FUNCTION fence_of_photo() RENAME TO shardedid_fence_photo"),
            Change.of(
                    "CREATE OR REPLACE FUNCTION shardedid_outside(shard integer) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT false'",
                    "RESTORE shardedid_outside"),
            Change.of("ALTER FUNCTION shardedid_enter(integer) RENAME TO enter",
                    "ALTER FUNCTION enter(integer) RENAME TO shardedid_enter"),
            Change.of("REVOKE EXECUTE ON FUNCTION shardedid_enter(integer) FROM photos, postgres",
                    "GRANT EXECUTE ON FUNCTION shardedid_enter(integer) TO photos, postgres"),
            Change.of(
                    "CREATE POLICY none ON photo USING (false); ALTER TABLE photo ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
                    "DROP POLICY none ON photo; ALTER TABLE photo DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY"),
            Change
                .of("CREATE RULE keep AS ON DELETE TO photo WHERE old.%1$s DO INSTEAD NOTHING; ALTER TABLE photo ENABLE ALWAYS RULE keep"
                    .formatted(NOBODYS), "DROP RULE keep ON photo"),
            Change.of("CREATE RULE other AS ON INSERT TO comment DO ALSO NOTHING", "DROP RULE other ON comment"),
            Change
                .of("CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER keep BEFORE DELETE ON photo FOR EACH ROW WHEN (OLD.%s) EXECUTE FUNCTION keep(); ALTER TABLE photo ENABLE REPLICA TRIGGER keep"
                    .formatted(NOBODYS), "DROP FUNCTION keep CASCADE"),
            Change
                .of("CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.caption = upper(NEW.caption); RETURN NEW; END'; CREATE TRIGGER other BEFORE INSERT OR UPDATE ON photo FOR EACH ROW WHEN (NEW.%s) EXECUTE FUNCTION other(); ALTER TABLE photo ENABLE ALWAYS TRIGGER other"
                    .formatted(NOBODYS), "DROP FUNCTION other CASCADE"),
            Change.of(
                    "CREATE FUNCTION zzz() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN coalesce(NEW, OLD); END'; CREATE TRIGGER zzz BEFORE INSERT OR UPDATE OR DELETE ON photo FOR EACH ROW EXECUTE FUNCTION zzz()",
                    "DROP FUNCTION zzz CASCADE"),
            Change.of("ALTER TABLE comment DROP CONSTRAINT comment_photo_id_fkey",
                    "ALTER TABLE comment ADD FOREIGN KEY (photo_id) REFERENCES photo ON DELETE CASCADE NOT VALID"),
            Change.of("ALTER TABLE comment DROP CONSTRAINT comment_pkey",
                    "ALTER TABLE comment ADD CONSTRAINT comment_pkey PRIMARY KEY (id)"),
            Change.of(
                    "ALTER TABLE comment DROP CONSTRAINT comment_pkey, ADD CONSTRAINT comment_pkey PRIMARY KEY (id) DEFERRABLE",
                    "ALTER TABLE comment DROP CONSTRAINT comment_pkey, ADD CONSTRAINT comment_pkey PRIMARY KEY (id)"),
            Change.of("ALTER TABLE photo ADD CONSTRAINT none CHECK (user_id <> %s) NOT VALID"
                .formatted(WrittenRows.NOBODY), "ALTER TABLE photo DROP CONSTRAINT none"),
            Change.of("CREATE UNIQUE INDEX once ON photo (id, user_id, caption)", "DROP INDEX once"),
            Change.of("DROP INDEX photo_shard", "CREATE INDEX photo_shard ON photo (((id >> 12) & 2047), id)"),
            Change.of("ALTER TABLE photo REPLICA IDENTITY FULL", "ALTER TABLE photo REPLICA IDENTITY DEFAULT"),
            Change.of("ALTER TABLE photo REPLICA IDENTITY NOTHING", "ALTER TABLE photo REPLICA IDENTITY DEFAULT"),
            Change.of(
                    "CREATE UNIQUE INDEX identity ON comment (id); ALTER TABLE comment REPLICA IDENTITY USING INDEX identity",
                    "ALTER TABLE comment REPLICA IDENTITY DEFAULT; DROP INDEX identity"),
            Change.of("ALTER SCHEMA public RENAME TO other", "ALTER SCHEMA other RENAME TO public"),
            Change.of("CREATE SCHEMA other; ALTER TABLE comment SET SCHEMA other",
                    "ALTER TABLE other.comment SET SCHEMA public; DROP SCHEMA other"),
            Change.of("ALTER TABLE photo RENAME TO picture", "ALTER TABLE picture RENAME TO photo"),
            Change.of("ALTER TABLE photo ADD more text", "ALTER TABLE photo DROP more"),
            Change.of("ALTER TABLE comment ADD more int NOT NULL DEFAULT 7", "ALTER TABLE comment DROP more"),
            Change.of("ALTER TABLE photo ADD more text DEFAULT gen_random_uuid()", "ALTER TABLE photo DROP more"),
            Change.of("ALTER TABLE photo DROP spare", "ALTER TABLE photo ADD spare int"),
            Change.of("ALTER TABLE photo RENAME spare TO spared", "ALTER TABLE photo RENAME spared TO spare"),
            Change.of("ALTER TABLE photo RENAME id TO no", "ALTER TABLE photo RENAME no TO id"),
            Change.of("ALTER TABLE photo ALTER user_id TYPE numeric", "ALTER TABLE photo ALTER user_id TYPE bigint"),
            Change.of("ALTER TABLE photo ALTER caption TYPE varchar(200)", "ALTER TABLE photo ALTER caption TYPE text"),
            Change.of("ALTER TABLE comment ALTER words SET NOT NULL", "ALTER TABLE comment ALTER words DROP NOT NULL"),
            Change.of("CREATE TABLE child () INHERITS (comment)", "DROP TABLE child"),
            Change.of("ALTER TABLE comment SET UNLOGGED", "ALTER TABLE comment SET LOGGED"),
            Change.of("CREATE ROLE stranger_%s; ALTER TABLE photo OWNER TO stranger_%1$s",
                    "ALTER TABLE photo OWNER TO photos; %s; DROP OWNED BY stranger_%%1$s; DROP ROLE stranger_%%1$s"
                        .formatted(FENCE.formatted("photo"))),
            Change
                .of("CREATE TABLE extra (id bigint PRIMARY KEY); %s; INSERT INTO extra SELECT id + 7 FROM photo WHERE %s LIMIT 3"
                    .formatted(FENCE.formatted("extra"), NOBODYS), "DROP TABLE extra"),
            Change.of("CREATE TABLE extra (id bigint PRIMARY KEY); INSERT INTO extra SELECT id FROM photo",
                    "DROP TABLE extra"),
            Change.of("CREATE TABLE extra (photo_id bigint REFERENCES photo)", "DROP TABLE extra"),
            Change.of("VACUUM FULL photo", "VACUUM photo"),
            Change.of("CLUSTER photo USING photo_pkey", "ANALYZE photo"),
            Change.of("ALTER TABLE shardedid_mark RENAME TO mark", "ALTER TABLE mark RENAME TO shardedid_mark"),
            Change.of("ALTER TABLE shardedid_home RENAME TO home", "ALTER TABLE home RENAME TO shardedid_home"),
            Change.of("ALTER TABLE shardedid_home OWNER TO postgres", "ALTER TABLE shardedid_home OWNER TO photos"),
            Change.of("ALTER ROLE photos SET search_path = pg_catalog; ALTER DATABASE %s SET search_path = pg_catalog",
                    "ALTER ROLE photos RESET search_path; ALTER DATABASE %s RESET search_path"),
            Change.of("REVOKE photos FROM mover", "GRANT photos TO mover"),
            Change.of("REVOKE SET ON PARAMETER session_replication_role FROM mover",
                    "GRANT SET ON PARAMETER session_replication_role TO mover"),
            Change.of("ALTER ROLE mover NOREPLICATION", "ALTER ROLE mover REPLICATION"),
            Change.of("REVOKE pg_create_subscription FROM mover", "GRANT pg_create_subscription TO mover"),
            Change.of("REVOKE pg_read_all_stats FROM mover", "GRANT pg_read_all_stats TO mover"));

    private static final Map<PostgresMajor, TwoServers> SERVERS = new EnumMap<>(PostgresMajor.class);

    private final Map<String, Integer> ends = new TreeMap<>();

    private long acknowledged;

    private int rows;

    @BeforeAll
    static void start() throws IOException {
        for (PostgresMajor major : PostgresMajor.values()) {
            SERVERS.put(major, TwoServers.started(major));
            MoverAccount.create(SERVERS.get(major), major);
            if (major == PostgresMajor.V15) {
                // what changes of rights name
                SERVERS.get(major).a.execute("postgres", "CREATE ROLE mover");
                SERVERS.get(major).b.execute("postgres", "CREATE ROLE mover");
            }
        }
    }

    @AfterAll
    static void stop() throws IOException {
        for (TwoServers each : SERVERS.values()) {
            each.close();
        }
    }

    @Test
    void endsRightOrStops() throws Exception {
        List<String> faults = new ArrayList<>();
        for (int number = 0; number < MOVES; number++) {
            faults.addAll(move(SEED + number));
            System.out.println("catalogue: move %s, faults=%s, %s".formatted(number + 1, faults.size(), this.ends));
        }
        System.out.println("catalogue: moves=%s, acknowledged=%s, rows=%s, ends=%s, seed=%s".formatted(MOVES,
                this.acknowledged, this.rows, this.ends, SEED));
        assertThat(faults).isEmpty();
    }

    /** Without it, a mover that resumes would find nothing to delete, and end. */
    @ParameterizedTest
    @EnumSource
    void aTableThatIsNotRecognizedAnyMoreKeepsTheMoveOpen(PostgresMajor major) {
        TwoDatabases databases = MoverAccount.own(new TwoDatabases(SERVERS.get(major)), major);
        databases.fill("a", 5, 2);
        String rows = databases.rows("a", 5);
        MoveDatabases names = MoverAccount.databases(databases, major, "?currentSchema=public");
        ShardMover mover = new ShardMover(names, LIMITS, (progress) -> {
        });
        String stopped = "Tables of the move are not recognized any more in database a: shards=5, recognized=0 of 2, others={public.comment=its owner photos may not enter shards, public.photo=its owner photos may not enter shards}; let them be as they were, and resume";
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
            try (Move move = new Move(names, LIMITS, FIVE, (progress) -> {
            }, (database, sql) -> {
                if (sql.contains("version_seen <")) {
                    throw new AssertionError("ends here");
                }
            })) {
                move.move("b");
            }
        });
        databases.execute("a", "REVOKE EXECUTE ON FUNCTION shardedid_enter(integer) FROM photos");
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.resume(FIVE)).withMessage(stopped);
        assertThat(databases.rows("a", 5)).isEqualTo(rows);
        databases.execute("a", "GRANT EXECUTE ON FUNCTION shardedid_enter(integer) TO photos");
        assertThat(mover.resume(FIVE).outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        assertThat(databases.rows("a", 5)).isEmpty();
        assertThat(databases.rows("b", 5)).isEqualTo(rows);
    }

    private List<String> move(long seed) throws Exception {
        // neighbours begin alike
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        PostgresMajor major = PostgresMajor.values()[random.nextInt(PostgresMajor.values().length)];
        TwoDatabases databases = MoverAccount.own(new TwoDatabases(SERVERS.get(major)), major);
        for (String each : List.of("a", "b")) {
            databases.execute(each, "ALTER TABLE photo ADD spare int",
                    "GRANT EXECUTE ON FUNCTION shardedid_enter(integer) TO postgres");
        }
        databases.execute("a",
                "INSERT INTO photo SELECT %s + i * 8388608::bigint, %s, 'nobody' FROM generate_series(1, %s) i"
                    .formatted(TwoDatabases.id(5, 1), WrittenRows.NOBODY, ROWS),
                "INSERT INTO comment SELECT id + 2, id, 'nobody' FROM photo");
        AtomicLong acknowledged = new AtomicLong();
        List<Writer> writers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < 3; number++) {
            // for an older snapshot, a table that was rewritten is empty
            Writer writer = new Writer(databases, number, Connection.TRANSACTION_READ_COMMITTED,
                    (number == 2) ? new int[] { 5, 6 } : new int[] { 5 }, seed + number, acknowledged);
            writer.slowDown();
            writers.add(writer);
            threads.add(new Thread(writer, "writer-" + number));
        }
        threads.forEach(Thread::start);
        MoveDatabases names = MoverAccount.databases(databases, major, "?currentSchema=public");
        ShardMover mover = new ShardMover(names, LIMITS, (progress) -> {
        });
        List<String> story = new ArrayList<>(List.of("seed %s, %s".formatted(seed, major)));
        Interference interference = new Interference(databases, random, story);
        assertThat(mover.plan(FIVE, "b").problems()).isEmpty();
        story.add(attempt("move", () -> {
            try (Move move = new Move(names, LIMITS, FIVE, interference, interference)) {
                move.move("b");
            }
        }));
        interference.undo();
        // The trigger that changes captions may have been at the target alone while rows
        // were copied. Then only an abort
        // ends the move, as the refusal says.
        boolean differ = story.get(story.size() - 1).contains("Rows differ")
                && story.stream().anyMatch((line) -> line.contains("upper(NEW.caption)"));
        boolean abort = random.nextBoolean() || differ;
        for (int attempt = 0; attempt < 6 && !mover.status().moves().isEmpty(); attempt++) {
            MoveStatus.OpenMove open = mover.status().moves().get(0);
            interference.deleteRewritten();
            story.add((abort && open.stage().equals("copy")) ? attempt("abort", () -> mover.abort(FIVE))
                    : attempt("resume", () -> mover.resume(FIVE)));
        }
        writers.forEach(Writer::end);
        for (Thread thread : threads) {
            thread.join(60_000);
            assertThat(thread.isAlive()).as(thread.getName()).isFalse();
        }
        List<String> faults = new ArrayList<>();
        mover.status().moves().forEach((open) -> faults.add("open: " + open));
        WrittenRows found = WrittenRows.compare(databases, writers);
        faults.addAll(found.faults());
        writers.forEach((writer) -> faults.addAll(writer.faults()));
        String home = databases.home(5);
        if (!databases.query(home,
                "SELECT count(*) FROM photo JOIN comment ON photo_id = photo.id AND words = 'nobody' WHERE %s AND caption IN ('nobody', 'NOBODY')"
                    .formatted(NOBODYS))
            .equals(String.valueOf(ROWS))) {
            faults.add("lost of nobody");
        }
        String away = home.equals("a") ? "b" : "a";
        if (!databases.rows(away, 5).isEmpty()) {
            faults.add("rows in " + away);
        }
        if (!(databases.state(home, 5) + databases.state(away, 5)).equals("heremoved")) {
            faults.add("homes: %s=%s, %s=%s".formatted(home, databases.state(home, 5), away, databases.state(away, 5)));
        }
        if (!databases.leftovers().isEmpty()) {
            faults.add("left: " + databases.leftovers());
        }
        this.acknowledged += acknowledged.get();
        this.rows += found.rows();
        this.ends.merge(story.get(story.size() - 1).replaceFirst(":.*", "") + " in " + home, 1, Integer::sum);
        System.out.println("catalogue: " + String.join("\n    ", story));
        faults.stream().limit(6).forEach((fault) -> System.out.println("    FAULT " + fault));
        if (faults.isEmpty()) {
            for (MovingServer server : List.of(databases.a, databases.b)) {
                server.execute("postgres", "DROP DATABASE %s WITH (FORCE)".formatted(databases.name()));
            }
        }
        return faults.isEmpty() ? List.of() : List.of(story + ": " + faults.stream().limit(3).toList());
    }

    private static String attempt(String what, Attempt attempt) {
        try {
            attempt.run();
            return what + " ended";
        }
        catch (SQLException | MoveException ex) {
            return what + " stopped: " + ex.getMessage();
        }
    }

    @FunctionalInterface
    private interface Attempt {

        void run() throws SQLException;

    }

    /**
     * A change of a catalogue, and what takes it back.
     *
     * @param sql the change
     * @param undo takes it back
     */
    private record Change(String sql, String undo) {

        static Change of(String sql, String undo) {
            return new Change(sql, undo);
        }

    }

    /** Changes catalogues before some statements of some steps of a mover. */
    private static final class Interference implements Session.Probe, MoveProgress.Listener {

        private static final MoveStep[] STEPS = { MoveStep.TAKE_OVER, MoveStep.ARRIVE, MoveStep.PUBLISH, MoveStep.COPY,
                MoveStep.FENCE, MoveStep.MARK, MoveStep.COMPARE, MoveStep.COUNTER, MoveStep.SWITCH, MoveStep.CLEAN,
                MoveStep.EMPTY };

        private final TwoDatabases databases;

        private final Random random;

        private final List<String> story;

        private final List<String> steps = new ArrayList<>();

        private final List<String[]> made = Collections.synchronizedList(new ArrayList<>());

        private final List<Thread> threads = new ArrayList<>();

        private MoveStep step = MoveStep.TAKE_OVER;

        private int statements;

        Interference(TwoDatabases databases, Random random, List<String> story) {
            this.databases = databases;
            this.random = random;
            this.story = story;
            for (int rest = 1 + random.nextInt(MOST_CHANGES); rest > 0; rest--) {
                this.steps.add(STEPS[random.nextInt(STEPS.length)] + " " + (1 + random.nextInt(STATEMENTS)));
            }
        }

        @Override
        public synchronized void progress(MoveProgress progress) {
            if (progress.step() != this.step) {
                this.step = progress.step();
                this.statements = 0;
            }
        }

        @Override
        public synchronized void before(String database, String sql) {
            this.statements++;
            while (this.steps.remove(this.step + " " + this.statements)) {
                Change change = CHANGES.get(this.random.nextInt(CHANGES.size()));
                List<String> where = List.of(List.of("a"), List.of("b"), List.of("a", "b")).get(this.random.nextInt(3));
                boolean waits = this.random.nextBoolean();
                this.story.add("before %s %s (%s: %s): in %s%s %s".formatted(this.step, this.statements, database,
                        sql.lines().findFirst().orElse("").strip(), where, waits ? "" : ", beside,", change.sql()));
                where.forEach((each) -> {
                    Thread thread = new Thread(() -> make(each, change, waits ? "300ms" : "3s"), "change");
                    thread.start();
                    this.threads.add(thread);
                    if (waits) {
                        join(thread);
                    }
                });
            }
        }

        private static void join(Thread thread) {
            try {
                thread.join();
            }
            catch (InterruptedException ex) {
                throw new IllegalStateException(ex);
            }
        }

        private void make(String database, Change change, String wait) {
            try (Connection connection = server(database).connect(this.databases.name());
                    Statement statement = connection.createStatement()) {
                statement.execute("SET lock_timeout = '%s'".formatted(wait));
                statement.execute(change.sql().formatted(this.databases.name()));
                this.made.add(new String[] { database, change.undo().formatted(this.databases.name()) });
            }
            catch (SQLException ex) {
                synchronized (this.story) {
                    this.story
                        .add("not made in %s: %s".formatted(database, ex.getMessage().lines().findFirst().orElse("")));
                }
            }
        }

        private MovingServer server(String database) {
            return database.equals("a") ? this.databases.a : this.databases.b;
        }

        /** Takes all changes back, the last one first. */
        void undo() {
            this.threads.forEach(Interference::join);
            Collections.reverse(this.made);
            for (String[] each : this.made) {
                this.databases.execute(each[0], each[1].startsWith("RESTORE") ? restored() : each[1]);
            }
        }

        /**
         * A table that was rewritten after the comparison has new versions of all rows,
         * so those that the target has changed since stay until the operator deletes
         * them.
         */
        void deleteRewritten() {
            Matcher remain = REMAIN.matcher(this.story.get(this.story.size() - 1));
            if (remain.find() && this.story.stream().anyMatch((line) -> REWRITES.matcher(line).find())) {
                this.databases.execute("a",
                        "DO $$ BEGIN SET LOCAL session_replication_role = replica; DELETE FROM %s WHERE ((id >> 12) & 2047) = 5; END $$"
                            .formatted(remain.group(1)));
            }
        }

        private String restored() {
            return ShardFence.script(TwoDatabases.LAYOUT, TwoDatabases.SHARDS, "photo", "comment");
        }

    }

}
