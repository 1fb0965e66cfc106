package io.shardedid.move;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.shards.ShardFence;
import io.shardedid.testdb.PostgresMajor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A mover reads, moves and deletes what it has recognized, and nothing else. */
@Tag("proof")
@Tag("database")
class RecognizedTablesIT {

    private static final ShardRanges FIVE = ShardRanges.parse("5");

    private static final Pattern MEND = Pattern.compile("run there: ((SELECT|COMMENT) .*)");

    /** Each execution of a function of hers takes a number. */
    private static final List<String> OF_MALLORY = List.of("CREATE SEQUENCE m.runs",
            "GRANT USAGE ON SCHEMA m TO PUBLIC", "GRANT USAGE ON SEQUENCE m.runs TO PUBLIC",
            "CREATE FUNCTION m.ran() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT nextval(''m.runs'')'",
            "CREATE FUNCTION m.pure(bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM nextval(''m.runs''); RETURN 1; END'",
            "CREATE FUNCTION m.noop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''m.runs''); RETURN coalesce(NEW, OLD); END'",
            // what is read runs them
            "CREATE VIEW m.evil AS SELECT m.ran() AS id, 'x' AS caption",
            "CREATE TRIGGER zz_shardedid_fence_insert INSTEAD OF INSERT ON m.evil FOR EACH ROW EXECUTE FUNCTION m.noop('id', '12', '2047')",
            "CREATE TEMP VIEW evil AS SELECT m.ran() AS id",
            "CREATE TRIGGER zz_shardedid_fence_insert INSTEAD OF INSERT ON pg_temp.evil FOR EACH ROW EXECUTE FUNCTION m.noop('id', '12', '2047')",
            "CREATE TABLE m.hidden (id bigint PRIMARY KEY)", "INSERT INTO m.hidden VALUES (%1$d)",
            "ALTER TABLE m.hidden ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
            "CREATE POLICY evil ON m.hidden USING (m.ran() > 0)",
            "SELECT public.shardedid_fence('m.hidden', 'id', 12, 2047)",
            // what is planned with runs them
            "CREATE TABLE m.indexed (id bigint PRIMARY KEY, photo_id bigint)",
            "INSERT INTO m.indexed VALUES (%1$d, %1$d)", "CREATE INDEX ON m.indexed ((m.pure(1)))",
            "CREATE TABLE m.fenced (id bigint PRIMARY KEY)", "INSERT INTO m.fenced VALUES (%1$d)",
            "CREATE INDEX ON m.fenced ((m.pure(1)))", "SELECT public.shardedid_fence('m.fenced', 'id', 12, 2047)",
            // what cannot be read as a fence
            "CREATE TEMP TABLE bare (id bigint)",
            "CREATE TRIGGER zz_shardedid_fence_insert BEFORE INSERT ON bare FOR EACH ROW EXECUTE FUNCTION m.noop()",
            "CREATE TABLE m.words (id bigint)",
            "CREATE TRIGGER zz_shardedid_fence_insert BEFORE INSERT ON m.words FOR EACH ROW EXECUTE FUNCTION m.noop('id', 'ten', '99999999999999999999')",
            "CREATE TABLE m.bare (id bigint)",
            "CREATE TRIGGER zz_shardedid_fence_insert BEFORE INSERT ON m.bare FOR EACH ROW EXECUTE FUNCTION m.noop()",
            // what suits better than the operators of PostgreSQL
            "CREATE FUNCTION public.evil(bigint, integer) RETURNS bigint LANGUAGE sql AS 'SELECT pg_catalog.int8and($1, m.ran() * 0 + $2)'",
            "CREATE OPERATOR public.& (LEFTARG = bigint, RIGHTARG = integer, FUNCTION = public.evil)",
            "CREATE FUNCTION public.evil(integer, integer) RETURNS text LANGUAGE sql AS 'SELECT m.ran()::text'",
            "CREATE OPERATOR public.|| (LEFTARG = integer, RIGHTARG = integer, FUNCTION = public.evil)",
            "CREATE FUNCTION public.evil(text, integer) RETURNS text LANGUAGE sql AS 'SELECT m.ran()::text'",
            "CREATE OPERATOR public.|| (LEFTARG = text, RIGHTARG = integer, FUNCTION = public.evil)",
            "CREATE FUNCTION public.evil(varchar, varchar) RETURNS boolean LANGUAGE sql AS 'SELECT pg_catalog.texteq($1, $2) AND m.ran() > 0'",
            "CREATE OPERATOR public.= (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = public.evil)",
            "CREATE FUNCTION public.unnest(name[]) RETURNS SETOF name LANGUAGE sql AS 'SELECT m.ran()::text::name'",
            "ALTER SEQUENCE m.runs RESTART");

