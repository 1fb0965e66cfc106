package io.shardedid.move;

import java.util.List;
import java.util.stream.Stream;

import io.shardedid.move.MoveResult.Outcome;
import io.shardedid.shards.ShardFence;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tables as applications have them: their shard moves with all rows, or the plan refuses
 * it and names the table, and nothing is closed or copied.
 */
@Tag("database")
class MovedTablesIT {

    private static final String FIVE = "5";

    private static final String FENCE = "SELECT shardedid_fence('%s', 'id', 12, 2047)";

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private TwoDatabases databases;

    @BeforeAll
    static void makeForeignServer() {
        for (MovingServer server : List.of(servers.a, servers.b)) {
            server.execute("template1", "CREATE FOREIGN DATA WRAPPER none",
                    "CREATE SERVER far FOREIGN DATA WRAPPER none", "GRANT USAGE ON FOREIGN SERVER far TO app");
        }
    }

    @BeforeEach
    void makeDatabases() {
        this.databases = new TwoDatabases(servers);
        this.databases.fill("a", 5, 5);
        this.databases.fill("a", 6, 2);
        both("CREATE FUNCTION id(shard bigint, n bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT n << 23 | shard << 12 $$");
    }

    private void both(String... statements) {
        this.databases.execute("a", statements);
        this.databases.execute("b", statements);
    }

    /**
     * What is in both databases, the rows of a, and what the plan names; nothing if it
     * moves.
     */
    record Case(String what, List<String> tables, List<String> rows, String named) {

        @Override
        public String toString() {
            return this.what;
        }

    }

    private static Case moves(String what, List<String> tables, String... rows) {
        return new Case(what, tables, List.of(rows), "");
    }

    private static Case refused(String what, String named, String... tables) {
        return new Case(what, List.of(tables), List.of(), named);
    }

