package io.shardedid.move;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Moves of shards between two servers, step by step. */
@Tag("database")
class ShardMoverIT {

    private static final ShardRanges FIVE = ShardRanges.parse("5");

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private TwoDatabases databases;

    @BeforeEach
    void makeDatabases() {
        this.databases = new TwoDatabases(servers);
    }

    @Test
    void movesAShardWithAllItsRows() {
        this.databases.fill("a", 5, 3);
        this.databases.fill("a", 6, 2);
        String rows = this.databases.rows("a", 5);

        List<MoveStep> steps = new ArrayList<>();
        MoveResult result = new ShardMover(this.databases.databases(), TwoDatabases.LIMITS,
                (progress) -> steps.add(progress.step()))
            .move(FIVE, "b");

        assertThat(result.outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        assertThat(result.rows()).isEqualTo(9);
        assertThat(result.version()).isEqualTo(2);
        assertThat(result.pause()).isPositive();
        assertThat(this.databases.rows("b", 5)).isEqualTo(rows);
        assertThat(this.databases.rows("a", 5)).isEmpty();
        assertThat(this.databases.rows("a", 6)).isNotEmpty();
        assertThat(this.databases.home(5)).isEqualTo("b");
        assertThat(this.databases.home(6)).isEqualTo("a");
        assertThat(this.databases.state("a", 5)).isEqualTo("moved");
        assertThat(this.databases.state("b", 5)).isEqualTo("here");
        assertThat(this.databases.leftovers()).isEmpty();
        assertThat(steps.stream().distinct()).containsSubsequence(MoveStep.TAKE_OVER, MoveStep.ARRIVE, MoveStep.PUBLISH,
                MoveStep.COPY, MoveStep.FENCE, MoveStep.COMPARE, MoveStep.COUNTER, MoveStep.SWITCH, MoveStep.CLEAN,
                MoveStep.EMPTY);
    }

    /** SQL knows the digits of ASCII alone. */
    @Test
    void movesWhereNumbersHaveOtherDigits() {
        this.databases.fill("a", 5, 4);
        Locale machine = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG"));
        try {
            assertThat("%d".formatted(1)).isNotEqualTo("1");
            assertThat(this.databases.mover().move(FIVE, "b").rows()).isEqualTo(12);
        }
        finally {
            Locale.setDefault(machine);
        }
        assertThat(this.databases.home(5)).isEqualTo("b");
        assertThat(this.databases.leftovers()).isEmpty();
    }

    @Test
    void doesNothingWhenAFinishedCommandIsRepeated() {
        this.databases.fill("a", 5, 3);
        this.databases.mover().move(FIVE, "b");
        String rows = this.databases.rows("b", 5);

        MoveResult again = this.databases.mover().move(FIVE, "b");

        assertThat(again.outcome()).isEqualTo(MoveResult.Outcome.ALREADY_THERE);
        assertThat(this.databases.rows("b", 5)).isEqualTo(rows);
        assertThat(this.databases.home(5)).isEqualTo("b");
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().resume(FIVE))
            .withMessage("There is no move to resume: shards=5, home=b; see 'shards status'");
    }

    @Test
    void movesBackAndForth() {
        this.databases.fill("a", 5, 3);
        String rows = this.databases.rows("a", 5);
        this.databases.mover().move(FIVE, "b");
        this.databases.mover().move(FIVE, "a");

        assertThat(this.databases.rows("a", 5)).isEqualTo(rows);
        assertThat(this.databases.rows("b", 5)).isEmpty();
        assertThat(this.databases.leftovers()).isEmpty();
    }

    @Test
    void movesARangeThroughOneSlot() {
        for (int shard = 3; shard < 9; shard++) {
            this.databases.fill("a", shard, 2);
        }
        String rows = this.databases.rows("a", 7);

        this.databases.mover().move(ShardRanges.parse("4-7"), "b");

        assertThat(this.databases.query("a",
                "SELECT string_agg(home, '' ORDER BY shard) FROM shardedid_shard WHERE shard BETWEEN 3 AND 8"))
            .isEqualTo("abbbba");
        assertThat(this.databases.rows("b", 7)).isEqualTo(rows);
        assertThat(this.databases.rows("a", 4) + this.databases.rows("a", 7)).isEmpty();
        assertThat(this.databases.rows("a", 3)).isNotEmpty();
        assertThat(this.databases.rows("a", 8)).isNotEmpty();
    }