    private static final Map<PostgresMajor, TwoServers> SERVERS = new EnumMap<>(PostgresMajor.class);

    @BeforeAll
    static void start() throws IOException {
        for (PostgresMajor major : PostgresMajor.values()) {
            SERVERS.put(major, TwoServers.started(major));
        }
    }

    @AfterAll
    static void stop() throws IOException {
        for (TwoServers each : SERVERS.values()) {
            each.close();
        }
    }

    private static TwoDatabases databases(PostgresMajor major) {
        TwoDatabases databases = new TwoDatabases(SERVERS.get(major));
        databases.fill("a", 5, 3);
        return databases;
    }

    private static MovePlan plan(TwoDatabases databases) {
        return databases.mover().plan(FIVE, "b");
    }

    private static void both(TwoDatabases databases, String... statements) {
        databases.execute("a", statements);
        databases.execute("b", statements);
    }

    /**
     * She may connect and make temporary tables, owns a schema, and has CREATE on public.
     */
    private static Connection mallory(MovingServer server, String database) throws SQLException {
        String role = "mallory_" + database;
        server.execute(database, "CREATE ROLE %s LOGIN".formatted(role), "GRANT CREATE ON SCHEMA public TO " + role,
                "CREATE SCHEMA m AUTHORIZATION " + role);
        Connection mallory = DriverManager.getConnection(server.url(database), role, "");
        try (Statement statement = mallory.createStatement()) {
            for (String sql : OF_MALLORY) {
                statement.execute(sql.formatted(TwoDatabases.id(5, 700)));
            }
        }
        return mallory;
    }