    static Stream<Case> gallery() {
        String fenced = FENCE.formatted("t");
        return Stream.of(moves("a composite key and partitions by time", List.of(
                "CREATE TABLE t (id bigint, at timestamptz, words text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)",
                "CREATE TABLE t1 PARTITION OF t FOR VALUES FROM ('2026-01-01') TO ('2026-07-01')",
                "CREATE TABLE t2 PARTITION OF t FOR VALUES FROM ('2026-07-01') TO ('2027-01-01')", fenced),
                "INSERT INTO t SELECT id(5, i), timestamptz '2026-01-02' + i * interval '1 day', 'w' FROM generate_series(1, 300) i",
                "INSERT INTO t VALUES (id(6, 1), '2026-03-03', 'stays')"),
                moves("partitions by hash, with a default and a schema of their own",
                        List.of("CREATE SCHEMA parts", "CREATE TABLE t (id bigint PRIMARY KEY) PARTITION BY HASH (id)",
                                "CREATE TABLE parts.t0 PARTITION OF t FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
                                "CREATE TABLE parts.t1 PARTITION OF t FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
                                fenced),
                        "INSERT INTO t SELECT id(5, i) FROM generate_series(1, 50) i"),
                moves("a domain over bigint",
                        List.of("CREATE DOMAIN photo_id AS bigint CHECK (VALUE > 0)",
                                "CREATE TABLE t (id photo_id PRIMARY KEY)", fenced),
                        "INSERT INTO t VALUES (id(5, 1)), (id(6, 1))"),
                moves("the tenant before the id",
                        List.of("CREATE TABLE t (tenant int, id bigint, PRIMARY KEY (tenant, id))", fenced),
                        "INSERT INTO t SELECT i % 3, id(5, i) FROM generate_series(1, 30) i"),
                moves("generated columns and identities", List.of(
                        "CREATE TABLE t (id bigint PRIMARY KEY, no int GENERATED ALWAYS AS IDENTITY, net numeric(12, 2), gross numeric(12, 2) GENERATED ALWAYS AS (net * 1.19) STORED)",
                        fenced), "INSERT INTO t (id, net) SELECT id(5, i), i FROM generate_series(1, 20) i"),
                moves("odd values", List.of("CREATE TYPE mood AS ENUM ('ok', 'sad')",
                        "CREATE TABLE t (id bigint PRIMARY KEY, d double precision, n numeric, x timestamptz, j jsonb, b bytea, a text[], m mood, r int4range, i interval, p point, u uuid)",
                        fenced),
                        "INSERT INTO t VALUES (id(5, 1), 'NaN', 'NaN', 'infinity', '{\"a\": [1, null]}', '\\x00ff', '{\"a,b\", NULL, \"\\\"\"}', 'sad', '[1,5)', '1 mon -3 days 00:00:01.5', '(0.1,-0)', gen_random_uuid())",
                        "INSERT INTO t VALUES (id(5, 2), '-0', '1e-30', '0044-03-15 BC', 'null', '', '{}', NULL, 'empty', NULL, NULL, NULL)",
                        "INSERT INTO t SELECT id(5, 3), pi(), 1::numeric / 3, now(), to_jsonb(repeat('x', 1000000)), NULL, NULL, 'ok', NULL, NULL, NULL, NULL"),
                moves("names with quotes and percent signs",
                        List.of("CREATE TABLE \"t%s\"\"'\\\" (\"i%s\"\"\" bigint PRIMARY KEY, \"a b\" text)",
                                "SELECT shardedid_fence('\"t%s\"\"''\\\"', 'i%s\"', 12, 2047)"),
                        "INSERT INTO \"t%s\"\"'\\\" VALUES (id(5, 1), '\\N'), (id(5, 2), E'\\t\\n\\\\')"),
                moves("a tree", List.of("CREATE TABLE t (id bigint PRIMARY KEY, parent bigint REFERENCES t)", fenced),
                        "INSERT INTO t SELECT id(5, i), CASE WHEN i > 1 THEN id(5, i / 2) END FROM generate_series(1, 40) i"),
                moves("a deferrable circle", List.of("CREATE TABLE t (id bigint PRIMARY KEY, u bigint)",
                        "CREATE TABLE u (id bigint PRIMARY KEY, t bigint REFERENCES t DEFERRABLE)",
                        "ALTER TABLE t ADD FOREIGN KEY (u) REFERENCES u DEFERRABLE", fenced, FENCE.formatted("u")),
                        "BEGIN; SET CONSTRAINTS ALL DEFERRED; INSERT INTO t VALUES (id(5, 1), id(5, 2)); INSERT INTO u VALUES (id(5, 2), id(5, 1)); COMMIT"),
                moves("a trigger that may fire, and one for updates", List.of("CREATE TABLE log (line int)",
                        "CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES (1); RETURN NULL; END $$",
                        "CREATE TRIGGER log AFTER INSERT OR DELETE ON photo FOR EACH ROW EXECUTE FUNCTION log()",
                        "COMMENT ON TRIGGER log ON photo IS 'shardedid: may fire'",
                        "CREATE TRIGGER touch AFTER UPDATE ON photo FOR EACH ROW EXECUTE FUNCTION log()")),
                moves("a table that stays",
                        List.of("CREATE TABLE t (id bigint PRIMARY KEY, at uuid)",
                                "COMMENT ON TABLE t IS 'shardedid: stays'"),
                        "INSERT INTO t VALUES (id(5, 1))"),
                moves("small keys", List
                    .of("CREATE TABLE country (code varchar(2) PRIMARY KEY, no int, size numeric(9, 2), note text)"),
                        "INSERT INTO country VALUES ('FI', 1, 2.5, 'x')"),
                refused("a table without a fence", "public.t", "CREATE TABLE t (id bigint PRIMARY KEY)"),
                refused("a composite key without a fence", "public.t",
                        "CREATE TABLE t (tenant int, id bigint, PRIMARY KEY (tenant, id))"),
                refused("partitions without a fence", "public.t",
                        "CREATE TABLE t (id bigint, at date, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)"),
                refused("a numeric id", "public.t", "CREATE TABLE t (id numeric(19) PRIMARY KEY)"),
                refused("a UUID", "public.t", "CREATE TABLE t (tenant int, id uuid, PRIMARY KEY (tenant, id))"),
                refused("a text id", "public.t", "CREATE TABLE t (id text PRIMARY KEY)"),
                refused("a domain without a fence", "public.t", "CREATE DOMAIN key AS bigint",
                        "CREATE TABLE t (id key PRIMARY KEY)"),
                refused("an id that is no key", "public.t", "CREATE TABLE t (photo_id bigint UNIQUE, words text)"),
                refused("ids in an array", "public.t", "CREATE TABLE t (k int PRIMARY KEY, ids bigint[])"),
                refused("another schema", "other.t", "CREATE SCHEMA other", "CREATE TABLE other.t (id bigint)"),
                refused("a trigger", "trigger log on photo", "CREATE TABLE log (line int)",
                        "CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES (1); RETURN NULL; END $$",
                        "CREATE TRIGGER log AFTER INSERT ON photo FOR EACH ROW EXECUTE FUNCTION log()"),
                refused("a rule", "rule keep", "CREATE RULE keep AS ON DELETE TO photo DO INSTEAD NOTHING"),
                refused("row-level security that binds the owner", "row-level security",
                        "ALTER TABLE photo ENABLE ROW LEVEL SECURITY", "ALTER TABLE photo FORCE ROW LEVEL SECURITY",
                        "CREATE POLICY all_of_them ON photo USING (true)"),
                refused("large objects", "large objects in column picture", "ALTER TABLE photo ADD picture oid"),
                refused("a fence that is disabled", "public.photo",
                        "ALTER TABLE photo DISABLE TRIGGER zz_shardedid_fence_update"),
                refused("a fence that lost a trigger", "public.comment",
                        "DROP TRIGGER zz_shardedid_fence_delete ON comment"),
                refused("a fence that lets pass", "\"photo\"",
                        "CREATE OR REPLACE FUNCTION shardedid_fence_photo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN coalesce(NEW, OLD); END $$"),
                refused("an id that was renamed", "public.photo", "ALTER TABLE photo RENAME id TO number"),
                refused("a table that is not logged", "public.t", "CREATE UNLOGGED TABLE t (id bigint PRIMARY KEY)",
                        fenced),
                refused("a foreign table", "public.t is foreign", "CREATE FOREIGN TABLE t (id bigint) SERVER far",
                        fenced),
                refused("a foreign table without a fence", "public.t has no fence",
                        "CREATE FOREIGN TABLE t (id bigint) SERVER far"),
                refused("a generated id", "public.t",
                        "CREATE TABLE t (no int, id bigint GENERATED ALWAYS AS (no::bigint << 12) STORED PRIMARY KEY)"),
                refused("a child by inheritance", "public.t", "CREATE TABLE t () INHERITS (photo)"));
    }

