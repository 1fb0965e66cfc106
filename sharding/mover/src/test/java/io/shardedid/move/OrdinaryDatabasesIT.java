package io.shardedid.move;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.shardedid.shards.ShardFence;
import io.shardedid.testdb.PostgresMajor;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Databases as applications have them: a shard of each of them moves, and the plan says
 * nothing that the operator need not know. On PostgreSQL 15 the mover is a superuser, on
 * 18 the account of docs/moving.md.
 */
@Tag("proof")
@Tag("database")
class OrdinaryDatabasesIT {

    private static final ShardRanges FIVE = ShardRanges.parse("5");

    private static final Pattern ID = Pattern.compile("id\\((\\d+), (\\d+)\\)");

    private static final String FENCE = "SELECT shardedid_fence('%s', 'id', 12, 2047)";

    /** All rows of the fenced tables, by table, and of the tables beside them. */
    private static final String TABLES = """
            SELECT string_agg(format('SELECT %L AS name, f::text AS row FROM ONLY %s f WHERE %s', c.oid::regclass, c.oid::regclass,
                     CASE WHEN t.oid IS NULL THEN 'true' ELSE format('(%I >> 12) & 2047 = SHARD', split_part(encode(t.tgargs, 'escape'), '\\000', 1)) END), ' UNION ALL ')
              FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname NOT IN ('pg_catalog', 'information_schema')
              LEFT JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname = 'zz_shardedid_fence_insert'
                AND t.tgfoid IN (SELECT oid FROM pg_proc WHERE prosrc LIKE '%public.shardedid_enter%')
             WHERE c.relkind = 'r' AND c.relname NOT LIKE 'shardedid%' AND (t.oid IS NOT NULL) = FENCED""";

    private static final Map<PostgresMajor, TwoServers> SERVERS = new EnumMap<>(PostgresMajor.class);

    @BeforeAll
    static void start() throws IOException {
        for (PostgresMajor major : PostgresMajor.values()) {
            TwoServers servers = TwoServers.started(major);
            SERVERS.put(major, servers);
            MoverAccount.create(servers, major);
            for (MovingServer server : List.of(servers.a, servers.b)) {
                server.execute("postgres", "CREATE ROLE app");
            }
        }
    }

    @AfterAll
    static void stop() throws IOException {
        for (TwoServers each : SERVERS.values()) {
            each.close();
        }
    }

    /**
     * A database of an application.
     *
     * @param what what is in it
     * @param tables what both databases have, made by the owner of the tables
     * @param rows what the source has
     * @param warnings what the plan says beside the rights of its account
     */
    private record Ordinary(String what, List<String> tables, List<String> rows, List<String> warnings) {

        Ordinary(String what, List<String> tables, List<String> rows) {
            this(what, tables, rows, List.of());
        }

        @Override
        public String toString() {
            return this.what;
        }

    }

