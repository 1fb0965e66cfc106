package io.shardedid.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Functions and triggers call what they were made with, whatever the search path of their
 * caller is.
 */
@Tag("database")
class SearchPathIT {

    private static final IdLayout LAYOUT = IdLayout.standard();

    private static final String TABLES = """
            CREATE TABLE public.photo (id bigint PRIMARY KEY, user_id bigint NOT NULL);
            CREATE TABLE public.tag (id bigint PRIMARY KEY, caption text NOT NULL);
            CREATE TABLE public.account (id bigint PRIMARY KEY, name text);
            CREATE TABLE public.comment (id bigint PRIMARY KEY, photo_id bigint NOT NULL);
            CREATE TABLE public.device (id bigint PRIMARY KEY, owner uuid NOT NULL)""";

    private static final List<String> INSERTS = List.of("INSERT INTO public.photo (user_id) VALUES (4321) RETURNING id",
            "INSERT INTO public.tag (caption) VALUES ('a lake') RETURNING id",
            "INSERT INTO public.account (name) VALUES ('app') RETURNING id",
            "INSERT INTO public.comment (photo_id) VALUES (%s) RETURNING id".formatted(LAYOUT.compose(5, 7, 3, 3)),
            "INSERT INTO public.device (owner) VALUES ('f81d4fae-7dec-11d0-a765-00a0c91e6bf6') RETURNING id");

    /** Everything that a call without a schema could mean. */
    private static final String HOSTILE_SCHEMA = """
            CREATE SCHEMA app;
            GRANT USAGE ON SCHEMA app TO PUBLIC;
            CREATE FUNCTION app.trojan() RETURNS bigint LANGUAGE plpgsql AS
              $$ BEGIN RAISE EXCEPTION 'trojan runs as %', current_user; END $$;
            CREATE FUNCTION app.shardedid_next(shard integer) RETURNS bigint LANGUAGE sql AS 'SELECT app.trojan()';
            CREATE FUNCTION app.shardedid_next() RETURNS bigint LANGUAGE sql AS 'SELECT app.trojan()';
            CREATE FUNCTION app.shardedid_claim() RETURNS bigint LANGUAGE sql AS 'SELECT app.trojan()';
            CREATE FUNCTION app.shardedid_tick(timestamptz) RETURNS bigint LANGUAGE sql AS 'SELECT app.trojan()';
            CREATE FUNCTION app.shardedid_mix(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT app.trojan()';
            CREATE FUNCTION app.shardedid_hash(text) RETURNS bigint LANGUAGE sql AS 'SELECT app.trojan()';
            CREATE FUNCTION app.shardedid_shard(bigint) RETURNS integer LANGUAGE sql AS 'SELECT app.trojan()::integer';
            CREATE FUNCTION app.shardedid_shard_for(bigint) RETURNS integer LANGUAGE sql AS 'SELECT app.trojan()::integer';
            CREATE FUNCTION app.shardedid_shard_for(text) RETURNS integer LANGUAGE sql AS 'SELECT app.trojan()::integer';
            CREATE FUNCTION app.shardedid_shard_for(uuid) RETURNS integer LANGUAGE sql AS 'SELECT app.trojan()::integer';
            CREATE FUNCTION app.shardedid_colocated(bigint) RETURNS integer LANGUAGE sql AS 'SELECT app.trojan()::integer';
            CREATE FUNCTION app.convert_to(text, text) RETURNS bytea LANGUAGE sql AS 'SELECT app.trojan()::text::bytea';
            CREATE FUNCTION app.hostile_or(bigint, bigint) RETURNS bigint LANGUAGE sql AS 'SELECT app.trojan()';
            CREATE OPERATOR app.# (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = app.hostile_or);
            CREATE OPERATOR app.| (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = app.hostile_or);
            CREATE SEQUENCE app.shardedid_cell""";

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    @BeforeEach
    void createRoles() {
        this.database.execute("CREATE ROLE app LOGIN", "CREATE ROLE attacker LOGIN",
                "DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO attacker', current_database()); END $$");
    }

    @AfterEach
    void dropRoles() {
        this.database.execute("DROP OWNED BY app, attacker", "DROP ROLE app, attacker");
    }

    /** As the page has it: without a schema. */
    private void install(UnaryOperator<String> change) {
        String script = new DatabaseIds(LAYOUT, 2000, ShardFunction.modulo(), Duration.ofSeconds(1),
                Duration.ofSeconds(5))
            .script("", IdTrigger.keyed("photo", "id", KeyKind.NUMBER, "user_id"),
                    IdTrigger.keyed("tag", "id", KeyKind.TEXT, "caption"), IdTrigger.keyless("account", "id"),
                    IdTrigger.keyed("comment", "id", KeyKind.SHARDED_ID, "photo_id"),
                    IdTrigger.keyed("device", "id", KeyKind.UUID, "owner"));
        this.database.execute(TABLES, change.apply(script),
                "GRANT INSERT, SELECT ON ALL TABLES IN SCHEMA public TO app",
                "GRANT EXECUTE ON FUNCTION shardedid_claim() TO app");
    }