    @ParameterizedTest
    @MethodSource("gallery")
    void movesOrIsRefusedByName(Case each) {
        both(each.tables().toArray(String[]::new));
        this.databases.execute("a", each.rows().toArray(String[]::new));
        MoveResult plan = this.databases.mover().plan(FIVE, "b").get(0);
        if (!each.named().isEmpty()) {
            assertThat(plan.outcome()).isEqualTo(Outcome.PREVENTED);
            assertThat(plan.problems()).anyMatch((problem) -> problem.contains(each.named()));
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().move(FIVE, "b"))
                .withMessageContaining(each.named());
            assertThat(this.databases.where(5)).isEqualTo("map=a a=here b=moved ");
            return;
        }
        assertThat(plan.problems()).isEmpty();
        String before = all("a");
        String others = others("a");

        this.databases.mover().move(FIVE, "b");

        assertThat(all("b")).isEqualTo(before);
        this.databases.mover().clean(FIVE);
        assertThat(all("a")).isEmpty();
        assertThat(others("a")).isEqualTo(others);
    }

    private String all(String database) {
        return rows(database, "=");
    }

    private String others(String database) {
        return rows(database, "<>");
    }

    /** Rows of all fenced tables, by the shard in the id that their triggers name. */
    private String rows(String database, String operator) {
        String tables = this.databases.query(database,
                "SELECT string_agg(format('SELECT tableoid::regclass::text || f::text AS row FROM %s f WHERE (%I >> 12) & 2047 OPERATOR 5', t.tgrelid::regclass, split_part(encode(t.tgargs, 'escape'), '\\000', 1)), ' UNION ALL ') FROM pg_trigger t WHERE t.tgname = 'zz_shardedid_fence_insert' AND tgparentid = 0");
        return this.databases.query(database, "SELECT coalesce(string_agg(row, ';' ORDER BY row), '') FROM (%s) r"
            .formatted(tables.replace("OPERATOR", operator)));
    }

    @Test
    void carriesSequencesAndTheCounter() {
        both("CREATE TABLE t (id bigint PRIMARY KEY, no bigserial, down int GENERATED BY DEFAULT AS IDENTITY (INCREMENT -1))",
                FENCE.formatted("t"), "CREATE SEQUENCE shardedid_cell AS bigint MINVALUE 0");
        this.databases.execute("a", "INSERT INTO t (id) SELECT id(5, i) FROM generate_series(1, 70) i",
                "SELECT setval('shardedid_cell', 4711)");

        this.databases.mover().move(FIVE, "b");

        assertThat(Long.parseLong(this.databases.query("b", "SELECT nextval('t_no_seq')"))).isGreaterThan(70);
        assertThat(Long.parseLong(this.databases.query("b", "SELECT nextval('t_down_seq')"))).isLessThan(-70);
        assertThat(this.databases.query("b", "SELECT nextval('shardedid_cell')")).isEqualTo("4712");
    }

    @Test
    void namesWhatDiffersAndWhatTheTargetRefuses() {
        this.databases.execute("a", "ALTER TABLE comment ADD likes int");
        assertThat(problems()).singleElement().asString().contains("comment", "likes");
        this.databases.execute("b", "ALTER TABLE comment ADD likes int");
        assertThat(problems()).isEmpty();
        both("ALTER TABLE photo ADD name text");
        this.databases.execute("a", "UPDATE photo SET name = 'same'");
        this.databases.execute("b", "ALTER TABLE photo ADD CHECK (name <> 'same')");
        assertThat(problems()).singleElement().asString().contains("photo_name_check");
        this.databases.execute("b", "ALTER TABLE photo DROP CONSTRAINT photo_name_check",
                "CREATE UNIQUE INDEX ON photo (name)");
        assertThat(problems()).singleElement().asString().contains("photo_name_idx");
        this.databases.execute("b", "DROP INDEX photo_name_idx",
                "CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name = 'other'; RETURN NEW; END $$",
                "CREATE TRIGGER other BEFORE INSERT ON photo FOR EACH ROW EXECUTE FUNCTION other()",
                "COMMENT ON TRIGGER other ON photo IS 'shardedid: may fire'");
        assertThat(problems()).singleElement().asString().contains("Rows differ");
        assertThat(this.databases.rows("b", 5)).isEmpty();
    }

    /** A copy would come back from the server that the subscription follows, or not. */
    @Test
    void namesASubscriptionThatFillsATable() {
        servers.b.execute(this.databases.name(),
                "CREATE SUBSCRIPTION follows CONNECTION 'dbname=x' PUBLICATION p WITH (connect = false, slot_name = NONE)",
                "INSERT INTO pg_subscription_rel SELECT oid, 'photo'::regclass, 'r', NULL FROM pg_subscription WHERE subname = 'follows'");
        try {
            assertThat(problems()).singleElement().asString().contains("photo", "subscription follows");
        }
        finally {
            servers.b.execute(this.databases.name(), "DROP SUBSCRIPTION follows");
        }
    }

    /** What the plan has seen may have changed when the copy begins. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-",
            value = { "ALTER TABLE photo ADD likes int DEFAULT 3 | - |",
                    "DROP TRIGGER zz_shardedid_fence_update ON photo | - | public.photo",
                    "- | ALTER TABLE photo ADD CHECK (caption = '') NOT VALID | photo_caption_check",
                    "- | ALTER TABLE comment DROP words | words", "- | DROP TABLE comment | \"comment\"",
                    "SELECT shardedid_fence('comment', 'photo_id', 12, 2047) | - | must be the same" })
    void looksAgainWhenTheShardIsClosed(String inA, String inB, String named) {
        String before = this.databases.rows("a", 5);
        ShardMover mover = this.databases.mover((database, sql) -> {
            if (sql.contains("SET mover = greatest") && this.databases.step(5).isEmpty()) {
                if (inA != null) {
                    this.databases.execute("a", inA);
                }
                if (inB != null || named == null) {
                    this.databases.execute("b", (inB != null) ? inB : inA);
                }
            }
        });
        if (named == null) {
            assertThat(mover.move(FIVE, "b").get(0).rows()).isEqualTo(15);
            assertThat(this.databases.query("b", "SELECT sum(likes) FROM photo")).isEqualTo("15");
            return;
        }
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.move(FIVE, "b"))
            .withMessageContaining(named)
            .withMessageContaining("taken back");
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
        assertThat(this.databases.rows("a", 5)).isEqualTo(before);
    }

    @Test
    void namesRowsThatAKeyJoinsWithAnotherShard() {
        this.databases.execute("a",
                "UPDATE comment SET photo_id = (SELECT min(id) FROM photo WHERE (id >> 12) & 2047 = 5) WHERE id = (SELECT min(id) FROM comment WHERE (id >> 12) & 2047 = 6)");
        assertThat(problems()).singleElement().asString().contains("comment_photo_id_fkey", "shard 5");
        assertThat(this.databases.mover().plan("6", "b").get(0).problems()).singleElement()
            .asString()
            .contains("comment_photo_id_fkey");
    }

    private List<String> problems() {
        return this.databases.mover().plan(FIVE, "b").get(0).problems();
    }

    @Test
    void leavesTablesOfOthersAlone() {
        String name = this.databases.name();
        for (MovingServer server : List.of(servers.a, servers.b)) {
            server.execute(name, "DROP SCHEMA IF EXISTS evil CASCADE", "CREATE SCHEMA evil",
                    "CREATE TABLE evil.t (id bigint PRIMARY KEY)",
                    "SELECT public.shardedid_fence('evil.t', 'id', 12, 2047)", "CREATE TABLE evil.u (id bigint)",
                    "CREATE TABLE evil.shardedid_home (LIKE shardedid_home)");
        }
        assertThat(problems()).isEmpty();
        both("CREATE SCHEMA billing", "CREATE TABLE billing.invoice (id bigint PRIMARY KEY)",
                "SET search_path = billing; " + ShardFence.script(TwoDatabases.LAYOUT, TwoDatabases.SHARDS, "invoice"));
        assertThat(problems()).hasSize(2).allMatch((problem) -> problem.contains("billing.invoice"));
        both("COMMENT ON TABLE billing.invoice IS 'shardedid: stays'");
        assertThat(problems()).isEmpty();
    }

    @Test
    void printsNothingThatAnApplicationWroteAsACommand() {
        String name = "y$(touch /tmp/x)\u202e\u009b2J";
        this.databases.execute("a",
                "UPDATE shardedid_shard SET source = 'a', target = '%s', step = 'copy' WHERE shard = 5"
                    .formatted(name));
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().status())
            .withMessageContaining("not configured")
            .withMessageNotContaining("\u202e")
            .withMessageNotContaining("\u009b");
    }

    @Test
    void saysThatAFenceReadsAColumnThatIsGone() {
        this.databases.execute("a", "ALTER TABLE photo RENAME id TO number");
        assertThatExceptionOfType(AssertionError.class)
            .isThrownBy(() -> this.databases.execute("a", "INSERT INTO photo VALUES (id(5, 99), 5, 'x')"))
            .havingCause()
            .withMessageContaining("shardedid_fence")
            .withMessageContaining("photo");
    }

}