    private static List<Ordinary> gallery() {
        return List.of(new Ordinary("an audit trigger", List.of(
                "CREATE TABLE audit (no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz DEFAULT now(), by name DEFAULT current_user, row jsonb)",
                "CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO audit (row) VALUES (to_jsonb(coalesce(NEW, OLD))); RETURN NULL; END $$",
                "CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON photo FOR EACH ROW EXECUTE FUNCTION audit()",
                "CREATE TABLE truncated (at timestamptz)",
                "CREATE TRIGGER truncated AFTER TRUNCATE ON photo FOR EACH STATEMENT EXECUTE FUNCTION audit()"),
                List.of("UPDATE photo SET caption = 'x' || caption", "DELETE FROM comment")),
                new Ordinary("a trigger that says when a row changed", List.of(
                        "CREATE TABLE note (id bigint PRIMARY KEY, words text, updated_at timestamptz)",
                        "CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.updated_at = clock_timestamp(); RETURN NEW; END $$",
                        "CREATE TRIGGER touch BEFORE INSERT OR UPDATE ON note FOR EACH ROW EXECUTE FUNCTION touch()",
                        FENCE.formatted("note"), "CREATE INDEX ON note (((id >> 12) & 2047), id)"),
                        List.of("INSERT INTO note VALUES (id(5, 1), 'one'), (id(6, 1), 'two')")),
                new Ordinary("Spring Session", List.of(
                        "CREATE TABLE spring_session (primary_id char(36) NOT NULL, session_id char(36) NOT NULL, creation_time bigint NOT NULL, last_access_time bigint NOT NULL, max_inactive_interval int NOT NULL, expiry_time bigint NOT NULL, principal_name varchar(100), CONSTRAINT spring_session_pk PRIMARY KEY (primary_id))",
                        "CREATE UNIQUE INDEX spring_session_ix1 ON spring_session (session_id)",
                        "CREATE TABLE spring_session_attributes (session_primary_id char(36) NOT NULL, attribute_name varchar(200) NOT NULL, attribute_bytes bytea NOT NULL, CONSTRAINT spring_session_attributes_pk PRIMARY KEY (session_primary_id, attribute_name), CONSTRAINT spring_session_attributes_fk FOREIGN KEY (session_primary_id) REFERENCES spring_session (primary_id) ON DELETE CASCADE)"),
                        List.of("INSERT INTO spring_session SELECT gen_random_uuid(), gen_random_uuid(), 1790000000000 + i, 1790000000000 + i, 1800, 1790001800000 + i, 'user' FROM generate_series(1, 50) i",
                                "INSERT INTO spring_session_attributes SELECT primary_id, 'cart', '\\x00' FROM spring_session")),
                new Ordinary("Spring Modulith", List.of(
                        "CREATE TABLE event_publication (id uuid NOT NULL PRIMARY KEY, listener_id text NOT NULL, event_type text NOT NULL, serialized_event text NOT NULL, publication_date timestamptz NOT NULL, completion_date timestamptz, status text, completion_attempts int, last_resubmission_date timestamptz)",
                        "CREATE INDEX event_publication_serialized_event_hash_idx ON event_publication USING hash (serialized_event)"),
                        List.of("INSERT INTO event_publication SELECT gen_random_uuid(), 'l', 't', '{\"id\":' || i || '}', now() FROM generate_series(1, 200) i")),
                new Ordinary("Liquibase and Flyway", List.of(
                        "CREATE TABLE databasechangelog (id varchar(255) NOT NULL, author varchar(255) NOT NULL, filename varchar(255) NOT NULL, dateexecuted timestamp NOT NULL, orderexecuted int NOT NULL, exectype varchar(10) NOT NULL, md5sum varchar(35), description varchar(255))",
                        "CREATE TABLE databasechangeloglock (id int NOT NULL PRIMARY KEY, locked boolean NOT NULL, lockgranted timestamp, lockedby varchar(255))",
                        "CREATE TABLE flyway_schema_history (installed_rank int NOT NULL PRIMARY KEY, version varchar(50), description varchar(200) NOT NULL, type varchar(20) NOT NULL, script varchar(1000) NOT NULL, checksum int, installed_by varchar(100) NOT NULL, installed_on timestamp NOT NULL DEFAULT now(), execution_time int NOT NULL, success boolean NOT NULL)"),
                        List.of("INSERT INTO databasechangelog VALUES ('1', 'me', 'a.sql', now(), 1, 'EXECUTED')",
                                "INSERT INTO databasechangeloglock VALUES (1, false)",
                                "INSERT INTO flyway_schema_history VALUES (1, '1', 'photos', 'SQL', 'V1.sql', 17, 'app', now(), 5, true)")),
                new Ordinary("row-level security for the application, past which the owner goes", List.of(
                        "ALTER TABLE photo ENABLE ROW LEVEL SECURITY",
                        "CREATE POLICY tenant ON photo TO app USING (user_id = current_setting('app.tenant')::bigint)",
                        "GRANT SELECT, INSERT, UPDATE, DELETE ON photo TO app"),
                        List.of("UPDATE photo SET caption = 'hidden'")),
                new Ordinary("two services in two schemas", List
                    .of("CREATE SCHEMA billing", "CREATE TABLE billing.invoice (id bigint PRIMARY KEY)",
                            "SET search_path = billing; " + ShardFence.script(TwoDatabases.LAYOUT, TwoDatabases.SHARDS,
                                    "invoice") + "; SET search_path = public"),
                        List.of("INSERT INTO billing.invoice VALUES (id(5, 1)), (id(6, 1))"),
                        List.of("Fenced table billing.invoice of database a does not move: its homes are in schema billing")),
                new Ordinary("an identity column beside the id", List.of(
                        "CREATE TABLE entry (id bigint PRIMARY KEY, no bigint GENERATED BY DEFAULT AS IDENTITY, strict int GENERATED ALWAYS AS IDENTITY, words text)",
                        FENCE.formatted("entry"), "CREATE INDEX ON entry (((id >> 12) & 2047), id)"),
                        List.of("INSERT INTO entry (id, words) VALUES (id(5, 1), 'one'), (id(5, 2), 'two'), (id(6, 1), 'three')"),
                        List.of("Sequence public.entry_no_seq of column public.entry.no does not move, and database b may give its numbers again: a has reached 3; before the move, run in b: SELECT setval('public.entry_no_seq', n), with an n above all numbers that a gives until then",
                                "Sequence public.entry_strict_seq of column public.entry.strict does not move, and database b may give its numbers again: a has reached 3; before the move, run in b: SELECT setval('public.entry_strict_seq', n), with an n above all numbers that a gives until then")),
                new Ordinary("generated columns", List.of(
                        "CREATE TABLE price (id bigint PRIMARY KEY, net numeric(12, 2), gross numeric(12, 2) GENERATED ALWAYS AS (net * 1.19) STORED, shard int GENERATED ALWAYS AS (((id >> 12) & 2047)::int) STORED, words tsvector GENERATED ALWAYS AS (to_tsvector('english', net::text)) STORED)",
                        FENCE.formatted("price"), "CREATE INDEX ON price (((id >> 12) & 2047), id)"),
                        List.of("INSERT INTO price VALUES (id(5, 1), 100), (id(5, 2), NULL), (id(6, 1), 7)")),
                new Ordinary("extensions", List.of("CREATE EXTENSION citext", "CREATE EXTENSION hstore",
                        "CREATE EXTENSION pg_trgm", "CREATE EXTENSION \"uuid-ossp\"", "CREATE EXTENSION pgcrypto",
                        "CREATE EXTENSION ltree", "CREATE EXTENSION intarray",
                        "CREATE TABLE member (id bigint PRIMARY KEY, mail citext UNIQUE, more hstore, path ltree, tags int[], ref uuid DEFAULT uuid_generate_v4(), word text)",
                        "CREATE INDEX ON member USING gin (word gin_trgm_ops)",
                        "CREATE INDEX ON member USING gist (path)", "CREATE INDEX ON member USING gin (more)",
                        "CREATE INDEX ON member USING gin (tags gin__int_ops)", FENCE.formatted("member"),
                        "CREATE INDEX ON member (((id >> 12) & 2047), id)"),
                        List.of("INSERT INTO member (id, mail, more, path, tags, word) VALUES (id(5, 1), 'A@b.c', 'a=>1,b=>NULL', 'top.one', '{1,2}', 'wörd'), (id(6, 1), 'b@b.c', NULL, NULL, NULL, NULL)"),
                        List.of("Unique keys of table public.member lack column id: public.member_mail_key (the copy stops if the target has an equal key)")),
                new Ordinary("domains, enums, arrays, composites, ranges and documents", List.of(
                        "CREATE DOMAIN grade AS int CHECK (VALUE BETWEEN 1 AND 6)",
                        "CREATE DOMAIN mail AS text NOT NULL CHECK (VALUE ~ '@')",
                        "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')", "CREATE TYPE place AS (street text, no int)",
                        "CREATE TABLE person (id bigint PRIMARY KEY, g grade, m mail, mood mood, moods mood[], home place, homes place[], doc jsonb, raw json, x xml, r int8range, rs tstzmultirange, b bytea, n numeric, f float8, d date, iv interval, ip inet, bits varbit(9), p point, nested text[][])",
                        FENCE.formatted("person"), "CREATE INDEX ON person (((id >> 12) & 2047), id)"),
                        List.of("INSERT INTO person VALUES (id(5, 1), 3, 'a@b', 'ok', '{sad,happy}', ROW('x, \"y\"', 1), ARRAY[ROW('z', 2)::place], '{\"a\": [1, null]}', '{\"b\":  1}', '<a>1</a>', '[1,5)', '{[2026-01-01,2026-02-01)}', '\\x00ff', 1e-30, 0.1, 'infinity', '1 mon -3 days', '10.0.0.0/8', '101', '(1,2)', '{{a,b},{c,NULL}}'), (id(5, 2), NULL, 'b@b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'NaN', 'NaN', NULL, NULL, NULL, NULL, NULL, NULL)",
                                "INSERT INTO person VALUES (id(6, 1), 1, 'c@b')")),
                new Ordinary("foreign keys with cascades inside of a shard", List.of(
                        "CREATE TABLE album (id bigint PRIMARY KEY, parent_id bigint REFERENCES album ON DELETE SET NULL)",
                        "CREATE TABLE page (id bigint PRIMARY KEY, album_id bigint NOT NULL REFERENCES album ON DELETE CASCADE ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED)",
                        "CREATE INDEX ON album (parent_id)", "CREATE INDEX ON page (album_id)",
                        FENCE.formatted("album"), FENCE.formatted("page"),
                        "CREATE INDEX ON album (((id >> 12) & 2047), id)",
                        "CREATE INDEX ON page (((id >> 12) & 2047), id)"),
                        List.of("INSERT INTO album VALUES (id(5, 1), NULL), (id(5, 2), id(5, 1)), (id(6, 1), NULL)",
                                "INSERT INTO page VALUES (id(5, 3), id(5, 2)), (id(6, 3), id(6, 1))")),
                new Ordinary("JOINED inheritance",
                        List.of("CREATE TABLE media (id bigint PRIMARY KEY, kind text)",
                                "CREATE TABLE film (id bigint PRIMARY KEY REFERENCES media, minutes int)",
                                FENCE.formatted("media"), FENCE.formatted("film"),
                                "CREATE INDEX ON media (((id >> 12) & 2047), id)",
                                "CREATE INDEX ON film (((id >> 12) & 2047), id)"),
                        List.of("INSERT INTO media VALUES (id(5, 1), 'film'), (id(5, 2), 'song'), (id(6, 1), 'film')",
                                "INSERT INTO film VALUES (id(5, 1), 90), (id(6, 1), 91)")),
                new Ordinary("a composite key with the id",
                        List.of("CREATE TABLE tag (id bigint, name text, weight int, PRIMARY KEY (id, name))",
                                "CREATE TABLE vote (voter text, id bigint, PRIMARY KEY (voter, id))",
                                FENCE.formatted("tag"), FENCE.formatted("vote"),
                                "CREATE INDEX ON tag (((id >> 12) & 2047), id)",
                                "CREATE INDEX ON vote (((id >> 12) & 2047), id)"),
                        List.of("INSERT INTO tag VALUES (id(5, 1), 'a', 1), (id(5, 1), 'b', 2), (id(6, 1), 'a', 3)",
                                "INSERT INTO vote VALUES ('me', id(5, 1)), ('you', id(5, 1)), ('me', id(6, 1))")),
                new Ordinary("names with capitals, blanks and quotes", List.of("CREATE SCHEMA \"My Shop\"",
                        "CREATE TABLE \"My Shop\".\"Order \"\"Line\"\"\" (\"Id\" bigint PRIMARY KEY, \"Unit Price\" int, \"order\" text)",
                        "SELECT shardedid_fence('\"My Shop\".\"Order \"\"Line\"\"\"', 'Id', 12, 2047)",
                        "CREATE INDEX ON \"My Shop\".\"Order \"\"Line\"\"\" (((\"Id\" >> 12) & 2047), \"Id\")",
                        "CREATE TABLE \"My Shop\".\"Item\" (\"Id\" bigint PRIMARY KEY, \"Line Id\" bigint)",
                        "SELECT shardedid_fence('\"My Shop\".\"Item\"', 'Id', 12, 2047)",
                        "CREATE INDEX ON \"My Shop\".\"Item\" (((\"Id\" >> 12) & 2047), \"Id\")",
                        "CREATE INDEX ON \"My Shop\".\"Item\" (\"Line Id\")"),
                        List.of("INSERT INTO \"My Shop\".\"Order \"\"Line\"\"\" VALUES (id(5, 1), 1, 'x'), (id(6, 1), 2, 'y')",
                                "INSERT INTO \"My Shop\".\"Item\" VALUES (id(5, 2), id(5, 1)), (id(6, 2), id(6, 1))")),
                new Ordinary("views over fenced tables", List.of(
                        "CREATE VIEW recent AS SELECT id, caption FROM photo WHERE user_id > 0",
                        "CREATE MATERIALIZED VIEW loved AS SELECT photo_id, count(*) AS n FROM comment GROUP BY 1",
                        "CREATE UNIQUE INDEX ON loved (photo_id)",
                        "CREATE FUNCTION write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE photo SET caption = NEW.caption WHERE id = NEW.id; RETURN NEW; END $$",
                        "CREATE TRIGGER write INSTEAD OF UPDATE ON recent FOR EACH ROW EXECUTE FUNCTION write()",
                        "CREATE VIEW joined AS SELECT p.id, c.words FROM photo p JOIN comment c ON c.photo_id = p.id",
                        "CREATE RULE quiet AS ON DELETE TO joined DO INSTEAD NOTHING"),
                        List.of("REFRESH MATERIALIZED VIEW loved", "UPDATE recent SET caption = 'seen'")),
                new Ordinary("many indexes", List.of(
                        "CREATE FUNCTION norm(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT lower(trim($1))'",
                        "CREATE TABLE book (id bigint PRIMARY KEY, title text, pages int, isbn text, taken daterange)",
                        "CREATE INDEX ON book (lower(title))", "CREATE INDEX ON book (norm(title))",
                        "CREATE INDEX ON book (pages) WHERE pages > 100",
                        "CREATE INDEX ON book (isbn) INCLUDE (title, pages)",
                        "CREATE UNIQUE INDEX ON book (id, isbn) NULLS NOT DISTINCT",
                        "CREATE INDEX ON book USING brin (pages)", "CREATE INDEX ON book USING hash (isbn)",
                        "CREATE INDEX ON book USING gin (to_tsvector('simple', title))",
                        "CREATE INDEX ON book (title COLLATE \"C\" text_pattern_ops DESC NULLS LAST)",
                        "CREATE INDEX ON book (((id >> 12) & 2047), id)", FENCE.formatted("book"),
                        "CREATE INDEX ON ONLY book (pages, id)"),
                        List.of("INSERT INTO book VALUES (id(5, 1), ' A ', 200, 'i1', '[2026-01-01,)'), (id(5, 2), 'b', NULL, NULL, NULL), (id(6, 1), 'c', 1, 'i2', NULL)")),
                new Ordinary("comments, statistics, defaults and checks by functions", List.of(
                        "CREATE SEQUENCE counter",
                        "CREATE FUNCTION fresh() RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT 'n' || nextval('public.counter') $$",
                        "CREATE FUNCTION fine(text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT length($1) < 100'",
                        "CREATE TABLE task (id bigint PRIMARY KEY, code text NOT NULL DEFAULT fresh(), made timestamptz DEFAULT clock_timestamp(), ref uuid DEFAULT gen_random_uuid(), CONSTRAINT fine CHECK (fine(code)), CHECK (code <> '') NO INHERIT)",
                        "COMMENT ON TABLE task IS 'what is to do'", "COMMENT ON COLUMN task.code IS 'its code'",
                        "CREATE STATISTICS task_stats ON code, made FROM task",
                        "ALTER TABLE task ALTER code SET STATISTICS 500, ALTER code SET STORAGE EXTERNAL",
                        "ALTER TABLE task SET (fillfactor = 70, autovacuum_enabled = false)", FENCE.formatted("task"),
                        "CREATE INDEX ON task (((id >> 12) & 2047), id)", "ALTER TABLE task CLUSTER ON task_pkey"),
                        List.of("INSERT INTO task (id) VALUES (id(5, 1)), (id(5, 2)), (id(6, 1))", "ANALYZE task")),
                new Ordinary("unlogged tables and large objects beside", List.of(
                        "CREATE UNLOGGED TABLE cache (key text PRIMARY KEY, at bigint, value bytea)",
                        "CREATE TABLE blob (no serial PRIMARY KEY, content oid)",
                        "CREATE TABLE log (at timestamptz, what text) PARTITION BY RANGE (at)",
                        "CREATE TABLE log_2026 PARTITION OF log FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')",
                        "CREATE TABLE parent (n int)", "CREATE TABLE child () INHERITS (parent)"),
                        List.of("INSERT INTO cache SELECT 'k' || i, i, '\\x01' FROM generate_series(1, 20) i",
                                "INSERT INTO blob (content) VALUES (lo_from_bytea(0, '\\x01'))",
                                "INSERT INTO log VALUES ('2026-02-01', 'x')", "INSERT INTO child VALUES (1)")),
                new Ordinary("an exclusion constraint", List.of("CREATE EXTENSION btree_gist",
                        "CREATE TABLE booking (id bigint PRIMARY KEY, room bigint NOT NULL, during tstzrange NOT NULL, EXCLUDE USING gist (room WITH =, during WITH &&))",
                        FENCE.formatted("booking"), "CREATE INDEX ON booking (((id >> 12) & 2047), id)"),
                        List.of("INSERT INTO booking VALUES (id(5, 1), 1, '[2026-01-01,2026-01-02)'), (id(5, 2), 1, '[2026-01-02,2026-01-03)'), (id(6, 1), 1, '[2026-02-02,2026-02-03)')")),
                new Ordinary("Quartz and ShedLock", List.of(
                        "CREATE TABLE shedlock (name varchar(64) NOT NULL PRIMARY KEY, lock_until timestamp NOT NULL, locked_at timestamp NOT NULL, locked_by varchar(255) NOT NULL)",
                        "CREATE TABLE qrtz_job_details (sched_name varchar(120) NOT NULL, job_name varchar(200) NOT NULL, job_group varchar(200) NOT NULL, is_durable bool NOT NULL, job_data bytea, PRIMARY KEY (sched_name, job_name, job_group))",
                        "CREATE TABLE qrtz_triggers (sched_name varchar(120) NOT NULL, trigger_name varchar(200) NOT NULL, trigger_group varchar(200) NOT NULL, job_name varchar(200) NOT NULL, job_group varchar(200) NOT NULL, next_fire_time bigint, prev_fire_time bigint, start_time bigint NOT NULL, PRIMARY KEY (sched_name, trigger_name, trigger_group), FOREIGN KEY (sched_name, job_name, job_group) REFERENCES qrtz_job_details)",
                        "CREATE TABLE qrtz_fired_triggers (sched_name varchar(120) NOT NULL, entry_id varchar(95) NOT NULL, fired_time bigint NOT NULL, PRIMARY KEY (sched_name, entry_id))",
                        "CREATE TABLE batch_job_instance (job_instance_id bigint NOT NULL PRIMARY KEY, version bigint, job_name varchar(100) NOT NULL, job_key varchar(32) NOT NULL)"),
                        List.of("INSERT INTO shedlock VALUES ('sweep', now(), now(), 'me')",
                                "INSERT INTO qrtz_job_details VALUES ('s', 'j', 'g', true, '\\x01')",
                                "INSERT INTO qrtz_triggers VALUES ('s', 't', 'g', 'j', 'g', 1790000000000, -1, 1790000000000)",
                                "INSERT INTO qrtz_fired_triggers VALUES ('s', '17a90', 1790000000000)",
                                "INSERT INTO batch_job_instance SELECT i, 0, 'job', 'key' FROM generate_series(1, 100) i")),
                new Ordinary("an event trigger", List.of("RESET ROLE",
                        "CREATE TABLE ddl (at timestamptz DEFAULT now(), tag text)", "ALTER TABLE ddl OWNER TO photos",
                        "GRANT INSERT ON ddl TO PUBLIC",
                        "CREATE FUNCTION ddl() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.ddl (tag) VALUES (tg_tag); END $$",
                        "CREATE EVENT TRIGGER ddl ON ddl_command_end WHEN TAG IN ('CREATE TABLE', 'ALTER TABLE') EXECUTE FUNCTION ddl()",
                        "CREATE FUNCTION loud() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'somebody changes the catalogue'; END $$",
                        "CREATE EVENT TRIGGER loud ON ddl_command_start EXECUTE FUNCTION loud()",
                        "CREATE EVENT TRIGGER rewrite ON table_rewrite EXECUTE FUNCTION ddl()"),
                        List.of("TRUNCATE ddl")),
                new Ordinary("publications and slots of others", List.of("RESET ROLE",
                        "CREATE TABLE country (code char(2) PRIMARY KEY, name text)",
                        "ALTER TABLE country OWNER TO photos", "CREATE PUBLICATION countries FOR TABLE country",
                        "SELECT pg_create_logical_replication_slot('other_' || current_database(), 'pgoutput')"),
                        List.of("INSERT INTO country VALUES ('de', 'Germany')")));
    }

