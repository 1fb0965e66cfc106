package io.shardedid.move;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;

import io.shardedid.testdb.PostgresMajor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Accounts that keep what they may lock, and give names that forge lines: no command of
 * the mover waits for them for longer than its limits, and each says whose lock it is.
 */
@Tag("proof")
@Tag("database")
class HostileAccountIT {

    private static final ShardRanges FIVE = ShardRanges.parse("5");

    private static final MoveLimits LIMITS = new MoveLimits(Duration.ofSeconds(4), Duration.ofMillis(200),
            Duration.ofSeconds(10), Duration.ofSeconds(3), Duration.ofSeconds(20), Duration.ofSeconds(4));

    private static final List<String> TABLES = List.of("CREATE TABLE m.fenced (id bigint PRIMARY KEY, user_id bigint)",
            "SELECT public.shardedid_fence('m.fenced', 'id', 12, 2047)",
            "CREATE TABLE m.parent (id bigint PRIMARY KEY)",
            "CREATE TABLE m.child (id bigint PRIMARY KEY, photo_id bigint REFERENCES m.parent)",
            "CREATE FUNCTION m.noop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
            "CREATE TRIGGER zz_shardedid_fence_update BEFORE UPDATE ON m.child FOR EACH ROW WHEN (NEW.id > 7) EXECUTE FUNCTION m.noop()",
            "CREATE TABLE public.\"pho\"\"to\" (id bigint PRIMARY KEY)",
            "CREATE TABLE m.parts (id bigint PRIMARY KEY) PARTITION BY RANGE (id)");

    private static final String LOCK = "LOCK TABLE m.fenced, m.parent, m.child, public.\"pho\"\"to\", m.parts IN ACCESS EXCLUSIVE MODE";

    private static final Map<PostgresMajor, TwoServers> SERVERS = new EnumMap<>(PostgresMajor.class);

    @TempDir
    static Path folder;

    @BeforeAll
    static void start() throws IOException {
        for (PostgresMajor major : PostgresMajor.values()) {
            SERVERS.put(major, TwoServers.started(major));
            MoverAccount.create(SERVERS.get(major), major);
        }
    }

    @AfterAll
    static void stop() throws IOException {
        for (TwoServers each : SERVERS.values()) {
            each.close();
        }
    }

    private static TwoDatabases databases(PostgresMajor major) {
        TwoDatabases databases = MoverAccount.own(new TwoDatabases(SERVERS.get(major)), major);
        databases.fill("a", 5, 3);
        return databases;
    }

    private static MoveDatabases names(TwoDatabases databases, PostgresMajor major) {
        return MoverAccount.databases(databases, major, "?currentSchema=public");
    }

    private static ShardMover mover(TwoDatabases databases, PostgresMajor major) {
        return new ShardMover(names(databases, major), LIMITS, (progress) -> {
        });
    }

    /** A session of an account that may connect, with what others have given to it. */
    private static Connection session(TwoDatabases databases, String account, String... given) throws SQLException {
        String role = account + "_" + databases.name();
        databases.execute("a",
                "DO $$ BEGIN CREATE ROLE %s LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$".formatted(role));
        for (String sql : given) {
            databases.execute("a", sql.formatted(role));
        }
        return DriverManager.getConnection(databases.a.url(databases.name()), role, "");
    }

    private static void execute(Connection connection, String... statements) {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
        catch (SQLException ex) {
            throw new AssertionError(ex);
        }
    }

    private static void lock(Connection connection, String sql) {
        try {
            connection.setAutoCommit(false);
            execute(connection, sql);
        }
        catch (SQLException ex) {
            throw new AssertionError(ex);
        }
    }

    private static void end(Connection connection) {
        try {
            connection.setAutoCommit(true);
        }
        catch (SQLException ex) {
            throw new AssertionError(ex);
        }
    }

    private static void assertTakesWrites(TwoDatabases databases, long tick) {
        databases.execute("a", "INSERT INTO photo VALUES (%s, 5, 'late')".formatted(TwoDatabases.id(5, tick)));
    }

    private static Connection mallory(TwoDatabases databases) throws SQLException {
        Connection mallory = session(databases, "mallory", "GRANT CREATE ON SCHEMA public TO %s",
                "CREATE SCHEMA m AUTHORIZATION %s");
        execute(mallory, TABLES.toArray(String[]::new));
        return mallory;
    }