    @Test
    void movesSeveralRangesAsOneMove() {
        for (int shard : new int[] { 3, 4, 5, 6, 7, 11 }) {
            this.databases.fill("a", shard, 2);
        }
        String rows = this.databases.rows("a", 3) + this.databases.rows("a", 6) + this.databases.rows("a", 11);

        MoveResult result = this.databases.mover().move(ShardRanges.parse("11,3,6-7"), "b");

        assertThat(result.shards()).hasToString("3,6-7,11");
        assertThat(result.version()).as("one version of the map for all of them").isEqualTo(2);
        assertThat(this.databases.query("a",
                "SELECT string_agg(shard::text, ' ' ORDER BY shard) FROM shardedid_shard WHERE home = 'b'"))
            .isEqualTo("3 6 7 9 11");
        assertThat(this.databases.rows("b", 3) + this.databases.rows("b", 6) + this.databases.rows("b", 11))
            .isEqualTo(rows);
        assertThat(this.databases.rows("a", 3) + this.databases.rows("a", 7)).isEmpty();
        assertThat(this.databases.rows("a", 4)).isNotEmpty();
        assertThat(this.databases.rows("a", 5)).isNotEmpty();
        assertThat(this.databases.leftovers()).isEmpty();
    }

    @Test
    void takesThePrimaryOfSeveralHosts() {
        this.databases.fill("a", 5, 3);
        Map<String, MoveDatabases.Database> all = new HashMap<>(this.databases.databases().databases());
        all.put("a",
                new MoveDatabases.Database(
                        servers.a.url(this.databases.name()).replace("//127.0.0.1:", "//127.0.0.1:1,127.0.0.1:"),
                        "postgres", "", null));
        MoveResult result = new ShardMover(new MoveDatabases(all, "a", "default", null), TwoDatabases.LIMITS,
                (progress) -> {
                })
            .move(FIVE, "b");
        assertThat(result.outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        assertThat(this.databases.rows("b", 5)).isNotEmpty();
    }

    @Test
    void saysThatShardsDoNotExist() {
        assertThatExceptionOfType(MoveException.class)
            .isThrownBy(() -> this.databases.mover().move(ShardRanges.parse("99999"), "b"))
            .withMessage(
                    "Shards do not exist: shards=99999, namespace='default' (shards of the map: 20, from 0 to 19); correct them");
    }

    @Test
    void saysNothingOfATokenWithoutAMove() {
        List<String> heard = new ArrayList<>();
        ShardMover mover = new ShardMover(this.databases.databases(), TwoDatabases.LIMITS,
                (progress) -> heard.add(progress.message()));
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.abort(FIVE))
            .withMessage("There is no move to abort: shards=5, home=a; see 'shards status'");
        assertThat(heard).isEmpty();
    }

    @Test
    void plansWhatCannotMove() {
        this.databases.fill("a", 5, 3);
        long inFive = TwoDatabases.id(5, 2_000);
        for (String database : new String[] { "a", "b" }) {
            this.databases.execute(database, "CREATE DOMAIN picture AS oid",
                    "ALTER TABLE photo ADD COLUMN raw oid, ADD COLUMN small picture, ADD COLUMN large bigint",
                    "CREATE TABLE visit (id bigint PRIMARY KEY) PARTITION BY RANGE (id)",
                    "CREATE UNLOGGED TABLE seen_at (id bigint PRIMARY KEY)",
                    "SELECT shardedid_fence(t, 'id', 12, 2047) FROM unnest(ARRAY['visit', 'seen_at']::regclass[]) t");
        }
        this.databases.execute("a", "CREATE TABLE photo_old () INHERITS (photo)",
                "CREATE TABLE bookmark (id bigint PRIMARY KEY)", "INSERT INTO bookmark VALUES (%s)".formatted(inFive),
                "CREATE TABLE photo_tag (photo_id bigint, tag text)",
                "INSERT INTO photo_tag SELECT id, 'lake' FROM photo", "CREATE TABLE seen (photo_id bigint)",
                "INSERT INTO seen SELECT id FROM photo", "COMMENT ON TABLE seen IS 'of one server; shardedid: stays'",
                "CREATE SCHEMA audit", "CREATE TABLE audit.change (photo_id bigint)",
                "INSERT INTO audit.change SELECT id FROM photo",
                "CREATE TABLE country (id bigint PRIMARY KEY, population bigint, changed_at bigint)",
                "INSERT INTO country SELECT i, i * 1000003, 1700000000000 + i * 1013 FROM generate_series(1::bigint, 10000) i");
        this.databases.execute("b", "CREATE TABLE only_here (id bigint PRIMARY KEY)",
                "SELECT shardedid_fence('only_here', 'id', 12, 2047)",
                "UPDATE shardedid_home SET state = 'here' WHERE shard IN (5, 6)");
        String stays = "or, if its rows are to stay in database a: COMMENT ON TABLE %s IS 'shardedid: stays'";

        assertThat(this.databases.mover().plan(FIVE, "b").problems()).containsExactlyInAnyOrder(
                "Table public.photo has columns of type oid: raw, small (a large object does not move with its row, and the target may have another one of the same number); keep the contents in columns of type bytea or text",
                "Table public.photo inherits in database a from other tables, or they inherit from it: public.photo_old; a move takes ordinary tables, so end the inheritance (ALTER TABLE ... NO INHERIT ...)",
                "Table public.only_here has a fence in database b only: let both databases have the same tables",
                "Table public.bookmark has no fence, and rows of these shards by column id: fence it, "
                        + stays.formatted("public.bookmark"),
                "Table public.photo_tag has no fence, and rows of these shards by column photo_id: fence it, "
                        + stays.formatted("public.photo_tag"),
                "Table audit.change has no fence, and rows of these shards by column photo_id: fence it, "
                        + stays.formatted("audit.change"),
                "Table public.seen_at is partitioned, temporary or not logged: a move takes ordinary tables",
                "Table public.visit is partitioned, temporary or not logged: a move takes ordinary tables",
                "Shards take writes in two databases: shards=5, databases=[a, b] (each shard is 'here' in the database that the map names, and nowhere else); run in b: UPDATE public.shardedid_home SET state = 'moved', changed_at = clock_timestamp() WHERE shard IN (5) AND state = 'here'");
    }

