package io.shardedid.shards;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.database.DatabaseIds;
import io.shardedid.database.IdTrigger;
import io.shardedid.database.KeyKind;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The fence around the shards of a database, with and without its guards. */
@Tag("database")
class ShardFenceIT {

    private static final IdLayout LAYOUT = IdLayout.standard();

    private static final int SHARD = 5;

    private static final String FENCE_OFF = """
            SELECT pg_advisory_lock('shardedid_home'::regclass::oid::integer, 5);
            UPDATE shardedid_home SET state = 'moved' WHERE shard = 5;
            """;

    private static final String WITHOUT_LOCK = "NOT pg_try_advisory_xact_lock_shared(homes, wanted)";

    private static final String WITHOUT_ROW_LOCK = " FOR KEY SHARE;";

    private static final String WITHOUT_SEARCH_PATH = " SET search_path = pg_catalog, pg_temp";

    private static final String WITH_TRANSACTION = "'1%:'\n      OPERATOR(pg_catalog.||) pg_catalog.pg_current_xact_id()";

    private static final String WITH_SHARD = "pg_catalog.repeat('_', shard OPERATOR(pg_catalog.&) 31)";

    /**
     * A setting in which the transaction has entered shard 5 alone, but for its number.
     */
    private static final String FIVE = "00000100000000000000000000000000:";

    private static final String TEMPORARY_DECOY = "CREATE TEMPORARY TABLE shardedid_home AS "
            + "SELECT shard, 'here' AS state FROM generate_series(0, 9) AS shard";

    private static final String DECOY_ON_THE_PATH = "CREATE SCHEMA other; CREATE TABLE other.shardedid_home AS "
            + "SELECT shard, 'here' AS state FROM generate_series(0, 9) AS shard; SET search_path = other";

    private static final String DECOY_OPERATOR = "CREATE SCHEMA other; "
            + "CREATE FUNCTION other.alike(text, text) RETURNS boolean LANGUAGE sql RETURN true; "
            + "CREATE OPERATOR other.~~ (LEFTARG = text, RIGHTARG = text, FUNCTION = other.alike); "
            + "SET search_path = other, pg_catalog";

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    private static long id(int sequence) {
        return id(SHARD, sequence);
    }

    private static long id(int shard, int sequence) {
        return LAYOUT.compose(1_000, shard, 1, sequence);
    }

    private void install(UnaryOperator<String> change) {
        this.database.execute("CREATE TABLE photo (id bigint PRIMARY KEY, caption text)",
                change.apply(ShardFence.script(LAYOUT, 2_000, "photo")));
    }

    @Test
    void staysAsItIsWhenTheScriptRunsAgain() {
        install(UnaryOperator.identity());
        this.database.execute("UPDATE shardedid_home SET state = 'moved', mover = 3 WHERE shard = 5");
        this.database.execute(ShardFence.script(LAYOUT, 2_000, "photo"));

        assertThat(this.database.query("SELECT count(*) FROM shardedid_home")).isEqualTo("2000");
        assertThat(this.database.query("SELECT state || mover FROM shardedid_home WHERE shard = 5"))
            .isEqualTo("moved3");
    }

    @ParameterizedTest
    @ValueSource(ints = { Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ,
            Connection.TRANSACTION_SERIALIZABLE })
    void refusesEveryWriteToAShardThatHasMoved(int isolation) throws SQLException {
        install(UnaryOperator.identity());
        this.database.execute("INSERT INTO photo VALUES (%s, 'old'), (%s, 'other')".formatted(id(1), id(6, 1)),
                "UPDATE shardedid_home SET state = 'moved' WHERE shard = 5");

        try (Connection writer = begin(isolation)) {
            for (String write : List.of("INSERT INTO photo VALUES (%s, 'new')".formatted(id(2)),
                    "UPDATE photo SET caption = 'new' WHERE id = " + id(1), "DELETE FROM photo WHERE id = " + id(1),
                    "UPDATE photo SET id = %s WHERE id = %s".formatted(id(3), id(6, 1)),
                    "INSERT INTO photo VALUES (%s, 'x') ON CONFLICT (id) DO UPDATE SET caption = 'x'"
                        .formatted(id(1)))) {
                assertThatExceptionOfType(SQLException.class).as(write)
                    .isThrownBy(() -> execute(writer, write))
                    .satisfies((ex) -> assertThat(ex.getSQLState()).isEqualTo(ShardFence.MOVED))
                    .withMessageContaining(
                            "Could not enter shard: shard=5, state=moved (the shard is not in this database); "
                                    + "read the shard map again and repeat the transaction");
                writer.rollback();
            }
            execute(writer, "UPDATE photo SET caption = 'changed' WHERE id = " + id(6, 1));
            writer.commit();
        }
        assertThat(captions()).isEqualTo("old,changed");
    }

