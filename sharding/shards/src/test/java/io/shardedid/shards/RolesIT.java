package io.shardedid.shards;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.database.DatabaseIds;
import io.shardedid.database.IdTrigger;
import io.shardedid.database.KeyKind;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What a role may do that owns nothing: one that inserts, with the rights of
 * {@code extensions/database-ids/README.md} and {@code sharding/docs/moving.md}, and one
 * that may only connect.
 */
@Tag("database")
class RolesIT {

    private static final IdLayout LAYOUT = IdLayout.standard();

    private static final String INSERT = "SET lock_timeout = '500ms'; INSERT INTO photo (user_id) VALUES (5)";

    private static final String LOCK_OF_IDS = "SELECT pg_advisory_lock(8316003855878153321)";

    private static final String LOCKS_OF_SHARDS = "SELECT pg_advisory_lock('shardedid_home'::regclass::oid::integer, s) FROM generate_series(0, 1999) s";

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    private final TestDatabase app = this.database.as("app", "");

    private final TestDatabase stranger = this.database.as("stranger", "");

    @BeforeEach
    void installAsAnOwnerWhoIsNoSuperuser() throws IOException {
        this.database.execute("CREATE ROLE photos LOGIN", "CREATE ROLE app LOGIN", "CREATE ROLE stranger LOGIN",
                "CREATE ROLE mover LOGIN IN ROLE photos", "GRANT CREATE ON SCHEMA public TO photos");
        this.database.as("photos", "")
            .execute("CREATE TABLE photo (id bigint PRIMARY KEY, user_id bigint NOT NULL)",
                    new DatabaseIds(LAYOUT, 2000, ShardFunction.modulo(), Duration.ofSeconds(1), Duration.ofSeconds(5))
                        .script("", IdTrigger.keyed("photo", "id", KeyKind.NUMBER, "user_id")),
                    ShardFence.script(LAYOUT, 2000, "photo"), "GRANT INSERT, SELECT, UPDATE ON photo TO app",
                    sql("extensions/database-ids/README.md", "the right to make ids"),
                    sql("sharding/docs/moving.md", "the right to enter shards"));
    }

    @AfterEach
    void dropRoles() {
        this.database.execute("DROP OWNED BY photos, app, stranger, mover CASCADE",
                "DROP ROLE mover, photos, app, stranger");
    }

    private static void assertDenied(TestDatabase role, String sql) {
        assertThatThrownBy(() -> role.execute(sql)).as("%s: %s", role.user(), sql)
            .cause()
            .hasMessageContaining("permission denied for ");
    }

    /** While a stranger holds a lock. */
    private void assertHoldsUp(String lock, String message) throws SQLException {
        try (Connection connection = this.stranger.connect(); Statement statement = connection.createStatement()) {
            statement.execute(lock);
            assertThatThrownBy(() -> this.app.execute(INSERT)).as(lock).cause().hasMessageContaining(message);
            // the server notices a closed connection a little later
            statement.execute("SELECT pg_advisory_unlock_all()");
        }
    }

    @Test
    void whoInsertsCannotSetTheCounter() {
        this.app.execute(INSERT);

        assertDenied(this.app, "SELECT setval('shardedid_cell', 9223372036854775806)");
        assertDenied(this.app, "SELECT nextval('shardedid_cell')");
        assertDenied(this.app, "SELECT last_value FROM shardedid_cell");
        assertThat(this.database.query("SELECT count(*) FROM photo WHERE shardedid_shard(id) = 5")).isEqualTo("1");
    }

    @Test
    void whoMayOnlyConnectMakesNoIdsAndEntersNoShard() {
        assertDenied(this.stranger, "SELECT shardedid_next()");
        assertDenied(this.stranger, "SELECT shardedid_next(5)");
        assertDenied(this.stranger, "SELECT shardedid_claim()");
        assertDenied(this.stranger, "SELECT shardedid_enter(5)");
        assertThat(this.stranger.query("SELECT shardedid_shard(shardedid_first_id_at(now()))")).isEqualTo("0");
    }

    /** Also a function of a trigger, which a trigger of one's own would run. */
    @Test
    void whoMayOnlyConnectRunsNothingWithTheRightsOfOthers() {
        String definers = "FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace";
        assertThat(this.database.query("SELECT string_agg(proname, ' ' ORDER BY proname) " + definers))
            .isEqualTo("shardedid_claim shardedid_enter shardedid_fence_photo shardedid_note_home");
        assertThat(this.database.query("SELECT string_agg(proname, ' ') " + definers
                + " AND has_function_privilege('stranger', oid, 'EXECUTE')"))
            .isNull();
        this.database.execute("UPDATE shardedid_home SET state = 'moved' WHERE shard = 5");
    }

    @Test
    void whoMayOnlyConnectStopsNobodyAfterWhatThePagesSay() throws Exception {
        assertHoldsUp(LOCK_OF_IDS, "canceling statement due to lock timeout");
        assertHoldsUp(LOCKS_OF_SHARDS, "state=moving");

        this.database.execute(sql("extensions/database-ids/README.md", "who may take advisory locks"));

        for (String lock : locks()) {
            assertDenied(this.stranger, lock);
            assertDenied(this.app, lock);
        }
        this.app.execute(INSERT, "UPDATE photo SET user_id = 2005", "SELECT shardedid_enter(5)");
        // those of the mover, in its role
        this.database.as("mover", "")
            .execute(LOCK_OF_IDS, LOCKS_OF_SHARDS, "SELECT pg_try_advisory_lock(1397246277, 1)",
                    "SELECT pg_advisory_xact_lock(1, 5)");
        assertThat(this.database.query("SELECT count(*) FROM photo WHERE user_id = 2005")).isEqualTo("1");
    }

    /** The statements of a block of a page, by the name in its first line. */
    private static String sql(String page, String name) throws IOException {
        Matcher block = Pattern.compile("```sql\n-- " + Pattern.quote(name) + ": PostgreSQL\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("..", "..", page)));
        assertThat(block.find()).as(name).isTrue();
        return block.group(1);
    }

    /** All that the server has. */
    private List<String> locks() {
        return Stream
            .of("pg_advisory_lock", "pg_advisory_lock_shared", "pg_advisory_xact_lock", "pg_advisory_xact_lock_shared",
                    "pg_try_advisory_lock", "pg_try_advisory_lock_shared", "pg_try_advisory_xact_lock",
                    "pg_try_advisory_xact_lock_shared")
            .flatMap((name) -> Stream.of("SELECT %s(1)".formatted(name), "SELECT %s(1, 1)".formatted(name)))
            .toList();
    }

}
