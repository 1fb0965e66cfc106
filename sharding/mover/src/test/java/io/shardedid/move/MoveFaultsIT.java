package io.shardedid.move;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.shardedid.TimeSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.Driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What a failure leaves behind, and what happens between two statements. */
@Tag("database")
class MoveFaultsIT {

    private static final ShardRanges FIVE = ShardRanges.parse("5");

    private static final String LATE = "INSERT INTO photo VALUES (%s, 5, 'late')".formatted(TwoDatabases.id(5, 9_000));

    private static final String FENCE = "SET idle_session_timeout";

    private static final String MARK = "INSERT INTO public.shardedid_mark";

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private TwoDatabases databases;

    private final List<String> heard = new CopyOnWriteArrayList<>();

    /** Parts of the statements before which a test still does something. */
    private final List<String> undone = new CopyOnWriteArrayList<>();

    @BeforeEach
    void makeDatabases() {
        this.databases = new TwoDatabases(servers);
        this.databases.fill("a", 5, 3);
    }

    /** The workers of the target are few, and a move that failed keeps one. */
    @AfterEach
    void nothingIsLeft() {
        for (MoveStatus.OpenMove open : this.databases.mover().status().moves()) {
            if (open.stage().equals("copy")) {
                this.databases.mover().abort(open.shards());
            }
        }
        assertThat(this.undone).isEmpty();
        assertThat(this.databases.leftovers()).isEmpty();
        assertNobodyIsThere();
    }

    /** A session of the mover would keep its locks. The server ends it a little later. */
    private void assertNobodyIsThere() {
        for (String database : List.of("a", "b")) {
            long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            String left = "?";
            while (!left.equals("sessions=0, locks=0")) {
                assertThat(System.nanoTime()).as("%s in %s", left, database).isLessThan(end);
                left = this.databases.query(database, """
                        SELECT format('sessions=%%s, locks=%%s',
                          (SELECT count(*) FROM pg_stat_activity
                           WHERE datname = current_database() AND application_name = '%s'),
                          (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
                           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())))"""
                    .formatted(Session.APPLICATION));
            }
        }
    }

    /** Does something once, before the first statement with a text. */
    private Session.Probe before(String text, Action action) {
        this.undone.add(text);
        return (database, sql) -> {
            if (sql.contains(text) && this.undone.remove(text)) {
                try {
                    action.run();
                }
                catch (SQLException ex) {
                    throw MoveFaultsIT.<RuntimeException>unchecked(ex);
                }
            }
        };
    }

    private static Session.Probe both(Session.Probe one, Session.Probe other) {
        return (database, sql) -> {
            one.before(database, sql);
            other.before(database, sql);
        };
    }