    @ParameterizedTest
    @EnumSource
    void nothingOfAStrangerRuns(PostgresMajor major) throws Exception {
        TwoDatabases databases = databases(major);
        String rows = databases.rows("a", 5);
        try (Connection here = mallory(databases.a, databases.name());
                Connection there = mallory(databases.b, databases.name())) {
            assertThat(here.isClosed() || there.isClosed()).isFalse();
            databases.execute("a", "INSERT INTO photo VALUES (%d, 6, 'x')".formatted(TwoDatabases.id(6, 1)),
                    "UPDATE photo SET caption = 'y' WHERE user_id = 6", "DELETE FROM photo WHERE user_id = 6");
            assertNothingRan(databases, "a write of the application");

            MovePlan plan = plan(databases);
            assertNothingRan(databases, "plan");
            assertThat(plan.problems()).isEmpty();
            assertThat(plan.tables()).extracting(MovePlan.Table::name)
                .containsExactly("public.comment", "public.photo");
            assertThat(plan.warnings()).contains(
                    "Fenced table m.hidden of database a does not move: its owner mallory_%s may not enter shards"
                        .formatted(databases.name()),
                    "Fenced table m.evil of database a does not move: its owner mallory_%s may not enter shards"
                        .formatted(databases.name()),
                    "Tables of owners that may not enter shards are not read, so look whether they have rows of these shards, which would stay in database a: m.indexed (owner mallory_%s); fence such a table as its owner with EXECUTE on public.shardedid_enter(integer)"
                        .formatted(databases.name()));

            assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
                try (Move move = databases.move(FIVE, (database, sql) -> {
                    if (sql.contains("SET idle_session_timeout")) {
                        throw new AssertionError("ends here");
                    }
                })) {
                    move.move("b");
                }
            });
            assertThat(databases.mover().status().moves()).hasSize(1);
            databases.mover().abort(FIVE);
            assertNothingRan(databases, "abort");
            AtomicBoolean asked = new AtomicBoolean();
            try (Move move = databases.move(FIVE, (database, sql) -> {
                if (sql.contains("version_seen <") && asked.compareAndSet(false, true)) {
                    databases.mover().status();
                }
            })) {
                move.move("b");
            }
            assertNothingRan(databases, "move and status");
            assertThat(databases.rows("b", 5)).isEqualTo(rows);
            assertThat(databases.query("a", "SELECT count(*) FROM m.fenced")).isEqualTo("1");
        }
    }

    private static void assertNothingRan(TwoDatabases databases, String what) {
        for (String database : List.of("a", "b")) {
            assertThat(databases.query(database, "SELECT is_called FROM m.runs"))
                .as("a function ran: %s in %s", what, database)
                .isEqualTo("f");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFenceThatIsNotWholeIsNamedWithTheStatementThatMendsIt(PostgresMajor major) {
        TwoDatabases databases = databases(major);
        String other = "other_" + databases.name();
        databases.execute("a", "CREATE ROLE " + other);
        String entered = "shardedid_outside(((OLD.id >> %1$d) & 2047)::integer)) EXECUTE FUNCTION shardedid_fence_photo('id', '%1$d', '2047')";
        String delete = "CREATE OR REPLACE TRIGGER zz_shardedid_fence_delete BEFORE DELETE ON photo FOR EACH ROW WHEN (";
        Map<String, String> faults = Map.of("ALTER TABLE photo DISABLE TRIGGER USER", "_insert is disabled",
                "ALTER TABLE photo ENABLE REPLICA TRIGGER zz_shardedid_fence_update", "_update is disabled",
                "ALTER TABLE photo ENABLE ALWAYS TRIGGER zz_shardedid_fence_update",
                "_update is one that fires for rows that a move copies or deletes, too",
                "DROP TRIGGER zz_shardedid_fence_delete ON photo", "_delete is missing", delete + entered.formatted(11),
                "_delete is one of another column or of other bits",
                delete + "OLD.user_id = 7 AND " + entered.formatted(12),
                "_delete is another one than shardedid_fence makes",
                "CREATE OR REPLACE FUNCTION shardedid_fence_photo() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN coalesce(NEW, OLD); END'",
                "_insert is one whose function does not enter the shards of schema public",
                "DROP TRIGGER zz_shardedid_fence_insert ON photo; CREATE TRIGGER zz_shardedid_fence_insert BEFORE INSERT OR UPDATE ON photo FOR EACH ROW EXECUTE FUNCTION shardedid_fence_photo()",
                "_insert is without the column and the bits of the id");
        faults.forEach((sql, fault) -> {
            databases.execute("a", sql);
            List<String> problems = plan(databases).problems();
            assertThat(problems).as(sql)
                .containsExactly(
                        "Fence of table public.photo is not whole in database a: trigger zz_shardedid_fence%s; run there: SELECT public.shardedid_fence('\"public\".\"photo\"', 'id', 12, 2047)"
                            .formatted(fault));
            mend(databases, problems.get(0));
        });
        databases.execute("a", "ALTER TABLE photo OWNER TO " + other);
        List<String> problems = plan(databases).problems();
        assertThat(problems).containsExactly(
                "Owner of table public.photo may not enter the shards of database a: owner=%s; run there: SELECT public.shardedid_fence('\"public\".\"photo\"', 'id', 12, 2047)"
                    .formatted(other));
        mend(databases, problems.get(0));

        databases.execute("b", "ALTER TABLE comment DISABLE TRIGGER zz_shardedid_fence_delete");
        assertThat(plan(databases).problems()).singleElement()
            .asString()
            .startsWith(
                    "Fence of table public.comment is not whole in database b: trigger zz_shardedid_fence_delete is disabled;");
        databases.execute("b", "ALTER TABLE comment ENABLE TRIGGER zz_shardedid_fence_delete");

        String table = "\"Große 'Bilder' (%)\"";
        both(databases, "CREATE TABLE %s (\"Id Ü\" bigint PRIMARY KEY)".formatted(table),
                "SELECT shardedid_fence('%s', 'Id Ü', 12, 2047)".formatted(table.replace("'", "''")));
        databases.execute("a", "INSERT INTO %s VALUES (%d)".formatted(table, TwoDatabases.id(5, 1)));
        assertThat(databases.mover().move(FIVE, "b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        assertThat(databases.query("b", "SELECT count(*) FROM " + table)).isEqualTo("1");
        assertThat(databases.query("a", "SELECT count(*) FROM " + table)).isEqualTo("0");
    }

    private static void mend(TwoDatabases databases, String problem) {
        Matcher statement = MEND.matcher(problem);
        assertThat(statement.find()).as(problem).isTrue();
        databases.execute("a", statement.group(1));
        assertThat(plan(databases).problems()).as(statement.group()).isEmpty();
    }

    /** A fence that is switched off while rows are copied. */
    @ParameterizedTest
    @EnumSource
    void aFenceIsLookedAtAgainBeforeTheSwitchAndBeforeTheDeletion(PostgresMajor major) throws SQLException {
        TwoDatabases databases = databases(major);
        String off = "ALTER TABLE photo DISABLE TRIGGER zz_shardedid_fence_insert";
        for (String moment : List.of("SET idle_session_timeout", "version_seen <")) {
            AtomicBoolean done = new AtomicBoolean();
            try (Move move = databases.move(FIVE, (database, sql) -> {
                if (sql.contains(moment) && done.compareAndSet(false, true)) {
                    databases.execute("a", off);
                }
            })) {
                assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move.move("b"))
                    .withMessageStartingWith(
                            "Could not go on: shards=5 (1 problems); solve them, and resume or abort: Fence of table public.photo is not whole in database a: trigger zz_shardedid_fence_insert is disabled; run there: ");
            }
            assertThat(databases.rows("a", 5)).as(moment).isNotEmpty();
            databases.execute("a", off.replace("DISABLE", "ENABLE"));
        }
        databases.mover().resume(FIVE);
        assertThat(databases.rows("a", 5)).isEmpty();
    }

    private static ShardMover moverIn(TwoDatabases databases, String schema) {
        MoveDatabases all = databases.databases();
        UnaryOperator<MoveDatabases.Database> in = (database) -> new MoveDatabases.Database(
                database.url() + "?currentSchema=" + schema, database.username(), database.password(), null);
        return new ShardMover(new MoveDatabases(Map.of("a", in.apply(all.get("a")), "b", in.apply(all.get("b"))), "a",
                "default", "public.shardedid_worker"), TwoDatabases.LIMITS, (progress) -> {
                });
    }

    @ParameterizedTest
    @EnumSource
    void shardsOfOthersStay(PostgresMajor major) {
        TwoDatabases databases = databases(major);
        both(databases, "CREATE SCHEMA two", "CREATE TABLE two.photo (id bigint PRIMARY KEY)",
                "SET search_path = two; " + ShardFence.script(TwoDatabases.LAYOUT, TwoDatabases.SHARDS, "photo"));
        databases.execute("a", "INSERT INTO two.photo VALUES (%d)".formatted(TwoDatabases.id(5, 1)));

        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> plan(databases))
            .withMessageContaining(
                    "(Database a has several fences: schemas=two, found=public (a mover goes by one of them); say which one by shardedid.databases.a.url=...?currentSchema=public)");
        assertThat(moverIn(databases, "empty").plan(FIVE, "b").problems()).contains(
                "Database a has its fence in a schema where the mover does not look: schemas=public, two, those of the mover={}; set shardedid.databases.a.url=...?currentSchema=public, two");
        ShardMover mover = moverIn(databases, "public");
        assertThat(mover.plan(FIVE, "b").problems()).isEmpty();
        assertThat(mover.plan(FIVE, "b").warnings())
            .contains("Fenced table two.photo of database a does not move: its homes are in schema two");

        databases.execute("a",
                "INSERT INTO shardedid_shard (namespace, shard, home, version, identity, mover, changed_at) VALUES ('billing', 5, 'a', 1, 71, 0, 0)");
        String whose = "Shard map has other namespaces, too: namespace='default', others=[billing] (a move closes its shards for all that share the homes of database %s); give each a schema with its own fence and tables, and run there: COMMENT ON TABLE public.shardedid_home IS 'shardedid: namespace default'";
        assertThat(mover.plan(FIVE, "b").problems()).containsExactly(whose.formatted("a"), whose.formatted("b"));
        both(databases, "COMMENT ON TABLE public.shardedid_home IS 'shardedid: namespace billing'");
        assertThat(mover.plan(FIVE, "b").problems()).hasSize(2)
            .allMatch((problem) -> problem.startsWith("Homes of database ") && problem.contains(
                    " are those of another namespace: namespace='default', comment of public.shardedid_home='shardedid: namespace billing'; "));
        both(databases, "COMMENT ON TABLE public.shardedid_home IS 'shardedid: namespace default'");

        mover.move(FIVE, "b");
        assertThat(databases.rows("a", 5)).isEmpty();
        assertThat(databases.query("a", "SELECT count(*) FROM two.photo")).isEqualTo("1");
        databases.execute("a", "INSERT INTO two.photo VALUES (%d)".formatted(TwoDatabases.id(5, 2)));
    }

    @ParameterizedTest
    @EnumSource
    void noSettingEndsAMove(PostgresMajor major) throws Exception {
        TwoDatabases databases = databases(major);
        String rows = databases.rows("a", 5);
        String set = "ALTER DATABASE %s SET ".formatted(databases.name());
        both(databases, set + "default_transaction_read_only = on", set + "idle_in_transaction_session_timeout = '1s'",
                set + "session_replication_role = replica", set + "search_path = pg_catalog, public",
                set + "standard_conforming_strings = off");
        databases.execute("a", "SET default_transaction_read_only = off", set + "statement_timeout = '300ms'");
        if (major == PostgresMajor.V18) {
            databases.execute("a", "SET default_transaction_read_only = off", set + "transaction_timeout = '10s'");
        }
        try (Session session = Session.open(databases.databases(), "a", Duration.ofSeconds(5), Session.Probe.NONE)) {
            assertThat(session.texts(
                    "SELECT name || '=' || setting FROM pg_settings WHERE name IN ('transaction_timeout', 'session_replication_role', 'row_security', 'search_path', 'default_transaction_read_only') AND (name <> 'transaction_timeout' OR setting <> '0') ORDER BY 1"))
                .containsExactly("default_transaction_read_only=off", "row_security=off",
                        "search_path=pg_catalog, pg_temp", "session_replication_role=origin");
        }
        // the copy waits longer than the source lets a statement take
        AtomicBoolean done = new AtomicBoolean();
        try (Connection lock = databases.a.connect(databases.name());
                Move move = databases.move(FIVE, (database, sql) -> {
                    if (sql.startsWith("CREATE SUBSCRIPTION") && done.compareAndSet(false, true)) {
                        hold(lock);
                    }
                })) {
            assertThat(move.move("b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        }
        assertThat(databases.rows("b", 5)).isEqualTo(rows);
    }

    private static void hold(Connection lock) {
        try {
            lock.setReadOnly(false);
            lock.setAutoCommit(false);
            lock.createStatement()
                .execute("SET LOCAL transaction_read_only = off; LOCK TABLE photo IN ACCESS EXCLUSIVE MODE");
            new Thread(new FutureTask<>(() -> {
                Thread.sleep(900);
                lock.rollback();
                return null;
            }), "lock").start();
        }
        catch (SQLException ex) {
            throw new AssertionError(ex);
        }
    }

    @ParameterizedTest
    @EnumSource
    void plansWithKeysEncodingsAndSlots(PostgresMajor major) {
        TwoDatabases databases = databases(major);
        both(databases, "ALTER TABLE comment DROP CONSTRAINT comment_pkey, ADD PRIMARY KEY (id) DEFERRABLE");
        assertThat(plan(databases).problems()).containsExactly(
                "Replica identity of table public.comment lacks column id: make it the primary key, which is not DEFERRABLE, or set REPLICA IDENTITY FULL; without it every UPDATE of the table fails while the move lasts");
        databases.execute("a", "ALTER TABLE comment REPLICA IDENTITY FULL",
                "SELECT pg_create_physical_replication_slot('held_' || i) FROM generate_series(1, 7) i");
        try {
            assertThat(plan(databases).problems()).containsExactly(
                    "Server of database a has 3 free of max_replication_slots: the move wants 4; raise the setting, or drop what is not used");
        }
        finally {
            databases.execute("a",
                    "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name LIKE 'held%'");
        }
        assertThat(plan(databases).problems()).isEmpty();
        if (major == PostgresMajor.V18) {
            String role = "ALTER DATABASE %s SET ".formatted(databases.name());
            databases.execute("b", role + "transaction_timeout = '10s'", role + "lock_timeout = '3s'");
            MovePlan plan = plan(databases);
            assertThat(plan.problems()).containsExactly(
                    "Settings of database b end a copy that takes longer: transaction_timeout=10000 (milliseconds); set each to 0 for the account of the mover: ALTER ROLE postgres IN DATABASE %s SET ..."
                        .formatted(databases.name()));
            assertThat(plan.warnings()).contains(
                    "Setting of database b ends a copy that waits longer for a lock: lock_timeout=3000 (milliseconds)")
                .anyMatch((warning) -> warning.startsWith("Account of the mover in database a is a superuser, "));
        }
        String latin = databases.name() + "_latin";
        databases.b.execute("postgres",
                "CREATE DATABASE %s ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0".formatted(latin));
        MoveDatabases all = databases.databases();
        assertThat(new ShardMover(new MoveDatabases(
                Map.of("a", all.get("a"), "b",
                        new MoveDatabases.Database(databases.b.url(latin), "postgres", "", null)),
                "a", "default", null), TwoDatabases.LIMITS, (progress) -> {
                })
            .plan(FIVE, "b")
            .problems()).contains(
                    "Encodings of the databases differ: a=UTF8, b=LATIN1 (rows are compared by their bytes); let both have the same, as CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0 makes one");
    }

    /** Keys that nobody can fence, of ShardedId and of others. */
    @ParameterizedTest
    @EnumSource
    void keysThatAreNoNumbersStayOnlyIfTheTableSaysSo(PostgresMajor major) {
        TwoDatabases databases = databases(major);
        String id = "%019d".formatted(TwoDatabases.id(5, 1));
        databases.execute("a", "CREATE TABLE doc (id uuid PRIMARY KEY)",
                // shard 5, and one of version 4
                "INSERT INTO doc VALUES ('0192d3a4-b5c6-7000-800a-000000000001'), (gen_random_uuid())",
                "CREATE TABLE ticket (id varchar(19) PRIMARY KEY)", "INSERT INTO ticket VALUES ('%s')".formatted(id),
                // the shards of these do not exist
                "CREATE TABLE event (id uuid PRIMARY KEY)",
                "INSERT INTO event SELECT ('0192d3a4-b5c6-7000-' || to_hex(i) || '-000000000001')::uuid FROM generate_series(x'8280'::int, x'82ff'::int) i",
                "CREATE TABLE card (id text PRIMARY KEY)",
                "INSERT INTO card SELECT lpad((i * 1024)::text, 19, '0') FROM generate_series(1::bigint, 200) i",
                "CREATE TABLE spring_session (primary_id char(36) PRIMARY KEY, expiry_time bigint)",
                "INSERT INTO spring_session VALUES (gen_random_uuid(), 1790000000000)",
                "CREATE TABLE databasechangelog (id varchar(255) NOT NULL)",
                "CREATE TABLE databasechangeloglock (id int PRIMARY KEY)",
                "CREATE TABLE audit (no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, what text)",
                "INSERT INTO audit (what) SELECT 'x' FROM generate_series(1, 100)");
        String stays = "Table public.%s has ids of these shards in column id of type %s, and no fence, which takes columns of type bigint: give its rows such a key, or, if they are to stay in database a: COMMENT ON TABLE public.%1$s IS 'shardedid: stays'";
        assertThat(plan(databases).problems()).containsExactly(stays.formatted("doc", "uuid"),
                stays.formatted("ticket", "varchar"));
        databases.execute("a", "COMMENT ON TABLE public.doc IS 'shardedid: stays'",
                "COMMENT ON TABLE public.ticket IS 'shardedid: stays'");
        assertThat(plan(databases).problems()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void rowsOfTheMapThatNoMoverWroteAreRefusedOrNamed(PostgresMajor major) {
        TwoDatabases databases = databases(major);
        String insert = "INSERT INTO shardedid_shard (namespace, shard, home, version, mover, source, target, step, identity, changed_at) VALUES ('default', %s, 71, 0)";
        for (String row : List.of("70000, 'a', 1, 0, NULL, NULL, 'copy'", "70000, 'a', 1, 0, 'a', NULL, 'copy'",
                "-2, 'a', 1, 0, NULL, NULL, NULL", "70000, 'a', -1, 0, NULL, NULL, NULL",
                "-1, 'map', 1, -7, NULL, NULL, NULL")) {
            assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> databases.execute("a", insert.formatted(row)))
                .havingCause()
                .withMessageContaining("violates check constraint");
        }
        databases.execute("a",
                "DO $$ DECLARE c name; BEGIN FOR c IN SELECT conname FROM pg_constraint WHERE conrelid = 'shardedid_shard'::regclass AND contype = 'c' LOOP EXECUTE format('ALTER TABLE shardedid_shard DROP CONSTRAINT %I', c); END LOOP; END $$",
                insert.formatted("70000, 'a', 1, 0, NULL, 'b', 'copy'"));
        assertThat(databases.mover().status().unknown()).containsExactly(
                "a: rows of the shard map are of no mover: shards=70000 (source, target and step are all set or all NULL); find out who wrote them, and mend them in public.shardedid_shard");
    }

}