    /** The functions as they would be without schemas and paths. */
    private static String unqualified(String script) {
        return script.replace("HOME_SCHEMA.", "").replace(" SET search_path = pg_catalog, pg_temp", "");
    }

    private void insertAsApp(String searchPath) throws SQLException {
        try (Connection connection = this.database.as("app", "").connect();
                Statement statement = connection.createStatement()) {
            statement.execute(searchPath);
            for (String insert : INSERTS) {
                try (ResultSet row = statement.executeQuery(insert)) {
                    assertThat(row.next()).isTrue();
                    assertThat(LAYOUT.workerOf(row.getLong(1))).as(insert).isEqualTo(127);
                }
            }
        }
        assertThat(this.database.query("SELECT string_agg(shardedid_shard(id)::text, ',') FROM "
                + "(SELECT id FROM photo UNION ALL SELECT id FROM tag UNION ALL SELECT id FROM comment) AS made"))
            .isEqualTo("321,%s,7".formatted(ShardFunction.modulo().shardOf("a lake", 2000)));
    }

    @Test
    void rowsAreInsertedWithoutASearchPath() throws SQLException {
        install(UnaryOperator.identity());
        insertAsApp("SET search_path = ''");
    }

    /** A schema of the name of a role is the first of its path. */
    @Test
    void hostileSchemaChangesNothing() throws SQLException {
        install(UnaryOperator.identity());
        this.database.as("attacker", "").execute(HOSTILE_SCHEMA);
        insertAsApp("SET search_path = \"$user\", public");
    }

    @Test
    void hostileSchemaBeforeTheCatalogChangesNothing() throws SQLException {
        install(UnaryOperator.identity());
        this.database.as("attacker", "").execute(HOSTILE_SCHEMA);
        insertAsApp("SET search_path = app, public, pg_catalog");
    }

    @Test
    void withoutSchemasAndPathsTheCallerDecides() {
        install(SearchPathIT::unqualified);
        this.database.as("attacker", "").execute(HOSTILE_SCHEMA);

        assertThatThrownBy(() -> insertAsApp("SET search_path = ''"))
            .hasMessageContaining("function shardedid_shard_for(bigint) does not exist");
        assertThatThrownBy(() -> insertAsApp("SET search_path = \"$user\", public"))
            .hasMessageContaining("trojan runs as app");
    }

    /** Maintenance runs with a safe path, from PostgreSQL 17 on. */
    @Test
    void functionsServeIndexes() throws SQLException {
        install(UnaryOperator.identity());
        insertAsApp("SET search_path = public");
        this.database.execute("CREATE INDEX tag_shard ON tag (shardedid_shard_for(caption))",
                "CREATE INDEX photo_shard ON photo (shardedid_shard_for(user_id), shardedid_shard(id))",
                "CREATE INDEX device_shard ON device (shardedid_shard_for(owner))", "REINDEX TABLE tag",
                "REINDEX TABLE photo", "SET search_path = ''; CLUSTER public.tag USING tag_shard; ANALYZE public.tag");
        try (Connection connection = this.database.connect(); Statement statement = connection.createStatement()) {
            statement.execute("SET enable_seqscan = off");
            try (ResultSet plan = statement
                .executeQuery("EXPLAIN (FORMAT JSON) SELECT FROM tag WHERE shardedid_shard_for(caption) = 7")) {
                assertThat(plan.next()).isTrue();
                assertThat(plan.getString(1)).contains("tag_shard");
            }
        }
    }

    @Test
    void withoutSchemasAndPathsAFunctionServesNoIndex() {
        install(SearchPathIT::unqualified);
        this.database.execute("INSERT INTO tag (caption) VALUES ('a lake')");

        assertThatThrownBy(() -> this.database.execute("CREATE INDEX ON tag (shardedid_shard_for(caption))")).cause()
            .hasMessageContaining("does not exist");
    }

    @Test
    void everyFunctionHasItsPathOrABoundBody() {
        install(UnaryOperator.identity());

        assertThat(this.database.query("SELECT string_agg(proname, ',') FROM pg_proc WHERE proname LIKE 'shardedid%' "
                + "AND prosqlbody IS NULL AND coalesce(proconfig[1], '') <> 'search_path=pg_catalog, pg_temp'"))
            .isNull();
        assertThat(this.database.query("SELECT string_agg(proname, ',') FROM pg_proc WHERE prosecdef "
                + "AND pronamespace = 'public'::regnamespace"))
            .isEqualTo("shardedid_claim");
    }

}