    @Test
    void namesWhatIsDifferentAtTheTarget() {
        this.databases.fill("a", 5, 3);
        this.databases.execute("a",
                "ALTER TABLE photo ADD COLUMN no bigint GENERATED BY DEFAULT AS IDENTITY, ADD COLUMN bill bigserial, ADD COLUMN half int GENERATED ALWAYS AS (id % 7) STORED",
                "ALTER TABLE photo ADD CHECK (caption <> ''), ALTER caption SET DEFAULT 'none', ALTER caption SET NOT NULL",
                "CREATE INDEX photo_user ON photo (user_id)",
                "CREATE FUNCTION noop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
                "CREATE TRIGGER audit AFTER INSERT ON photo FOR EACH ROW EXECUTE FUNCTION noop()",
                "ALTER TABLE photo ENABLE ALWAYS TRIGGER audit");
        this.databases.execute("b",
                "ALTER TABLE photo ADD COLUMN no bigint NOT NULL, ADD COLUMN bill bigint NOT NULL, ADD COLUMN half int GENERATED ALWAYS AS (id % 8) STORED");

        MovePlan plan = this.databases.mover().plan(FIVE, "b");

        assertThat(plan.problems()).isEmpty();
        assertThat(plan.warnings()).noneMatch((warning) -> warning.startsWith("Writers would wait"));
        assertThat(new ShardMover(this.databases.databases(), TwoDatabases.LIMITS.withPause(Duration.ofMillis(100)),
                (progress) -> {
                })
            .plan(FIVE, "b")
            .warnings()).contains(
                    "Writers would wait for about 200 ms, and the limit of the pause is 100 ms: move fewer shards at once, or permit a longer pause");
        assertThat(String.join("\n", plan.warnings())).contains(
                "Sequence public.photo_bill_seq of column public.photo.bill does not move, and database b may give its numbers again: a has reached 3; before the move, run in b: SELECT setval('public.photo_bill_seq', n), with an n above all numbers that a gives until then",
                "Sequence public.photo_no_seq of column public.photo.no does not move",
                "Triggers of table public.photo in database a fire for rows that a move copies or deletes: audit (ENABLE ALWAYS)",
                "Table public.photo differs: only in a: [TRIGGER audit AFTER INSERT ON public.photo FOR EACH ROW EXECUTE FUNCTION public.noop() enabled=A, column bill NOT NULL DEFAULT nextval('public.photo_bill_seq'::regclass), column caption NOT NULL DEFAULT 'none'::text, column half GENERATED AS (id % (7)::bigint), column no NOT NULL IDENTITY, constraint CHECK ((caption <> ''::text)), index USING btree (user_id)], only in b: [column bill NOT NULL, column caption, column half GENERATED AS (id % (8)::bigint), column no NOT NULL]");
    }

}