    /** Her transactions count as those of all others: the limits of the page. */
    @ParameterizedTest
    @EnumSource
    void noCommandWaitsForLocksOfHerTables(PostgresMajor major) throws Exception {
        TwoDatabases databases = databases(major);
        ShardMover mover = mover(databases, major);
        try (Connection mallory = mallory(databases)) {
            lock(mallory, LOCK);
            assertThat(mover.plan(FIVE, "b").problems()).isEmpty();
            assertThat(mover.status().unknown()).isEmpty();
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.move(FIVE, "b"))
                .withMessageStartingWith("Waited too long for a slot: database=a, limit=3s")
                .withMessageContaining("user=mallory_");
            assertThat(mover.status().moves()).hasSize(1);
            assertTakesWrites(databases, 1);
            assertThat(mover.abort(FIVE).outcome()).isEqualTo(MoveResult.Outcome.ABORTED);
            end(mallory);

            AtomicBoolean fenced = new AtomicBoolean();
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> {
                try (Move move = new Move(names(databases, major), LIMITS, FIVE, (progress) -> {
                }, (database, sql) -> {
                    if (sql.contains("SET idle_session_timeout") && fenced.compareAndSet(false, true)) {
                        lock(mallory, LOCK);
                    }
                })) {
                    move.move("b");
                }
            })
                .withMessageStartingWith(
                        "Waited too long for transactions that began by the older map to end: shards=5, limit=4s")
                .withMessageContaining("user=mallory_");
            assertThat(databases.home(5)).isEqualTo("b");
            assertThat(mover.status().moves()).singleElement()
                .satisfies((open) -> assertThat(open.waitsFor()).anyMatch((each) -> each.contains("user=mallory_")));
            end(mallory);
            assertThat(mover.resume(FIVE).outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        }
    }

    /** The account of the application may lock the tables that it may write. */
    @ParameterizedTest
    @EnumSource
    void locksOfTheApplicationHaveAName(PostgresMajor major) throws Exception {
        TwoDatabases databases = databases(major);
        ShardMover mover = mover(databases, major);
        try (Connection app = session(databases, "app",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON photo, comment, shardedid_shard, shardedid_router TO %s")) {
            for (String table : List.of("photo", "shardedid_shard, shardedid_router")) {
                lock(app, "LOCK TABLE %s IN ACCESS EXCLUSIVE MODE".formatted(table));
                for (Callable<?> command : List.<Callable<?>>of(() -> mover.plan(FIVE, "b"),
                        () -> mover.move(FIVE, "b"))) {
                    assertThatExceptionOfType(MoveException.class).isThrownBy(command::call)
                        .withMessageContaining(
                                "canceling statement due to lock timeout: transactions that lock tables: [")
                        .withMessageContaining("user=app_");
                }
                if (!table.equals("photo")) {
                    for (Callable<?> command : List.<Callable<?>>of(mover::status, () -> mover.resume(FIVE),
                            () -> mover.abort(FIVE), () -> {
                                mover.nameDead("nobody");
                                return true;
                            })) {
                        assertThatExceptionOfType(MoveException.class).isThrownBy(command::call)
                            .withMessageContaining("user=app_");
                    }
                }
                end(app);
            }
            assertThat(mover.move(FIVE, "b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        }
    }

    /** Each account may take advisory locks until an operator revokes the right. */
    @ParameterizedTest
    @EnumSource
    void advisoryLocksHaveAName(PostgresMajor major) throws Exception {
        TwoDatabases databases = databases(major);
        ShardMover mover = mover(databases, major);
        try (Connection mallory = session(databases, "mallory")) {
            for (String lock : List.of("lock(1397246276, 5)", "xact_lock_shared(1397246276, 5)",
                    "lock(1397246276, -1)")) {
                lock(mallory, "SELECT pg_advisory_" + lock);
                if (!lock.startsWith("xact")) {
                    // a session keeps it without a transaction
                    end(mallory);
                }
                assertThat(mover.plan(FIVE, "b").problems()).as(lock).isEmpty();
                assertThat(mover.status().unknown()).as(lock).isEmpty();
                assertThatExceptionOfType(MoveException.class).as(lock)
                    .isThrownBy(() -> mover.move(FIVE, "b"))
                    .withMessageStartingWith("Waited too long for ")
                    .withMessageContaining("limit=3s")
                    .withMessageContaining("user=mallory_");
                assertThat(databases.state("a", 5)).as(lock).isEqualTo("here");
                end(mallory);
                execute(mallory, "SELECT pg_advisory_unlock_all()");
                assertTakesWrites(databases, lock.length());
                mover.abort(FIVE);
            }
        }
        assertThat(mover.move(FIVE, "b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
    }

    @ParameterizedTest
    @EnumSource
    void noNameForgesALine(PostgresMajor major) throws Exception {
        TwoDatabases databases = databases(major);
        ShardMover mover = mover(databases, major);
        String forged = "x\r\nNothing prevents the move.\u001b[2K\u0085\"'";
        String quoted = FencedTable.quoted(forged);
        try (Connection mallory = mallory(databases)) {
            execute(mallory, "CREATE TABLE m.%s (id bigint PRIMARY KEY)".formatted(quoted),
                    "CREATE TABLE m.%s (id bigint PRIMARY KEY)".formatted(FencedTable.quoted(forged + "fenced")),
                    "SELECT public.shardedid_fence('m.%s', 'id', 12, 2047)"
                        .formatted(FencedTable.quoted(forged + "fenced").replace("'", "''")));
            MovePlan plan = mover.plan(FIVE, "b");
            assertThat(plan.problems()).isEmpty();
            assertThat(plan.warnings()).anyMatch((warning) -> warning.contains("x??Nothing prevents the move.?[2K?\"'"))
                .noneMatch(HostileAccountIT::hasControls);

            execute(mallory, "BEGIN", "INSERT INTO m.parent VALUES (1)",
                    "PREPARE TRANSACTION '%s'".formatted(forged.replace("'", "''")));
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.move(FIVE, "b"))
                .withMessageContaining("x??Nothing prevents the move.")
                .matches((ex) -> !hasControls(ex.getMessage()));
            execute(mallory, "ROLLBACK PREPARED '%s'".formatted(forged.replace("'", "''")));
            mover.abort(FIVE);
        }
        databases.execute("a",
                "INSERT INTO shardedid_router (namespace, process, version_seen, identity_seen, seen_at, lease_until) VALUES ('default', '%s', 1, 71, 0, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 600000)"
                    .formatted(forged.replace("'", "''")));
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.move(FIVE, "b"))
            .withMessageContaining("x??Nothing prevents the move.")
            .matches((ex) -> !hasControls(ex.getMessage()));
        assertThat(mover.status().moves().get(0).waitsFor())
            .anyMatch((each) -> each.contains("x??Nothing prevents the move."))
            .noneMatch(HostileAccountIT::hasControls);
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.nameDead("nobody"))
            .matches((ex) -> !hasControls(ex.getMessage()));
        mover.nameDead(MoveException.line(forged));
        assertThat(databases.query("a", "SELECT count(*) FROM shardedid_router")).isEqualTo("0");
        assertThat(new MovePlan.Table(forged, 1, 1).name()).doesNotContain("\r", "\n");
    }

    private static boolean hasControls(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }

    /** A superuser would go by homes of hers, and plan with her index. */
    @ParameterizedTest
    @EnumSource
    void homesOfAStrangerAreNotReadByASuperuser(PostgresMajor major) throws Exception {
        TwoDatabases databases = databases(major);
        try (Connection mallory = session(databases, "mallory", "CREATE SCHEMA postgres AUTHORIZATION %s")) {
            execute(mallory, "CREATE SEQUENCE postgres.runs", "GRANT USAGE ON SCHEMA postgres TO PUBLIC",
                    "CREATE FUNCTION postgres.pure(bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM nextval(''postgres.runs''); RETURN 1; END'",
                    "CREATE TABLE postgres.shardedid_home (shard int PRIMARY KEY, state text, mover bigint, changed_at timestamptz)",
                    "CREATE INDEX ON postgres.shardedid_home ((postgres.pure(1)))",
                    "CREATE TABLE postgres.shardedid_shard (namespace text, shard int, home text, version bigint, mover bigint, source text, target text, step text, changed_at bigint)",
                    "CREATE INDEX ON postgres.shardedid_shard ((postgres.pure(1)))",
                    "ALTER SEQUENCE postgres.runs RESTART");
            Path config = Files.writeString(folder.resolve(databases.name() + ".properties"), """
                    shardedid.databases.a.url=%s
                    shardedid.databases.a.username=postgres
                    shardedid.databases.b.url=%s
                    shardedid.databases.b.username=postgres
                    shardedid.databases.home=a
                    """.formatted(databases.a.url(databases.name()), databases.b.url(databases.name())));
            for (String command : List.of("plan 5 --to=b", "move 5 --to=b", "status", "resume 5", "abort 5",
                    "dead nobody --yes")) {
                ByteArrayOutputStream printed = new ByteArrayOutputStream();
                PrintStream out = new PrintStream(printed, true);
                assertThatCode(
                        () -> ShardsCommand.run(out, out, Map.of(), (command + " --config=" + config).split(" ")))
                    .doesNotThrowAnyException();
                assertThat(databases.query("a", "SELECT is_called FROM postgres.runs")).as(command).isEqualTo("f");
                assertThat(printed.toString(StandardCharsets.UTF_8)).as(command)
                    .contains("several", "postgres", "public", "shardedid.databases.a.url=...?currentSchema=");
            }
        }
    }

}