    /** On 18, and in long proofs on 15, too. */
    static Stream<Arguments> ordinary() {
        return ProofLength.of(List.of(PostgresMajor.V18), List.of(PostgresMajor.values()))
            .stream()
            .flatMap((major) -> gallery().stream().map((each) -> Arguments.of(major, each)));
    }

    private static String[] ids(List<String> statements) {
        List<String> all = new ArrayList<>(List.of("SET ROLE photos"));
        statements.forEach((sql) -> all.add(ID.matcher(sql)
            .replaceAll((id) -> String
                .valueOf(TwoDatabases.id(Integer.parseInt(id.group(1)), 10_000 + Long.parseLong(id.group(2)))))));
        return all.toArray(String[]::new);
    }

    /** The rows of a shard in all fenced tables, or those of all other tables. */
    private static String rows(TwoDatabases databases, String database, String shard) {
        String union = databases.query(database, TABLES.replace("FENCED", String.valueOf(!shard.isEmpty())));
        return (union == null) ? ""
                : databases.query(database,
                        "SELECT coalesce(string_agg(r::text, E'\\n' ORDER BY r::text), '') FROM (%s) r"
                            .formatted(union.replace("SHARD", shard)));
    }

    @ParameterizedTest
    @MethodSource("ordinary")
    void moves(PostgresMajor major, Ordinary ordinary) {
        TwoDatabases databases = MoverAccount.own(new TwoDatabases(SERVERS.get(major)), major);
        databases.fill("a", 5, 2);
        databases.fill("a", 6, 1);
        databases.execute("a", ids(ordinary.tables()));
        databases.execute("b", ids(ordinary.tables()));
        databases.execute("a", ids(ordinary.rows()));
        String moving = rows(databases, "a", "5");
        String staying = rows(databases, "a", "6");
        String beside = rows(databases, "a", "");
        String besideThere = rows(databases, "b", "");
        assertThat(moving).isNotEmpty();
        assertThat(staying).isNotEmpty();
        ShardMover mover = new ShardMover(MoverAccount.databases(databases, major, "?currentSchema=public"),
                MoverProcess.PATIENT, (progress) -> {
                });

        MovePlan plan = mover.plan(FIVE, "b");
        assertThat(plan.problems()).isEmpty();
        assertThat(plan.warnings().stream().filter((warning) -> !warning.startsWith("Account of the mover ")))
            .isEqualTo(ordinary.warnings());
        assertThat(mover.move(FIVE, "b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);

        assertThat(rows(databases, "b", "5")).isEqualTo(moving);
        assertThat(rows(databases, "a", "5")).isEmpty();
        assertThat(rows(databases, "a", "6")).isEqualTo(staying);
        assertThat(rows(databases, "b", "6")).isEmpty();
        assertThat(rows(databases, "a", "")).isEqualTo(beside);
        assertThat(rows(databases, "b", "")).isEqualTo(besideThere);
    }

    /** From PostgreSQL 16 on, a subscription copies as the owner of the table. */
    @ParameterizedTest
    @EnumSource
    void forcedRowSecurityWantsRightsOfTheMoverAndOfTheOwner(PostgresMajor major) {
        TwoDatabases databases = MoverAccount.own(new TwoDatabases(SERVERS.get(major)), major);
        databases.fill("a", 5, 2);
        for (String each : List.of("a", "b")) {
            databases.execute(each, "ALTER TABLE photo ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
                    "CREATE POLICY tenant ON photo USING (user_id = current_setting('app.tenant')::bigint)");
        }
        String rows = rows(databases, "a", "5");
        ShardMover mover = new ShardMover(MoverAccount.databases(databases, major, ""), MoverProcess.PATIENT,
                (progress) -> {
                });
        if (major == PostgresMajor.V18) {
            String owner = "Row-level security of table public.photo in database b binds its owner, as whom that server writes what it copies: owner=photos; run there: ALTER ROLE photos BYPASSRLS";
            String hides = "Row-level security hides rows of table public.photo in database %s from the account of the mover: give it BYPASSRLS";
            assertThat(mover.plan(FIVE, "b").problems()).containsExactly(hides.formatted("a"), hides.formatted("b"),
                    owner);
            both(databases, "ALTER ROLE mover BYPASSRLS");
            assertThat(mover.plan(FIVE, "b").problems()).containsExactly(owner);
            both(databases, "ALTER ROLE photos BYPASSRLS");
        }
        try {
            assertThat(mover.plan(FIVE, "b").problems()).isEmpty();
            mover.move(FIVE, "b");
        }
        finally {
            both(databases, "ALTER ROLE photos NOBYPASSRLS");
            if (major == PostgresMajor.V18) {
                both(databases, "ALTER ROLE mover NOBYPASSRLS");
            }
        }
        assertThat(rows(databases, "b", "5")).isEqualTo(rows);
        assertThat(rows(databases, "a", "5")).isEmpty();
    }

    private static void both(TwoDatabases databases, String sql) {
        databases.execute("a", sql);
        databases.execute("b", sql);
    }

}