    /** A probe throws what a statement would. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E unchecked(Throwable thrown) throws E {
        throw (E) thrown;
    }

    private MoveContext context(MoveLimits limits, Session.Probe probe) {
        return context(limits, probe, TimeSource.system());
    }

    private MoveContext context(MoveLimits limits, Session.Probe probe, TimeSource time) {
        return new MoveContext(this.databases.databases(), limits, FIVE,
                (progress) -> this.heard.add(progress.message()), probe, time);
    }

    private Move move(MoveContext context) {
        return move(context, Integer.MAX_VALUE);
    }

    private static Move move(MoveContext context, int mostIds) {
        HomeRows homes = new HomeRows(context);
        Replication replication = new Replication(context, homes);
        return new Move(context, new MapRows(context), homes, replication, new Comparison(context, replication) {

            @Override
            int mostIds() {
                return mostIds;
            }

        });
    }

    private void moves(Session.Probe probe) throws SQLException {
        try (Move move = move(context(TwoDatabases.LIMITS, probe))) {
            assertThat(move.move("b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        }
    }

    private MoveException stops(MoveContext context) {
        AtomicReference<MoveException> stopped = new AtomicReference<>();
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> {
            try (Move move = move(context)) {
                move.move("b");
            }
        }).satisfies(stopped::set);
        return stopped.get();
    }

    // ------------------------------------------------------------ each step fails once

    /**
     * A statement of each step fails once. Before the target may have opened, the source
     * takes writes and nothing says otherwise, and an abort leaves nothing. From then on
     * the source stays closed, and a later mover goes on.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            SET step = ? WHERE        | here
            SET version = version + 1 | moved
            """)
    void statementBesideTheSwitchThatFailsLeavesTheSourceOpenOrToBeResumed(String text, String left) {
        failsOnce(text, left);
    }

    /** The same holds for the statements of all other steps. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            SET mover = ? WHERE            | here
            SET state = ?                  | here
            SET LOCAL session_replication  | here
            DROP PUBLICATION               | here
            CREATE PUBLICATION             | here
            pg_create_logical_replication  | here
            CREATE SUBSCRIPTION            | here
            pg_subscription_rel            | here
            INSERT INTO public.shardedid_m | here
            hashtextextended               | here
            SET idle_session_timeout       | here
            pg_advisory_lock(              | here
            COMMENT ON PUBLICATION         | here
            SELECT last_value              | here
            VALUES (?, ?, 0)               | here
            ALTER SUBSCRIPTION             | moved
            DROP SUBSCRIPTION              | moved
            SET (publish = '')             | moved
            version_seen <                 | moved
            SET source = NULL              | moved
            """)
    @Tag("proof")
    void statementThatFailsLeavesTheSourceOpenOrToBeResumed(String text, String left) {
        failsOnce(text, left);
    }

    private void failsOnce(String text, String left) {
        for (String database : List.of("a", "b")) {
            this.databases.execute(database, "CREATE SEQUENCE shardedid_cell");
        }
        String rows = this.databases.rows("a", 5);
        assertThatExceptionOfType(Exception.class).isThrownBy(() -> moves(before(text, () -> {
            throw new SQLException("The line is cut", "08006");
        })));
        assertThat(this.undone).as("the statement was reached").isEmpty();
        assertThat(this.databases.state("a", 5)).isEqualTo(left);
        assertNobodyIsThere();

        if (left.equals("here")) {
            assertThat(this.databases.query("a", "SELECT count(*) FROM shardedid_mark WHERE attempt = 0"))
                .as("whether the target may have opened")
                .isEqualTo("0");
            this.databases.execute("a", LATE, "DELETE FROM photo WHERE caption = 'late'");
            assertThat(this.databases.home(5)).isEqualTo("a");
            if (!this.databases.mover().status().moves().isEmpty()) {
                assertThat(this.databases.mover().abort(FIVE).outcome()).isEqualTo(MoveResult.Outcome.ABORTED);
            }
            assertThat(this.databases.rows("a", 5)).isEqualTo(rows);
            assertThat(this.databases.rows("b", 5)).isEmpty();
        }
        else {
            assertThat(this.databases.mover().resume(FIVE).outcome()).isEqualTo(MoveResult.Outcome.MOVED);
            assertThat(this.databases.rows("a", 5)).isEmpty();
            assertThat(this.databases.rows("b", 5)).isEqualTo(rows);
        }
    }

    // ------------------------------------------------------------ sessions

    /** Which homes are those of the move, only the URL could say. */
    @Test
    void aSessionThatIsRefusedEnds() throws SQLException {
        this.databases.execute("b", "CREATE SCHEMA other",
                "CREATE TABLE other.shardedid_home (LIKE public.shardedid_home)");
        KeptConnections kept = new KeptConnections();
        DriverManager.registerDriver(kept);
        try {
            MoveDatabases.Database database = new MoveDatabases.Database(
                    this.databases.b.url(this.databases.name()).replace("postgresql", "kept"), "postgres", "", null);
            assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> Session.open(new MoveDatabases(Map.of("b", database), "b", "default", null), "b",
                        TwoDatabases.LIMITS.statement(), Session.Probe.NONE))
                .withMessageContaining("Database b has several fences: schemas=other");
            assertThat(kept.connections).hasSize(1)
                .allSatisfy((connection) -> assertThat(connection.isClosed()).isTrue());
        }
        finally {
            DriverManager.deregisterDriver(kept);
            this.databases.execute("b", "DROP SCHEMA other CASCADE");
        }
    }

    /** Its connections are not collected, which would end them. */
    private static final class KeptConnections extends Driver {

        private final List<Connection> connections = new CopyOnWriteArrayList<>();

        @Override
        public Connection connect(String url, Properties info) throws SQLException {
            if (!url.startsWith("jdbc:kept:")) {
                return null;
            }
            Connection connection = super.connect(url.replace("kept", "postgresql"), info);
            this.connections.add(connection);
            return connection;
        }

    }

    /** What follows on the same session is committed each for itself again. */
    @Test
    void aDeletionThatFailsLeavesNoOrigin() {
        AtomicBoolean failed = new AtomicBoolean();
        assertThatExceptionOfType(Exception.class).isThrownBy(() -> moves((database, sql) -> {
            if (database.equals("a") && sql.contains("SET LOCAL session_replication") && !failed.getAndSet(true)) {
                throw MoveFaultsIT.<RuntimeException>unchecked(new SQLException("The rows are locked", "40001"));
            }
        }));
        assertThat(failed).isTrue();
        assertThat(this.databases.query("a", "SELECT count(*) FROM pg_replication_origin")).isEqualTo("0");
        assertThat(this.databases.mover().resume(FIVE).outcome()).isEqualTo(MoveResult.Outcome.MOVED);
    }

    // ------------------------------------------------------------ fence

    /** A writer keeps shard 6, when the first attempt has locked shard 5. */
    @Test
    void anAttemptToCloseTheSourceThatFailedLeavesTheNextOneItsLocks() throws SQLException {
        AtomicReference<Connection> writer = new AtomicReference<>();
        AtomicInteger attempts = new AtomicInteger();
        MoveContext context = new MoveContext(this.databases.databases(), TwoDatabases.LIMITS, ShardRanges.parse("5-6"),
                (progress) -> this.heard.add(progress.message()), both(before(FENCE, () -> {
                    Connection connection = this.databases.a.connect(this.databases.name());
                    connection.setAutoCommit(false);
                    connection.createStatement().execute("SELECT shardedid_enter(6)");
                    writer.set(connection);
                }), (database, sql) -> {
                    attempts.addAndGet(sql.contains(FENCE) ? 1 : 0);
                    Connection connection = sql.contains("pg_locks") ? writer.getAndSet(null) : null;
                    if (connection != null) {
                        try (connection) {
                            connection.rollback();
                        }
                        catch (SQLException ex) {
                            throw MoveFaultsIT.<RuntimeException>unchecked(ex);
                        }
                    }
                }), TimeSource.system());
        try (Move move = move(context)) {
            assertThat(move.move("b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        }
        assertThat(attempts).as("the lock of the first one does not stop the second one").hasValue(2);
    }

    // ------------------------------------------------------------ comparison and switch

    /** A migration between the comparison and the switch. */
    @Test
    void aTableThatAMigrationAddsAfterTheComparisonOpensTheSourceAgain() {
        MoveException stopped = stops(context(TwoDatabases.LIMITS, before("COMMENT ON PUBLICATION", () -> {
            for (String database : List.of("a", "b")) {
                this.databases.execute(database, "CREATE TABLE bookmark (id bigint PRIMARY KEY)",
                        "SELECT shardedid_fence('bookmark', 'id', 12, 2047)");
            }
        })));
        assertThat(stopped)
            .hasMessageStartingWith("Tables have changed during the move: shards=5, table=public.bookmark");
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
    }

    /** Whoever makes ids there by SQL shares it, and would go on from an older value. */
    @Test
    void theCounterOfTheTargetIsSetUnderItsLock() throws SQLException {
        for (String database : List.of("a", "b")) {
            this.databases.execute(database, "CREATE SEQUENCE shardedid_cell");
        }
        moves(before("setval(", () -> assertThat(this.databases.query("b",
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid::bigint << 32 | objid::bigint = %s"
                    .formatted(0x7368617264656469L)))
            .isEqualTo("1")));
    }

    /** Both servers write times in a zone and in a style of their own. */
    @Test
    void timesAreComparedInOneStyle() throws SQLException {
        for (String database : List.of("a", "b")) {
            this.databases.execute(database, "ALTER TABLE photo ADD taken timestamptz, ADD took interval");
        }
        this.databases.execute("a", "UPDATE photo SET taken = '2026-03-04 05:06:07.089+00', took = '1 day 02:03:04'");
        this.databases.execute("b",
                "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET TimeZone = ''Asia/Kolkata''', current_database()); EXECUTE format('ALTER DATABASE %I SET DateStyle = ''SQL, DMY''', current_database()); EXECUTE format('ALTER DATABASE %I SET IntervalStyle = ''iso_8601''', current_database()); END $$");

        moves(Session.Probe.NONE);

        assertThat(this.databases.query("b",
                "SELECT count(*) FROM photo WHERE taken = '2026-03-04 05:06:07.089+00' AND took = interval '1 day 02:03:04'"))
            .isEqualTo("3");
    }

    // ------------------------------------------------------------ changes

    /**
     * The thread that reads the changes stands still from the fence until it is awaited.
     */
    private static final class SlowSlot extends TimeSource {

        private final AtomicBoolean fenced = new AtomicBoolean();

        private final AtomicBoolean held = new AtomicBoolean();

        @Override
        public long nanoTime() {
            return TimeSource.system().nanoTime();
        }

        @Override
        public long epochNanos() {
            return TimeSource.system().epochNanos();
        }

        @Override
        public void park(long nanos) {
            if (Thread.currentThread().getName().equals("shardedid-move-changes")) {
                while (this.held.get()) {
                    Thread.onSpinWait();
                }
            }
            else if (this.fenced.get()) {
                this.held.set(false);
            }
            TimeSource.system().park(nanos);
        }

    }

    /** An earlier mover of the same move has left a higher mark. */
    @Test
    void theMarkOfAnotherMoverIsNotOurs() {
        SlowSlot time = new SlowSlot();
        try {
            MoveException stopped = stops(context(TwoDatabases.LIMITS,
                    both(before(MARK, () -> this.databases.execute("a",
                            "INSERT INTO shardedid_mark SELECT substr(pubname, 1), 4711, 1000 FROM pg_publication")),
                            both(before(FENCE, () -> {
                                this.databases.execute("b",
                                        """
                                                CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                                                CREATE TRIGGER forget BEFORE INSERT ON photo FOR EACH ROW EXECUTE FUNCTION forget();
                                                ALTER TABLE photo ENABLE ALWAYS TRIGGER forget""");
                                time.held.set(true);
                                this.databases.execute("a", LATE);
                            }), before("pg_advisory_lock(", () -> time.fenced.set(true)))),
                    time));
            assertThat(stopped).hasMessageStartingWith("Rows differ: table=public.photo, shards=5, rows=1");
        }
        finally {
            time.held.set(false);
            this.databases.execute("b", "DROP FUNCTION IF EXISTS forget CASCADE");
        }
        this.databases.execute("a", "DELETE FROM shardedid_mark WHERE mover = 4711");
    }

    /** Only those that nobody has looked at yet take memory. */
    @Test
    void changesThatWereLookedAtDoNotCount() throws SQLException {
        try (Move move = move(
                context(TwoDatabases.LIMITS, both(before(MARK, () -> write(1, 2)), before(FENCE, () -> write(3, 4)))),
                3)) {
            assertThat(move.move("b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        }
        assertThat(this.heard).noneMatch((message) -> message.startsWith("All rows are going to be compared"));
    }

    private void write(int from, int to) {
        for (int row = from; row <= to; row++) {
            this.databases.execute("a",
                    "INSERT INTO photo VALUES (%s, 5, 'more')".formatted(TwoDatabases.id(5, 9_000 + row)));
        }
    }

    @Test
    void moreChangesThanFitAreComparedWithAllRows() throws SQLException {
        try (Move move = move(context(TwoDatabases.LIMITS, before(FENCE, () -> write(1, 4))), 3)) {
            assertThat(move.move("b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        }
        assertThat(this.heard).anyMatch((message) -> message.startsWith("All rows are going to be compared")
                && message.endsWith("More than 3 rows were written"));
    }

    /** All slots of the server are taken, so all rows are compared. */
    @Test
    void changesThatCannotBeReadLeaveNoConnection() throws SQLException {
        try {
            moves(before("c.relnamespace WHERE c.oid = to_regclass(?)", () -> this.databases.execute("a",
                    """
                            SELECT pg_create_physical_replication_slot('taken_' || i) FROM generate_series(1,
                              current_setting('max_replication_slots')::int - (SELECT count(*) FROM pg_replication_slots)) i""")));
            assertThat(this.heard).anyMatch((message) -> message.startsWith("All rows are going to be compared"));
            assertNobodyIsThere();
        }
        finally {
            this.databases.execute("a",
                    "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name LIKE 'taken%'");
        }
    }

    // ------------------------------------------------------------ replication

    /** The target has a row with the same id, so it takes nothing any more. */
    @ParameterizedTest
    @ValueSource(strings = { MARK, FENCE })
    void aSubscriptionThatFailsIsNotWaitedFor(String before) {
        MoveException stopped = stops(context(TwoDatabases.LIMITS, before(before, () -> {
            this.databases.execute("b", "SET session_replication_role = replica", LATE);
            this.databases.execute("a", LATE);
        })));
        assertThat(stopped).hasMessageStartingWith("The target does not take the rows: database=b, subscription=")
            .hasMessageContaining("disabled by an error");
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
        this.databases.execute("a", "DELETE FROM photo WHERE caption = 'late'");
    }

    @Test
    void onlyTheSlotIsWaitedForPatiently() throws SQLException {
        AtomicReference<MoveContext> moving = new AtomicReference<>();
        moving.set(context(TwoDatabases.LIMITS,
                before("CREATE SUBSCRIPTION", () -> assertThat(moving.get().source().text("SHOW lock_timeout"))
                    .isEqualTo(Session.LOCK.toSeconds() + "s"))));
        try (Move move = move(moving.get())) {
            assertThat(move.move("b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        }
    }

    /** Another mover takes the shard over in the target when the slot is there. */
    @Test
    void aSlotThatNoSubscriptionTakesIsDropped() {
        stops(context(TwoDatabases.LIMITS, before("SELECT set_config('log_transaction",
                () -> this.databases.execute("b", "UPDATE shardedid_home SET mover = mover + 1 WHERE shard = 5"))));
        assertThat(this.databases.query("a",
                "SELECT count(*) FROM pg_replication_slots WHERE database = current_database()"))
            .isEqualTo("0");
        this.databases.execute("b", "UPDATE shardedid_home SET mover = mover - 1 WHERE shard = 5");
    }

    /** What the server has thrown away does not come any more. */
    @Test
    void aSlotThatIsLostIsNoCopyThatGoesOn() throws SQLException {
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> moves(before(FENCE, () -> {
            throw new SQLException("The line is cut", "08006");
        })));
        String name = this.databases.query("a", "SELECT pubname FROM pg_publication");
        this.databases.execute("b", "ALTER SUBSCRIPTION %s DISABLE".formatted(name));
        this.databases.execute("a", "ALTER SYSTEM SET idle_replication_slot_timeout = '1s'", "SELECT pg_reload_conf()");
        try {
            String status = "SELECT wal_status FROM pg_replication_slots WHERE slot_name LIKE '%s%%'".formatted(name);
            long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
            while (!this.databases.query("a", status).equals("lost")) {
                assertThat(System.nanoTime()).isLessThan(end);
                this.databases.execute("a", "CHECKPOINT");
            }
        }
        finally {
            this.databases.execute("a", "ALTER SYSTEM RESET idle_replication_slot_timeout", "SELECT pg_reload_conf()");
        }
        this.databases.execute("b", "ALTER SUBSCRIPTION %s ENABLE".formatted(name));

        assertThat(this.databases.mover().resume(FIVE).outcome()).isEqualTo(MoveResult.Outcome.MOVED);
    }

    /**
     * Each table is copied by a slot of its own, which keeps the log of the source. The
     * target drops it by itself, unless it cannot connect then.
     */
    @Test
    void aCopyThatIsInterruptedLeavesNoSlot() throws SQLException {
        MoveLimits limits = new MoveLimits(TwoDatabases.LIMITS.statement(), TwoDatabases.LIMITS.lock(),
                TwoDatabases.LIMITS.pause(), TwoDatabases.LIMITS.patience(), Duration.ofSeconds(3),
                TwoDatabases.LIMITS.routers());
        try (Connection holder = this.databases.b.connect(this.databases.name())) {
            holder.createStatement().execute("SELECT pg_advisory_lock(4711)");
            MoveException stopped = stops(
                    context(limits, before("CREATE SUBSCRIPTION", () -> this.databases.execute("b", """
                            CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
                              'BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END';
                            CREATE TRIGGER wait BEFORE INSERT ON photo FOR EACH ROW EXECUTE FUNCTION wait();
                            ALTER TABLE photo ENABLE ALWAYS TRIGGER wait"""))));
            assertThat(stopped).hasMessageStartingWith("Waited too long for the target to copy the rows");
            assertThat(this.databases.query("a",
                    "SELECT count(*) FROM pg_replication_slots WHERE slot_name LIKE 'pg\\_%\\_sync\\_%' AND database = current_database()"))
                .as("the copy is under way")
                .isEqualTo("1");
            this.databases.execute("b", "ALTER SUBSCRIPTION %s DISABLE"
                .formatted(this.databases.query("a", "SELECT pubname FROM pg_publication")));
            this.databases.query("b",
                    "SELECT count(pg_terminate_backend(pid, 20000)) FROM pg_stat_subscription WHERE relid = 'photo'::regclass");
            this.databases.execute("b", "ALTER SUBSCRIPTION %s CONNECTION 'host=127.0.0.1 port=1 dbname=none'"
                .formatted(this.databases.query("a", "SELECT pubname FROM pg_publication")));
        }
        assertThat(this.databases.mover().abort(FIVE).outcome()).isEqualTo(MoveResult.Outcome.ABORTED);
        this.databases.execute("b", "DROP FUNCTION wait CASCADE");
        assertThat(this.databases.leftovers()).isEmpty();
    }

    /** Something that happens meanwhile. */
    @FunctionalInterface
    private interface Action {

        void run() throws SQLException;

    }

}
