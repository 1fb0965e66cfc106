package io.shardedid.move;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

import io.shardedid.move.MoveResult.Outcome;
import io.shardedid.testdb.PostgresMajor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a mover does on PostgreSQL, as an account without any right above an
 * application's.
 */
@Tag("database")
class ShardMoverIT {

    private static final String FIVE = "5";

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private TwoDatabases databases;

    @BeforeEach
    void makeDatabases() {
        this.databases = new TwoDatabases(servers);
        this.databases.fill("a", 5, 20);
        this.databases.fill("a", 6, 10);
    }

    @Test
    void movesAShardThereAndBack() {
        String five = this.databases.rows("a", 5);
        String six = this.databases.rows("a", 6);

        MoveResult moved = this.databases.mover().move(FIVE, "b").get(0);

        assertThat(moved.outcome()).isEqualTo(Outcome.MOVED);
        assertThat(moved.rows()).isEqualTo(60);
        assertThat(this.databases.where(5)).isEqualTo("map=b a=moved b=here clean");
        assertThat(this.databases.rows("b", 5)).isEqualTo(five);
        assertThat(this.databases.rows("a", 5)).isEqualTo(five);
        ShardMover.Status status = this.databases.mover().status();
        assertThat(status.well()).isTrue();
        assertThat(status.needs()).extracting(ShardMover.Left::command).containsExactly("'clean 5'");
        assertThat(this.databases.mover().move(FIVE, "b").get(0).outcome()).isEqualTo(Outcome.THERE);
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().move(FIVE, "a"))
            .withMessageContaining("clean 5");

        MoveResult cleaned = this.databases.mover().clean(FIVE).get(0);