    /** The trigger has the old shard behind it, and the new one before it. */
    @Test
    void refusesToMoveARowToAShardThatHasMovedAlsoFromOneThatWasEntered() throws SQLException {
        install(UnaryOperator.identity());
        this.database.execute("INSERT INTO photo VALUES (%s, 'one'), (%s, 'two')".formatted(id(6, 1), id(6, 2)),
                "UPDATE shardedid_home SET state = 'moved' WHERE shard = 5");

        try (Connection writer = begin(Connection.TRANSACTION_READ_COMMITTED)) {
            execute(writer, "UPDATE photo SET caption = 'entered' WHERE id = " + id(6, 1));
            assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> execute(writer, "UPDATE photo SET id = %s WHERE id = %s".formatted(id(3), id(6, 2))))
                .satisfies((ex) -> assertThat(ex.getSQLState()).isEqualTo(ShardFence.MOVED));
            writer.rollback();
        }
        assertThat(captions()).isEqualTo("one,two");
    }

    @Test
    void doesNothingInATransactionThatHasEntered() throws SQLException {
        install(UnaryOperator.identity());
        try (Connection writer = begin(Connection.TRANSACTION_READ_COMMITTED)) {
            execute(writer, "SET LOCAL track_functions = 'all'");
            execute(writer, "INSERT INTO photo SELECT %s + i::bigint * 8388608, 'x' FROM generate_series(1, 1000) i"
                .formatted(id(0)));
            execute(writer, "UPDATE photo SET caption = 'y'");
            execute(writer, "SELECT shardedid_enter(5)");
            execute(writer, "INSERT INTO photo VALUES (%s, 'z')".formatted(id(9)));
            assertThat(query(writer,
                    "SELECT current_setting('shardedid.entered_0') = '%s' || pg_current_xact_id()".formatted(FIVE)))
                .isEqualTo("t");
            assertThat(query(writer, "SELECT pg_stat_get_xact_function_calls('shardedid_enter'::regproc)"))
                .isEqualTo("2");
            writer.commit();
            assertThat(query(writer, "SELECT current_setting('shardedid.entered_0', true)")).isNullOrEmpty();
        }
    }

    /** Of a pooled connection, for example: any account may set it. */
    @ParameterizedTest
    @ValueSource(strings = { "1", FIVE, FIVE + "0", "of another transaction" })
    void settingThatIsLeftInASessionOpensNothing(String value) throws SQLException {
        install(UnaryOperator.identity());
        try (Connection writer = leaveSetting(value)) {
            for (String write : List.of("INSERT INTO photo VALUES (%s, 'x')".formatted(id(2)),
                    "UPDATE photo SET caption = 'x'", "DELETE FROM photo", "SELECT shardedid_enter(5)")) {
                assertThatExceptionOfType(SQLException.class).as(write)
                    .isThrownBy(() -> execute(writer, write))
                    .satisfies((ex) -> assertThat(ex.getSQLState()).isEqualTo(ShardFence.MOVED));
                writer.rollback();
            }
        }
        assertThat(captions()).isEqualTo("old");
    }

    @Test
    void isNoFenceIfTheSettingNamesNoTransaction() throws SQLException {
        install((script) -> script.replace(WITH_TRANSACTION, "'1%'"));
        try (Connection writer = leaveSetting(FIVE)) {
            execute(writer, "INSERT INTO photo VALUES (%s, 'x')".formatted(id(2)));
            writer.commit();
        }
        assertThat(captions()).as("rows in a shard that has moved").isEqualTo("old,x");
    }

    /**
     * Returns a connection with a setting of its session, in a database that the shard
     * has left.
     */
    private Connection leaveSetting(String value) throws SQLException {
        Connection writer = begin(Connection.TRANSACTION_READ_COMMITTED);
        execute(writer, "INSERT INTO photo VALUES (%s, 'old')".formatted(id(1)));
        String entered = query(writer, "SELECT current_setting('shardedid.entered_0', true)");
        writer.commit();
        this.database.execute("UPDATE shardedid_home SET state = 'moved' WHERE shard = 5");
        execute(writer, "SET shardedid.entered_0 = '%s'".formatted(value.startsWith("of another") ? entered : value));
        writer.commit();
        return writer;
    }

    @Test
    void givesNoNumberToATransactionThatOnlyReads() throws SQLException {
        install(UnaryOperator.identity());
        try (Connection writer = begin(Connection.TRANSACTION_READ_COMMITTED)) {
            execute(writer, "SELECT shardedid_enter(5)");
            assertThat(query(writer, "SELECT pg_current_xact_id_if_assigned()")).isNull();
            assertThat(locks()).isEqualTo("1");
            execute(writer, "INSERT INTO photo VALUES (%s, 'x')".formatted(id(1)));
            assertThat(locks()).isEqualTo("1");
            writer.commit();
        }
        assertThat(captions()).isEqualTo("x");
    }

    @Test
    void forgetsTheShardWithASavepoint() throws SQLException {
        install(UnaryOperator.identity());
        try (Connection writer = begin(Connection.TRANSACTION_READ_COMMITTED)) {
            Savepoint before = writer.setSavepoint();
            execute(writer, "INSERT INTO photo VALUES (%s, 'x')".formatted(id(1)));
            writer.rollback(before);
            assertThat(query(writer, "SELECT current_setting('shardedid.entered_0', true)")).isNullOrEmpty();
            assertThat(locks()).isEqualTo("0");
            execute(writer, "INSERT INTO photo VALUES (%s, 'x')".formatted(id(1)));
            assertThat(locks()).isEqualTo("1");
            writer.commit();
        }
    }

    @Test
    void forgetsOnlyTheShardsThatWereEnteredAfterASavepoint() throws SQLException {
        install(UnaryOperator.identity());
        try (Connection writer = begin(Connection.TRANSACTION_READ_COMMITTED)) {
            execute(writer, "INSERT INTO photo VALUES (%s, 'x')".formatted(id(1)));
            Savepoint before = writer.setSavepoint();
            execute(writer, "INSERT INTO photo VALUES (%s, 'y')".formatted(id(6, 1)));
            writer.rollback(before);
            this.database.execute("SELECT pg_advisory_xact_lock('shardedid_home'::regclass::oid::integer, 6)",
                    "UPDATE shardedid_home SET state = 'moved' WHERE shard = 6");
            execute(writer, "INSERT INTO photo VALUES (%s, 'z')".formatted(id(2)));
            before = writer.setSavepoint();
            assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> execute(writer, "INSERT INTO photo VALUES (%s, 'y')".formatted(id(6, 1))))
                .satisfies((ex) -> assertThat(ex.getSQLState()).isEqualTo(ShardFence.MOVED));
            writer.rollback(before);
            writer.commit();
        }
        assertThat(captions()).isEqualTo("x,z");
    }

    /** In whatever order its rows come. */
    @Test
    void bulkStatementEntersEachShardOnce() throws SQLException {
        install(UnaryOperator.identity());
        String calls = "SELECT pg_stat_get_xact_function_calls('shardedid_enter'::regproc)";
        try (Connection writer = begin(Connection.TRANSACTION_READ_COMMITTED)) {
            execute(writer, "SET LOCAL track_functions = 'all'");
            execute(writer,
                    "INSERT INTO photo SELECT (i::bigint << 23) | ((i % 100) << 12), 'x' FROM generate_series(1, 400) i");
            assertThat(query(writer, calls)).isEqualTo("100");
            execute(writer, "UPDATE photo SET caption = 'y'");
            execute(writer, "DELETE FROM photo");
            assertThat(query(writer, calls)).isEqualTo("100");
            assertThat(locks()).isEqualTo("100");
            writer.commit();
        }
    }

    @Test
    void bulkStatementIsRefusedAtTheFirstRowOfAShardThatHasMoved() {
        install(UnaryOperator.identity());
        assertThatExceptionOfType(SQLException.class).isThrownBy(this::changeShardsFiveAndSix)
            .satisfies((ex) -> assertThat(ex.getSQLState()).isEqualTo(ShardFence.MOVED));
        assertThat(captions()).isEqualTo("old,old");
    }

    @Test
    void isNoFenceIfAShardOpensItsNeighbours() throws SQLException {
        install((script) -> script.replace(WITH_SHARD, "'%'"));
        changeShardsFiveAndSix();
        assertThat(captions()).as("rows, one of them in a shard that has moved").isEqualTo("new,new");
    }

    private void changeShardsFiveAndSix() throws SQLException {
        this.database.execute("INSERT INTO photo VALUES (%s, 'old'), (%s, 'old')".formatted(id(1), id(6, 1)),
                "UPDATE shardedid_home SET state = 'moved' WHERE shard = 6");
        try (Connection writer = begin(Connection.TRANSACTION_READ_COMMITTED)) {
            execute(writer, "UPDATE photo SET caption = 'new'");
            writer.commit();
        }
    }

    @Test
    void firesAfterTheTriggerThatMakesIds() {
        this.database.execute("CREATE TABLE photo (id bigint PRIMARY KEY, user_id bigint NOT NULL, caption text)",
                new DatabaseIds(LAYOUT, 2_000, ShardFunction.modulo(), Duration.ofSeconds(1), Duration.ofSeconds(5))
                    .script("", IdTrigger.keyed("photo", "id", KeyKind.NUMBER, "user_id")),
                ShardFence.script(LAYOUT, 2_000, "photo"), "UPDATE shardedid_home SET state = 'moved' WHERE shard = 5");

        this.database.execute("INSERT INTO photo (user_id, caption) VALUES (6, 'a')");
        assertThatExceptionOfType(AssertionError.class)
            .isThrownBy(() -> this.database.execute("INSERT INTO photo (user_id, caption) VALUES (5, 'b')"))
            .havingCause()
            .withMessageContaining("shard=5, state=moved");
        assertThat(captions()).isEqualTo("a");
    }

    @Test
    void needsNoRightsOnItsTable() {
        install(UnaryOperator.identity());
        this.database.execute("CREATE ROLE fenced_writer LOGIN", "GRANT SELECT, INSERT ON photo TO fenced_writer");
        try {
            TestDatabase writer = this.database.as("fenced_writer", "");
            writer.execute("INSERT INTO photo VALUES (%s, 'x')".formatted(id(1)));
            assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> writer.execute("UPDATE shardedid_home SET state = 'here'"));

            assertDenied(writer, "SELECT shardedid_enter(5)", "function shardedid_enter");
            this.database.execute("GRANT EXECUTE ON FUNCTION shardedid_enter(integer) TO fenced_writer");
            writer.execute("SELECT shardedid_enter(5)");
        }
        finally {
            this.database.execute("DROP OWNED BY fenced_writer", "DROP ROLE fenced_writer");
        }
    }

    /** A mover would wait for as long as the transaction is open. */
    @Test
    void entersForNobodyWhoMayNotWriteARow() {
        install(UnaryOperator.identity());
        this.database.execute("CREATE ROLE fence_stranger LOGIN", "CREATE SCHEMA strange AUTHORIZATION fence_stranger");
        try {
            TestDatabase stranger = this.database.as("fence_stranger", "");
            assertDenied(stranger, "SELECT shardedid_enter(5)", "function shardedid_enter");
            stranger.execute("CREATE TABLE strange.photo (id bigint)");
            assertDenied(stranger, "CREATE TRIGGER mine BEFORE INSERT ON strange.photo FOR EACH ROW "
                    + "EXECUTE FUNCTION shardedid_fence_photo()", "function shardedid_fence_photo");
        }
        finally {
            this.database.execute("DROP OWNED BY fence_stranger", "DROP ROLE fence_stranger");
        }
    }

    /** An administrator fences the table of another role. */
    @Test
    void triggersHaveTheRightsOfTheOwnerOfTheirTable() {
        this.database.execute("CREATE ROLE fence_owner LOGIN", "CREATE ROLE fenced_writer LOGIN",
                "CREATE SCHEMA owned AUTHORIZATION fence_owner");
        try {
            this.database.as("fence_owner", "")
                .execute("CREATE TABLE owned.photo (id bigint PRIMARY KEY, caption text)",
                        "GRANT USAGE ON SCHEMA owned TO fenced_writer", "GRANT INSERT ON owned.photo TO fenced_writer");
            this.database.execute(ShardFence.script(LAYOUT, 2_000, "owned.photo"),
                    ShardFence.script(LAYOUT, 2_000, "owned.photo"));

            assertThat(this.database
                .query("SELECT proowner::regrole FROM pg_proc WHERE proname = 'shardedid_fence_photo'"))
                .isEqualTo("fence_owner");
            this.database.as("fenced_writer", "").execute("INSERT INTO owned.photo VALUES (%s, 'x')".formatted(id(1)));
            assertThat(this.database.query("SELECT count(*) FROM owned.photo")).isEqualTo("1");
        }
        finally {
            this.database.execute("DROP OWNED BY fence_owner, fenced_writer CASCADE",
                    "DROP ROLE fence_owner, fenced_writer");
        }
    }

    private static void assertDenied(TestDatabase role, String sql, String what) {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> role.execute(sql))
            .havingCause()
            .withMessageContaining("permission denied for " + what);
    }

    @Test
    void functionsHaveTheirSearchPathAtEveryMoment() {
        this.database.execute(
                """
                        CREATE FUNCTION refuse_open_path() RETURNS event_trigger LANGUAGE plpgsql AS $$
                        BEGIN
                          IF EXISTS (SELECT FROM pg_proc WHERE proname IN ('shardedid_homes', 'shardedid_enter', 'shardedid_fence', 'shardedid_note_home')
                              AND NOT coalesce(proconfig[1], '') = 'search_path=pg_catalog, pg_temp') THEN
                            RAISE EXCEPTION 'A function follows the search path of its caller';
                          END IF;
                        END $$""",
                "CREATE EVENT TRIGGER open_path ON ddl_command_end WHEN TAG IN ('CREATE FUNCTION') "
                        + "EXECUTE FUNCTION refuse_open_path()");
        install(UnaryOperator.identity());
        this.database.execute(ShardFence.script(LAYOUT, 2_000, "photo"));

        assertThat(this.database.query("SELECT count(*) FROM pg_proc WHERE prosecdef AND proname LIKE 'shardedid%'"))
            .isEqualTo("3");
    }

    @ParameterizedTest
    @ValueSource(strings = { TEMPORARY_DECOY, DECOY_ON_THE_PATH, DECOY_OPERATOR })
    void findsItsTablesWhateverTheSearchPathOfTheCaller(String decoy) throws SQLException {
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> writeBesides(decoy, UnaryOperator.identity()))
            .satisfies((ex) -> assertThat(ex.getSQLState()).isEqualTo(ShardFence.MOVED));
        assertThat(this.database.query("SELECT string_agg(caption, ',') FROM s.photo")).isEqualTo("in shard 6");
    }

    @ParameterizedTest
    @ValueSource(strings = { TEMPORARY_DECOY, DECOY_ON_THE_PATH })
    void isNoFenceUnderTheSearchPathOfTheCaller(String decoy) throws SQLException {
        writeBesides(decoy, (script) -> script.replace(WITHOUT_SEARCH_PATH, "")
            .replace("FROM HOME_SCHEMA.shardedid_home WHERE", "FROM shardedid_home WHERE"));
        assertThat(this.database.query("SELECT string_agg(caption, ',' ORDER BY id) FROM s.photo"))
            .as("rows in a shard that has moved")
            .contains("in shard 5");
    }

    @Test
    void isNoFenceIfAnOperatorIsNotQualified() throws SQLException {
        writeBesides(DECOY_OPERATOR, (script) -> script.replace("OPERATOR(pg_catalog.~~)", "~~"));
        assertThat(this.database.query("SELECT string_agg(caption, ',' ORDER BY id) FROM s.photo"))
            .as("rows in a shard that has moved")
            .contains("in shard 5");
    }

    /**
     * Installs the fence in a schema of its own, and writes there over a connection that
     * sees another table of the same name first.
     */
    private void writeBesides(String decoy, UnaryOperator<String> change) throws SQLException {
        this.database.execute("CREATE SCHEMA s", "CREATE TABLE s.photo (id bigint PRIMARY KEY, caption text)",
                "SET search_path = s; " + change.apply(ShardFence.script(LAYOUT, 2_000, "photo")),
                "UPDATE s.shardedid_home SET state = 'moved' WHERE shard = 5");
        try (Connection writer = begin(Connection.TRANSACTION_READ_COMMITTED)) {
            execute(writer, decoy);
            execute(writer, "INSERT INTO s.photo VALUES (%s, 'in shard 6')".formatted(id(6, 1)));
            writer.commit();
            execute(writer, "INSERT INTO s.photo VALUES (%s, 'in shard 5')".formatted(id(1)));
            writer.commit();
        }
    }

    @Test
    void longNamesThatDifferAtTheEndHaveTriggersOfTheirOwn() {
        String one = '"' + "ü".repeat(30) + "a\"";
        String other = '"' + "ü".repeat(30) + "b\"";
        this.database.execute("CREATE TABLE %s (id bigint PRIMARY KEY)".formatted(one),
                "CREATE TABLE %s (number bigint PRIMARY KEY)".formatted(other), ShardFence.script(LAYOUT, 2_000, one),
                "SELECT shardedid_fence('%s', 'number', 12, 2047)".formatted(other),
                "INSERT INTO %s VALUES (%s)".formatted(one, id(1)),
                "INSERT INTO %s VALUES (%s)".formatted(other, id(1)));

        assertThat(this.database.query(
                "SELECT max(octet_length(proname::text)) FROM pg_proc " + "WHERE proname LIKE 'shardedid\\_fence\\_%'"))
            .as("bytes, none of which PostgreSQL has cut off")
            .isEqualTo("48");
    }

    @Test
    void refusesAShardWithoutARow() {
        install((script) -> script.replace("shardedid_homes(2000);", "shardedid_homes(3);"));
        assertThatExceptionOfType(AssertionError.class)
            .isThrownBy(() -> this.database.execute("INSERT INTO photo VALUES (%s, 'x')".formatted(id(1))))
            .havingCause()
            .withMessageContaining("Could not enter shard: shard=5, state=none (each shard has a row in "
                    + "shardedid_home); run shardedid_homes(shards) in this database");
    }

    @Test
    void readsUnderRepeatableReadAndReadOnly() throws SQLException {
        install(UnaryOperator.identity());
        try (Connection reader = begin(Connection.TRANSACTION_REPEATABLE_READ)) {
            reader.setReadOnly(true);
            try (PreparedStatement enter = reader.prepareStatement(ShardFence.ENTER)) {
                enter.setInt(1, SHARD);
                enter.execute();
            }
            assertThat(query(reader, "SELECT count(*) FROM photo")).isEqualTo("0");
            reader.commit();
        }
    }

    @Test
    void holdsUpWhoeverMovesTheShardUntilAnOpenTransactionEnds() throws Exception {
        install(UnaryOperator.identity());
        assertThat(rowsAfterTheFence()).isZero();
    }

    /**
     * A writer that a mover keeps out for longer than a second is refused, and later ones
     * at once.
     */
    @Test
    void waitsForASecondAtMost() throws Exception {
        install(UnaryOperator.identity());
        String insert = "INSERT INTO photo VALUES (%s, 'x')";
        try (Connection mover = this.database.connect(); Statement statement = mover.createStatement()) {
            statement.execute("SELECT pg_advisory_lock('shardedid_home'::regclass::oid::integer, %s)".formatted(SHARD));
            assertThat(timeOfRefusal(insert.formatted(id(1)))).isBetween(Duration.ofMillis(900), Duration.ofSeconds(5));
            statement.execute(
                    "UPDATE shardedid_home SET state = 'moved', changed_at = clock_timestamp() - interval '2 seconds' WHERE shard = %s"
                        .formatted(SHARD));
            // of several, since a slow machine may take as long as a wait
            assertThat(Stream.generate(() -> timeOfRefusal(insert.formatted(id(2))))
                .limit(5)
                .min(Comparator.naturalOrder())
                .orElseThrow()).isLessThan(Duration.ofMillis(700));
            // the server notices a closed connection a little later
            statement.execute("SELECT pg_advisory_unlock_all()");
        }
        assertRefused(insert.formatted(id(3)), "moved");
    }

    private Duration timeOfRefusal(String insert) {
        long began = System.nanoTime();
        assertRefused(insert, "moving");
        return Duration.ofNanos(System.nanoTime() - began);
    }

    /** Their homes are others, and so are the locks of their shards. */
    @Test
    void twoApplicationsOfOneDatabaseShareNoLock() throws SQLException {
        install(UnaryOperator.identity());
        this.database.execute("CREATE SCHEMA \"it's\"; SET search_path = \"it's\"; CREATE TABLE photo (id bigint);"
                + ShardFence.script(LAYOUT, 2_000, "photo"));
        try (Connection mover = this.database.connect()) {
            execute(mover, FENCE_OFF);

            this.database.execute("INSERT INTO \"it's\".photo VALUES (%s)".formatted(id(1)));
            assertRefused("INSERT INTO photo VALUES (%s, 'x')".formatted(id(1)), "moving");
            execute(mover, "SET search_path = \"it's\"; " + FENCE_OFF);
            assertRefused("INSERT INTO \"it's\".photo VALUES (%s)".formatted(id(1)), "moving");
        }
    }

    private void assertRefused(String sql, String state) {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> this.database.execute(sql))
            .havingCause()
            .withMessageContaining("state=" + state)
            .extracting((failure) -> ((SQLException) failure).getSQLState())
            .isEqualTo(ShardFence.MOVED);
    }

    @Test
    void isNoFenceWithoutTheLock() throws Exception {
        install((script) -> script.replace(WITHOUT_LOCK, "false"));
        assertThat(rowsAfterTheFence()).as("rows that the mover has not seen").isOne();
    }

    /**
     * A transaction has written when the shard is fenced off, and commits afterwards.
     * Returns how many rows appear in the shard that the mover has not seen.
     */
    private int rowsAfterTheFence() throws Exception {
        try (Connection writer = begin(Connection.TRANSACTION_READ_COMMITTED);
                Connection mover = this.database.connect()) {
            execute(writer, "INSERT INTO photo VALUES (%s, 'x')".formatted(id(1)));
            CompletableFuture<String> seen = CompletableFuture.supplyAsync(() -> fenceOffAndCount(mover));
            awaitFenceOrWaiting(seen);
            writer.commit();
            int before = Integer.parseInt(seen.get(30, TimeUnit.SECONDS));
            return Integer.parseInt(query(mover, "SELECT count(*) FROM photo")) - before;
        }
    }

    private static String fenceOffAndCount(Connection mover) {
        try {
            execute(mover, FENCE_OFF);
            return query(mover, "SELECT count(*) FROM photo");
        }
        catch (SQLException ex) {
            throw new AssertionError("Could not fence the shard off", ex);
        }
    }

    private void awaitFenceOrWaiting(CompletableFuture<String> fence) {
        while (!fence.isDone() && this.database
            .query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = "
                    + "(SELECT oid FROM pg_database WHERE datname = current_database())")
            .equals("0")) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE })
    void knowsThatASnapshotIsOlderThanTheFence(int isolation) throws SQLException {
        install(UnaryOperator.identity());
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> writeWithAnOldSnapshot(isolation))
            .satisfies((ex) -> assertThat(ex.getSQLState()).isEqualTo("40001"));
        assertThat(captions()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = { Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE })
    void isNoFenceUnderAnOldSnapshotWithAPlainRead(int isolation) throws SQLException {
        install((script) -> script.replace(WITHOUT_ROW_LOCK, ";"));
        writeWithAnOldSnapshot(isolation);
        assertThat(captions()).as("rows in a shard that has moved").isEqualTo("x");
    }

    @Test
    void isNoFenceUnderAnOldSnapshotIfNobodyNotesThatAHomeChanges() throws SQLException {
        install((script) -> script.replace("ENABLE ALWAYS TRIGGER shardedid_note_home",
                "DISABLE TRIGGER shardedid_note_home"));
        writeWithAnOldSnapshot(Connection.TRANSACTION_REPEATABLE_READ);
        assertThat(captions()).as("rows in a shard that has moved").isEqualTo("x");
    }

    /** A home may have changed before the script ran that notes such changes. */
    @Test
    void knowsThatASnapshotIsOlderThanTheScript() throws SQLException {
        install((script) -> script.replace("ENABLE ALWAYS TRIGGER shardedid_note_home",
                "DISABLE TRIGGER shardedid_note_home"));
        try (Connection writer = begin(Connection.TRANSACTION_REPEATABLE_READ)) {
            query(writer, "SELECT count(*) FROM photo");
            this.database.execute("UPDATE shardedid_home SET state = 'moved' WHERE shard = 5");
            this.database.execute(ShardFence.script(LAYOUT, 2_000, "photo"));
            assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> execute(writer, "INSERT INTO photo VALUES (%s, 'x')".formatted(id(1))))
                .satisfies((ex) -> assertThat(ex.getSQLState()).isEqualTo("40001"));
        }
    }

    /** Transactions that share a lock of a row need a MultiXact. */
    @ParameterizedTest
    @ValueSource(ints = { Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE })
    void locksNoHomeWhileNoneChanges(int isolation) throws SQLException {
        install(UnaryOperator.identity());
        String locked = "SELECT xmax FROM shardedid_home WHERE shard = 5";
        try (Connection one = begin(isolation); Connection other = begin(isolation)) {
            execute(one, "INSERT INTO photo VALUES (%s, 'x')".formatted(id(1)));
            execute(other, "INSERT INTO photo VALUES (%s, 'y')".formatted(id(2)));
            assertThat(this.database.query(locked)).isEqualTo("0");
            one.commit();
            other.commit();
        }
        assertThat(captions()).isEqualTo("x,y");
    }

    @ParameterizedTest
    @ValueSource(ints = { Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE })
    void letsWhoeverMovesTheShardTakeItsTokenWhilePeopleWrite(int isolation) throws SQLException {
        install(UnaryOperator.identity());
        try (Connection older = begin(isolation); Connection writer = begin(isolation)) {
            query(older, "SELECT count(*) FROM photo");
            execute(writer, "INSERT INTO photo VALUES (%s, 'x')".formatted(id(1)));
            this.database.execute("SET lock_timeout = '5s'; UPDATE shardedid_home SET mover = 7 WHERE shard = 5");
            execute(older, "INSERT INTO photo VALUES (%s, 'y')".formatted(id(2)));
            writer.commit();
            older.commit();
        }
        assertThat(captions()).isEqualTo("x,y");
    }

    private void writeWithAnOldSnapshot(int isolation) throws SQLException {
        try (Connection writer = begin(isolation); Connection mover = this.database.connect()) {
            query(writer, "SELECT count(*) FROM photo");
            execute(mover, FENCE_OFF + "SELECT pg_advisory_unlock_all();");
            try (Statement statement = writer.createStatement()) {
                statement.execute("INSERT INTO photo VALUES (%s, 'x')".formatted(id(1)));
            }
            writer.commit();
        }
    }

    @Test
    void refusesMoreShardsThanTheLayoutHas() {
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> ShardFence.script(LAYOUT, 2_049, "photo"))
            .withMessage("Could not write the fence: shards must be in [1, 2048] (shard-bits=11): shards=2049");
    }

    private Connection begin(int isolation) throws SQLException {
        Connection connection = this.database.connect();
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(false);
        return connection;
    }

    private String captions() {
        return this.database.query("SELECT string_agg(caption, ',' ORDER BY id) FROM photo");
    }

    private String locks() {
        return this.database.query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = "
                + "(SELECT oid FROM pg_database WHERE datname = current_database())");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        query(connection, sql);
    }

    private static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return "";
            }
            try (ResultSet found = statement.getResultSet()) {
                return found.next() ? found.getString(1) : null;
            }
        }
    }

}
