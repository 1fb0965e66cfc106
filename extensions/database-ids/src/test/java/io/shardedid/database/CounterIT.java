package io.shardedid.database;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** The counter knows its layout, and is not used where it cannot be right. */
@Tag("database")
@Tag("proof")
class CounterIT {

    private static final IdLayout OTHER = IdLayout.builder().workerBits(4).sequenceBits(8).build();

    private static final IdLayout STANDARD = IdLayout.standard();

    private static final Pattern STATEMENTS = Pattern.compile("\"([A-Z][^\"]+)\"");

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    private static String script(IdLayout layout) {
        return new DatabaseIds(layout, 1000, ShardFunction.modulo(), Duration.ofSeconds(1), Duration.ofHours(1))
            .script("");
    }

    private long next() throws SQLException {
        return DrawnIds.of(this.database, "shardedid_next(7)", 1).get(0);
    }

    private String failureOf(String sql) {
        Throwable failure = catchThrowable(() -> this.database.execute("SET statement_timeout = '60s'; " + sql));
        assertThat(failure).as(sql).isNotNull();
        return failure.getCause().getMessage();
    }

    /** Executes what a message says, as it says it. */
    private void executeStatementsOf(String message) {
        Matcher statements = STATEMENTS.matcher(message);
        assertThat(statements.find()).as(message).isTrue();
        this.database.execute(statements.group(1));
    }

    private void assertMakes(IdLayout layout) throws SQLException {
        long id = next();
        assertThat(layout.shardOf(id)).isEqualTo(7);
        assertThat(layout.instantOf(id)).isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(2));
        assertThat(this.database.query("SELECT shardedid_shard(%s)".formatted(id))).isEqualTo("7");
    }

    @Test
    void refusesTheScriptOfAnotherLayout() throws SQLException {
        this.database.execute(script(OTHER));
        assertMakes(OTHER);

        String message = failureOf(script(STANDARD));
        assertThat(message).contains("counter=public.shardedid_cell", "its layout='" + OTHER.fingerprint() + "'",
                "layout of the script='" + STANDARD.fingerprint() + "'",
                "ALTER SEQUENCE public.shardedid_cell RESTART");
        assertMakes(OTHER);

        executeStatementsOf(message);
        this.database.execute(script(STANDARD));
        assertMakes(STANDARD);
    }

    /** One that stands where no id of this layout could be made for years. */
    @Test
    void refusesTheScriptOverACounterThatDoesNotFit() throws SQLException {
        this.database.execute(script(OTHER));
        next();
        this.database.execute("COMMENT ON SEQUENCE shardedid_cell IS NULL");

        String message = failureOf(script(STANDARD));
        assertThat(message).contains("counter=public.shardedid_cell", "value=",
                "layout of the script='" + STANDARD.fingerprint() + "'");
        assertMakes(OTHER);

        executeStatementsOf(message);
        this.database.execute(script(STANDARD));
        assertMakes(STANDARD);
    }

    @Test
    void givesItsLayoutToACounterThatFits() throws SQLException {
        this.database.execute(script(STANDARD));
        long before = next();
        this.database.execute("COMMENT ON SEQUENCE shardedid_cell IS 'of a colleague'", script(STANDARD),
                script(STANDARD));

        assertThat(this.database.query("SELECT obj_description('shardedid_cell'::regclass)"))
            .isEqualTo("Layout: " + STANDARD.fingerprint());
        assertThat(next()).isGreaterThan(before);
    }

    /** Waiting would be in vain, and the statement would hold its locks for so long. */
    @ParameterizedTest
    @ValueSource(strings = { "shardedid_tick(clock_timestamp() + interval '1 day') << 5", "9223372036854775806",
            "9223372036854775807" })
    void refusesACounterThatIsTooFarAheadBeforeItIsUsed(String counter) throws SQLException {
        this.database.execute(script(STANDARD));
        long before = next();
        this.database.execute("SELECT setval('shardedid_cell', %s)".formatted(counter));
        String last = this.database.query("SELECT last_value FROM shardedid_cell");

        String message = failureOf("SELECT shardedid_next(7)");
        assertThat(message).contains(" ms ahead of the clock", "1000 ticks", "counter=%s, ".formatted(last))
            .contains("layout of the functions='%1$s', comment of the counter='Layout: %1$s'"
                .formatted(STANDARD.fingerprint()))
            .contains("set it right");
        assertThat(this.database.query("SELECT last_value FROM shardedid_cell")).isEqualTo(last);

        executeStatementsOf(message.substring(message.indexOf("its owner runs")));
        assertThat(next()).isGreaterThan(before);
    }

    @Test
    void goesOnAfterWhatThePageSays() throws SQLException {
        this.database.execute(script(STANDARD));
        long before = next();
        this.database.execute("SELECT setval('shardedid_cell', 9223372036854775807)");
        failureOf("SELECT shardedid_next(7)");

        this.database.execute(InstagramPage.sql("a counter that is too far ahead"));
        assertThat(next()).isGreaterThan(before);
    }

}