        assertThat(cleaned.rows()).isEqualTo(60);
        assertThat(this.databases.where(5)).isEqualTo("map=b a=moved b=here ");
        assertThat(this.databases.rows("a", 5)).isEmpty();
        assertThat(this.databases.rows("a", 6)).isEqualTo(six);
        assertThat(this.databases.mover().status().needs()).isEmpty();
        assertThat(this.databases.mover().clean(FIVE).get(0).outcome()).isEqualTo(Outcome.THERE);
        this.databases.mover().move(FIVE, "a");
        this.databases.mover().clean(FIVE);
        assertThat(this.databases.where(5)).isEqualTo("map=a a=here b=moved ");
        assertThat(this.databases.rows("a", 5)).isEqualTo(five);
        assertThat(this.databases.rows("b", 5)).isEmpty();
        assertThat(this.databases.query("a", "SELECT version - mover FROM shardedid_shard WHERE shard = -1"))
            .as("each version is the token of its mover + 1, and cleaning takes a token")
            .isEqualTo("0");
    }

    @Test
    void planChangesNothingAndTellsThePause() {
        String homes = homes();

        MoveResult plan = this.databases.mover().plan(FIVE, "b").get(0);

        assertThat(plan.outcome()).isEqualTo(Outcome.POSSIBLE);
        assertThat(plan.problems()).isEmpty();
        assertThat(plan.rows()).isEqualTo(60);
        assertThat(plan.pauseMillis()).isPositive();
        assertThat(homes()).isEqualTo(homes);
        assertThat(this.databases.rows("b", 5)).isEmpty();
        assertThat(this.databases.mover().plan(FIVE, "a").get(0).outcome()).isEqualTo(Outcome.THERE);
    }

    private String homes() {
        return this.databases.query("a", "SELECT string_agg(h::text, ',' ORDER BY shard) FROM shardedid_home h")
                + this.databases.query("b", "SELECT string_agg(h::text, ',' ORDER BY shard) FROM shardedid_home h")
                + this.databases.query("a", "SELECT string_agg(s::text, ',' ORDER BY shard) FROM shardedid_shard s");
    }

    @Test
    void movesShardsOneAfterTheOtherAndTellsTheRest() {
        List<MoveResult> moved = this.databases.mover().move("4-6", "b");

        assertThat(moved).extracting(MoveResult::shard).containsExactly(4, 5, 6);
        assertThat(moved).extracting(MoveResult::rows).containsExactly(0L, 60L, 30L);
        servers.b.execute(this.databases.name(),
                "SET session_replication_role = replica; INSERT INTO photo VALUES (%s, 1, 'led here by a wrong map')"
                    .formatted(TwoDatabases.id(10, 1)));
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().move("8-11", "b"))
            .withMessageContaining("rest=10-11")
            .withMessageContaining("\"photo\"");
        assertThat(this.databases.where(8)).isEqualTo("map=b a=moved b=here clean");
    }

    @Test
    void abortsWhatTheMapDoesNotShow() {
        String five = this.databases.rows("a", 5);
        stopAt("SET version = greatest");
        assertThat(this.databases.where(5)).as("the failed move is taken back").isEqualTo("map=a a=here b=arriving ");
        assertThat(this.databases.rows("a", 5)).isEqualTo(five);
        assertThat(this.databases.rows("b", 5)).isEmpty();
        assertThat(this.databases.mover().abort(FIVE).get(0).outcome()).isEqualTo(Outcome.THERE);
        this.databases.mover().move(FIVE, "b");
        assertThat(this.databases.rows("b", 5)).isEqualTo(five);
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().abort(FIVE))
            .withMessageContaining("clean 5");
    }

    private void stopAt(String part) {
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover((database, sql) -> {
            if (sql.contains(part)) {
                throw MoveException.refused("stopped here");
            }
        }).move(FIVE, "b")).withMessageContaining("taken back");
    }

    @Test
    void refusesASecondMover() throws Exception {
        try (MapTable map = MapTable.open(this.databases.databases(), Duration.ofMinutes(1), TwoDatabases.NO_PROBE)) {
            map.lock();

            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().move(FIVE, "b"))
                .withMessageContaining("pg_terminate_backend");
            assertThat(this.databases.mover().status().mover()).startsWith("pid ");
        }
        assertThat(this.databases.where(5)).isEqualTo("map=a a=here b=moved ");
    }

    @Test
    void waitsForTransactionsInTheShard() throws Exception {
        try (Connection writer = this.databases.connect("a"); Statement statement = writer.createStatement()) {
            writer.setAutoCommit(false);
            statement.execute("UPDATE photo SET caption = 'late' WHERE (id >> 12) & 2047 = 5");
            ShardMover mover = this.databases.mover(TwoDatabases.LIMITS.pause(), Duration.ofSeconds(1), Duration.ZERO,
                    TwoDatabases.NO_PROBE);

            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.move(FIVE, "b"))
                .withMessageContaining("pid ");

            assertThat(this.databases.where(5)).isEqualTo("map=a a=here b=moved ");
            statement.execute("PREPARE TRANSACTION 'late'");
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.move(FIVE, "b"))
                .withMessageContaining("a prepared transaction");
            writer.setAutoCommit(true);
            statement.execute("COMMIT PREPARED 'late'");
        }
        this.databases.mover().move(FIVE, "b");
        assertThat(this.databases.query("b", "SELECT count(*) FROM photo WHERE caption = 'late'")).isEqualTo("20");
    }

    /** A mover that was stopped holds no lock for long. */
    @Test
    void serverEndsTheSessionOfAMoverThatSaysNothing() throws SQLException {
        try (Session session = Session.open(this.databases.databases(), "a", Duration.ofMillis(1500),
                TwoDatabases.NO_PROBE)) {
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> session.transaction(true, () -> {
                session.execute("SELECT pg_advisory_xact_lock(7, 7)");
                LockSupport.parkNanos(Duration.ofSeconds(2).toNanos());
                return session.text("SELECT 1");
            }));
            assertThat(session.answers()).isFalse();
        }
        try (Session session = Session.open(this.databases.databases(), "a", Duration.ofMillis(1500),
                TwoDatabases.NO_PROBE)) {
            session.execute("SELECT pg_advisory_lock(7, 7)");
            LockSupport.parkNanos(Duration.ofSeconds(2).toNanos());
            assertThat(session.answers()).isFalse();
        }
    }

    @ParameterizedTest
    @Tag("proof")
    @CsvSource({ "V15, V18", "V18, V15" })
    void movesBetweenVersions(PostgresMajor source, PostgresMajor target) throws Exception {
        try (TwoServers own = TwoServers.started(source, target)) {
            TwoDatabases two = new TwoDatabases(own);
            for (String database : List.of("a", "b")) {
                two.execute(database,
                        """
                                CREATE COLLATION german (provider = icu, locale = 'de', deterministic = false);
                                CREATE TYPE pair AS (one int, other text);
                                CREATE TABLE t (id bigint PRIMARY KEY, no serial UNIQUE DEFERRABLE, d double precision, n numeric, at timestamptz,
                                  j jsonb, r int4range, m datemultirange, p pair, c text COLLATE german, b bytea,
                                  EXCLUDE USING btree (no WITH =));
                                SELECT shardedid_fence('t', 'id', 12, 2047)""");
            }
            two.execute("a",
                    """
                            INSERT INTO t (id, d, n, at, j, r, m, p, c, b) SELECT %s + (i::bigint << 23), pi() * i, 'NaN', 'infinity',
                              '{"b": [1, null], "a": 1e2}', int4range(i, i + 5), '{[2026-01-01,2026-02-01), [2026-03-01,)}', (i, 'x,"'::text)::pair, 'Straße',
                              decode(repeat(md5(i::text), 5000), 'hex') FROM generate_series(1, 30) i"""
                        .formatted(TwoDatabases.id(5, 1_000)));
            String rows = "SELECT string_agg(t::text, ';' ORDER BY id) FROM t";
            String before = two.query("a", rows);

            two.mover().move(FIVE, "b");
            assertThat(two.query("b", rows)).isEqualTo(before);
            two.mover().clean(FIVE);
            two.mover().move(FIVE, "a");
            two.mover().clean(FIVE);

            assertThat(two.query("a", rows)).isEqualTo(before);
            assertThat(two.query("b", rows)).isNull();
        }
    }

    @Test
    void refusesAnotherDatabaseBehindAName() {
        TwoDatabases stranger = new TwoDatabases(servers);
        this.databases.mover().move(FIVE, "b");
        MoveDatabases wrong = this.databases.databases(Map.of("b", servers.b.url(stranger.name())));
        assertThatExceptionOfType(MoveException.class)
            .isThrownBy(() -> TwoDatabases.mover(wrong, TwoDatabases.NO_PROBE).plan(FIVE, "a"))
            .withMessageContaining("identity=");
        MoveDatabases twice = this.databases.databases(Map.of("b", servers.a.url(this.databases.name())));
        assertThatExceptionOfType(MoveException.class)
            .isThrownBy(() -> TwoDatabases.mover(twice, TwoDatabases.NO_PROBE).move(FIVE, "a"))
            .withMessageContaining("other name=a");
        assertThat(TwoDatabases.mover(wrong, TwoDatabases.NO_PROBE).status().well()).isFalse();
    }

    @Test
    @Tag("proof")
    void refusesAStandby() throws Exception {
        try (TwoServers own = TwoServers.started(PostgresMajor.V18)) {
            TwoDatabases two = new TwoDatabases(own);
            own.b.stop();
            own.b.startAsStandby();

            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> two.mover().plan(FIVE, "b"))
                .withMessageContaining("standby");
            assertThat(two.mover().status().problems()).anyMatch((problem) -> problem.contains("standby"));
        }
    }

    @Test
    void notesWhatANameMeansWhereNoRouterHas() {
        String noted = "SELECT string_agg(name || identity, ',' ORDER BY name) FROM shardedid_database";
        String before = this.databases.query("a", noted);
        this.databases.execute("a", "DELETE FROM shardedid_database");
        this.databases.mover().plan(FIVE, "b");
        assertThat(this.databases.query("a", noted)).isNull();

        this.databases.mover().move(FIVE, "b");

        assertThat(this.databases.query("a", noted)).isEqualTo(before);
    }

    /** Copies from before the move have the identities of their databases, too. */
    @Test
    @Tag("proof")
    void takesNoRestoredCopyForTheDatabase() throws Exception {
        try (TwoServers own = TwoServers.startedThree(PostgresMajor.V18)) {
            TwoDatabases three = new TwoDatabases(own);
            three.fill("a", 5, 3);
            String five = three.rows("a", 5);
            own.a.keep();
            own.b.keep();
            three.mover().move(FIVE, "b");

            own.a.failOver();
            assertThat(three.mover().status().needs()).extracting(ShardMover.Left::command)
                .containsExactly("'move 5 --to=b'");
            three.mover().move(FIVE, "b");
            assertThat(three.where(5)).isEqualTo("map=b a=moved b=here c=moved clean");
            assertThat(three.rows("b", 5)).isEqualTo(five);

            own.b.failOver();
            assertThat(three.mover().status().problems()).singleElement().asString().contains("restored");
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> three.mover().clean(FIVE))
                .withMessageContaining("restored");
            assertThat(three.rows("a", 5)).isEqualTo(five);
        }
    }

    @Test
    void stopsACopyThatTakesTooLong() {
        this.databases.execute("b",
                "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.2); RETURN NEW; END $$",
                "CREATE TRIGGER wait BEFORE INSERT ON photo FOR EACH ROW EXECUTE FUNCTION wait()",
                "COMMENT ON TRIGGER wait ON photo IS 'shardedid: may fire'");

        assertThat(this.databases.mover(Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO, TwoDatabases.NO_PROBE)
            .plan(FIVE, "b")
            .get(0)
            .problems()).singleElement().asString().contains("--pause-limit");
    }

    @Test
    void putsAMapRightThatWentBack() {
        String five = this.databases.rows("a", 5);
        String before = this.databases.query("a",
                "SELECT format('home = %L, version = %s, mover = 1', home, version) FROM shardedid_shard WHERE shard = 5");
        this.databases.mover().move(FIVE, "b");
        this.databases.execute("a",
                "UPDATE shardedid_shard SET step = 'copy', source = 'a', target = 'b', %s WHERE shard = 5"
                    .formatted(before));

        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().plan(FIVE, "b"))
            .withMessageContaining("'move 5 --to=b'");
        this.databases.mover().move(FIVE, "b");

        assertThat(this.databases.where(5)).isEqualTo("map=b a=moved b=here clean");
        assertThat(this.databases.rows("b", 5)).isEqualTo(five);
        assertThat(this.databases.mover().clean(FIVE).get(0).rows()).isEqualTo(60);
    }

    @Test
    void refusesAnAccountWithMoreRights() {
        for (String right : List.of("SUPERUSER", "REPLICATION", "BYPASSRLS")) {
            servers.b.execute("postgres", "ALTER ROLE app " + right);
            try {
                assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().plan(FIVE, "b"))
                    .withMessageContaining(right);
            }
            finally {
                servers.b.execute("postgres", "ALTER ROLE app NO" + right);
            }
        }
    }

    @Test
    void keepsOldRowsThatAreNotThoseThatWereCopied() {
        this.databases.mover().move(FIVE, "b");
        servers.a.execute(this.databases.name(),
                "SET session_replication_role = replica; UPDATE photo SET caption = 'past the fence' WHERE (id >> 12) & 2047 = 5");

        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().clean(FIVE))
            .withMessageContaining("not those that were copied");
        assertThat(this.databases.rows("a", 5)).contains("past the fence");
    }

    @Test
    void cleansAfterAMigrationThatAddsAColumn() {
        this.databases.mover().move(FIVE, "b");
        for (String database : List.of("a", "b")) {
            this.databases.execute(database, "ALTER TABLE photo ADD COLUMN likes int NOT NULL DEFAULT 0",
                    "CREATE TABLE album (id bigint PRIMARY KEY)", "SELECT shardedid_fence('album', 'id', 12, 2047)");
        }

        assertThat(this.databases.mover().clean(FIVE).get(0).rows()).isEqualTo(60);
    }

    @Test
    void keepsOldRowsToWhichOthersRefer() {
        this.databases.mover().move(FIVE, "b");
        // a row of shard 6 comes to refer to one of shard 5
        servers.a.execute(this.databases.name(),
                "SET session_replication_role = replica; UPDATE comment SET photo_id = (SELECT min(id) FROM photo WHERE (id >> 12) & 2047 = 5) WHERE id = (SELECT min(id) FROM comment WHERE (id >> 12) & 2047 = 6)");

        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().clean(FIVE))
            .withMessageContaining("comment_photo_id_fkey");
        assertThat(this.databases.rows("a", 5)).isNotEmpty();
    }

    @Test
    void cleansNotBeforeTheTimeAndNotBeforeTransactionsHaveEnded() throws Exception {
        this.databases.mover().move(FIVE, "b");
        assertThatExceptionOfType(MoveException.class)
            .isThrownBy(() -> this.databases
                .mover(TwoDatabases.LIMITS.pause(), Duration.ZERO, Duration.ofDays(1), TwoDatabases.NO_PROBE)
                .clean(FIVE))
            .withMessageContaining("--after");
        this.databases.mover().clean(FIVE);
        try (Connection reader = this.databases.connect("b"); Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.execute("SELECT 1");
            this.databases.mover().move(FIVE, "a");

            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().clean(FIVE))
                .withMessageContaining("begun after");
            // the server notices a closed connection a little later
            reader.rollback();
        }
        this.databases.mover().clean(FIVE);
    }

    /** The old rows are not forgotten. */
    @Test
    @Tag("proof")
    void goesOnWhileTheSourceIsAway() throws Exception {
        try (TwoServers own = TwoServers.startedThree(PostgresMajor.V18)) {
            TwoDatabases three = new TwoDatabases(own);
            three.fill("a", 5, 3);
            three.execute("c", "DELETE FROM ids.shardedid_database");
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> three.mover((database, sql) -> {
                if (database.equals("b") && sql.contains("SET state = 'here'") && three.home(5).equals("b")) {
                    stop(own.a);
                }
            }).move(FIVE, "b"));

            assertThat(three.mover().move(FIVE, "b").get(0).outcome()).isEqualTo(Outcome.MOVED);

            own.a.startAgain();
            assertThat(three.mover().status().needs()).extracting(ShardMover.Left::command)
                .containsExactly("'clean 5'");
            assertThat(three.mover().clean(FIVE).get(0).rows()).isEqualTo(9);
        }
    }

    private static void stop(MovingServer server) {
        try {
            server.stop();
        }
        catch (Exception ex) {
            throw new AssertionError(ex);
        }
    }

    /** Also what it says of the source before it changes the map. */
    @Test
    void changesNothingAfterALaterMover() {
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover((database, sql) -> {
            if (sql.contains("copied = 'left'")) {
                this.databases.execute("a", "UPDATE shardedid_home SET mover = mover + 1 WHERE shard = 5");
            }
        }).move(FIVE, "b")).withMessageContaining("Another mover");
        assertThat(this.databases.home(5)).isEqualTo("a");
    }

    @Test
    void sessionsOutliveTheDeletionOfManyRows() {
        List<Long> idle = new ArrayList<>();
        Session.Probe probe = (database, sql) -> Pattern.compile("idle_session_timeout = (\\d+)")
            .matcher(sql)
            .results()
            .forEach((found) -> idle.add(Long.parseLong(found.group(1))));
        this.databases.mover(probe).move(FIVE, "b");
        assertThat(idle).hasSize(3).allMatch((millis) -> millis < Duration.ofMinutes(3).toMillis());
        idle.clear();
        this.databases.mover(probe).clean(FIVE);
        assertThat(idle).hasSize(3).allMatch((millis) -> millis > Duration.ofHours(1).toMillis());
    }

    @Test
    void refusesATargetWithoutAHomeRow() {
        this.databases.execute("b", "DELETE FROM shardedid_home WHERE shard = 5");
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().plan(FIVE, "b"))
            .withMessageContaining("shardedid_homes");
    }

    /** Nobody but a superuser sees when their transactions have begun. */
    @Test
    void cleansNotBesideTransactionsOfOtherAccounts() throws Exception {
        servers.a.execute("postgres", "CREATE ROLE reader LOGIN");
        try (Connection reader = servers.a.connect(this.databases.name(), "reader");
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.execute("SELECT 1");
            this.databases.mover().move(FIVE, "b");
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().clean(FIVE))
                .withMessageContaining("pid ");
            reader.commit();
            assertThat(this.databases.mover().clean(FIVE).get(0).rows()).isEqualTo(60);
        }
        finally {
            servers.a.execute("postgres", "DROP ROLE reader");
        }
    }

    /** The source is empty, and the copy in the target is the only one. */
    @Test
    void opensNoSourceThatIsCleaned() {
        this.databases.mover().move(FIVE, "b");
        this.databases.mover().clean(FIVE);
        String five = this.databases.rows("b", 5);
        this.databases.execute("b", "UPDATE shardedid_home SET state = 'arriving' WHERE shard = 5");

        assertThat(this.databases.mover().status().problems()).hasSize(1);
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().move(FIVE, "a"))
            .withMessageContaining("shardedid_home");
        assertThat(this.databases.rows("b", 5)).isEqualTo(five).isNotEmpty();
    }

    /** A lock that is left over would keep writers out while the mover waits. */
    @Test
    @Tag("proof")
    void holdsNoLockBetweenAttemptsToClose() throws Exception {
        try (Connection writer = this.databases.connect("a"); Statement statement = writer.createStatement()) {
            writer.setAutoCommit(false);
            List<String> held = new ArrayList<>();
            ShardMover mover = this.databases.mover(TwoDatabases.LIMITS.pause(), Duration.ofSeconds(5), Duration.ZERO,
                    (database, sql) -> {
                        if (sql.contains("SET mover = greatest")) {
                            writeWith(statement);
                        }
                        if (sql.contains("500ms")) {
                            held.add(locks());
                        }
                    });
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.move(FIVE, "b"));
            assertThat(held).hasSizeGreaterThan(1).containsOnly("0");
        }
    }

    @Test
    void letsWritersGoOnBeforeItDeletesACopy() {
        List<String> held = new ArrayList<>();
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover((database, sql) -> {
            if (sql.contains("SET version = greatest")) {
                throw MoveException.refused("stopped here");
            }
            if (database.equals("b") && sql.startsWith("DELETE FROM")) {
                held.add(this.databases.state("a", 5) + locks());
            }
        }).move(FIVE, "b")).withMessageContaining("taken back");
        assertThat(held).hasSize(2).containsOnly("here0");
    }

    private String locks() {
        return this.databases.query("a",
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 5 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())");
    }

    /** As a transaction with an older snapshot enters a shard. */
    private static void writeWith(Statement statement) {
        try {
            statement.execute("SELECT FROM shardedid_home WHERE shard = 5 FOR KEY SHARE");
        }
        catch (SQLException ex) {
            throw new AssertionError(ex);
        }
    }

    @Test
    @Tag("proof")
    void leavesCopiesInASilentTargetToALaterAbort() throws Exception {
        TwoServers own = TwoServers.started(PostgresMajor.V18);
        try (own) {
            TwoDatabases three = new TwoDatabases(own);
            three.fill("a", 5, 3);
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> three.mover((database, sql) -> {
                if (sql.contains("copied = 'left'")) {
                    stop(own.b);
                    throw MoveException.refused("stopped here");
                }
            }).move(FIVE, "b")).withMessageContaining("taken back");
            assertThat(three.state("a", 5)).isEqualTo("here");
            own.b.startAgain();
            assertThat(three.mover().status().needs()).extracting(ShardMover.Left::command)
                .containsExactly("'abort 5'");
            three.mover().abort(FIVE);
            assertThat(three.rows("b", 5)).isEmpty();
            assertThat(three.mover().status().needs()).isEmpty();
        }
    }

}
