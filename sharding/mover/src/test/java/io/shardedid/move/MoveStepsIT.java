package io.shardedid.move;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.shardedid.testdb.PostgresMajor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A mover dies before each of its durable steps, and after the last one: its sessions end
 * at once, and nothing is taken back. Each time the command that {@code status} names
 * ends what it has left, as long as it takes; the rows are counted and compared.
 */
@Tag("database")
class MoveStepsIT {

    private static final String CLOSED = "a: UPDATE [^ ]*home SET state = 'moved',";

    private static final Pattern COMMAND = Pattern.compile("'(\\w+) (\\d+)(?: --to=(\\w))?'");

    /**
     * The first statement of each durable step of a move, in their order, and what is
     * left before it.
     */
    private static final List<Step> MOVE = List.of(
            new Step("", "a: UPDATE [^ ]*shard SET mover = greatest", "map=a a=here b=moved "),
            new Step("a: UPDATE [^ ]*shard SET mover", "a: SELECT pg_advisory_xact_lock", "map=a a=here b=moved copy"),
            new Step(CLOSED, "b: SELECT pg_advisory_xact_lock", "map=a a=moved b=moved copy"),
            new Step(CLOSED, "a: COPY", "map=a a=moved b=moved copy"),
            new Step("", "a: UPDATE [^ ]*home SET copied = 'left'", "map=a a=moved b=arriving copy"),
            new Step("", "a: UPDATE [^ ]*shard SET version", "map=a a=moved b=arriving copy"),
            new Step("a: UPDATE [^ ]*shard SET home", "b: UPDATE [^ ]*home SET state", "map=b a=moved b=arriving open"),
            new Step("", "a: UPDATE [^ ]*shard SET step", "map=b a=moved b=here open"));

    private static final List<Step> ABORT = List.of(
            new Step("", "a: UPDATE [^ ]*shard SET mover = greatest", "map=a a=moved b=arriving copy"),
            new Step("", "a: UPDATE [^ ]*home SET state", "map=a a=moved b=arriving copy"),
            new Step("", "b: DELETE FROM", "map=a a=here b=arriving copy"),
            new Step("", "a: UPDATE [^ ]*shard SET step", "map=a a=here b=arriving copy"));

    private static final List<Step> CLEAN = List.of(
            new Step("", "a: UPDATE [^ ]*shard SET mover = greatest", "map=b a=moved b=here clean"),
            new Step("", "a: DELETE FROM", "map=b a=moved b=here clean"),
            new Step("", "a: UPDATE [^ ]*shard SET step", "map=b a=moved b=here clean"));

    private static final String FIVE = "5";

    private static final Map<PostgresMajor, TwoServers> SERVERS = new EnumMap<>(PostgresMajor.class);

    @AfterAll
    static void stop() throws IOException {
        for (TwoServers each : SERVERS.values()) {
            each.close();
        }
    }

    static Stream<Arguments> deaths() {
        List<Arguments> all = new ArrayList<>();
        MOVE.forEach((step) -> Stream.of("move", "abort").forEach((end) -> all.add(Arguments.of("move", step, end))));
        ABORT.forEach((step) -> Stream.of("move", "abort").forEach((end) -> all.add(Arguments.of("abort", step, end))));
        CLEAN.forEach((step) -> all.add(Arguments.of("clean", step, "clean")));
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void endsByTheCommandThatStatusNames(String verb, Step step, String end) throws IOException {
        ends(PostgresMajor.V18, verb, step, end);
    }

    @ParameterizedTest
    @MethodSource("deaths")
    @Tag("proof")
    void endsByItOnTheOldestVersion(String verb, Step step, String end) throws IOException {
        ends(PostgresMajor.V15, verb, step, end);
    }

    private static void ends(PostgresMajor major, String verb, Step step, String end) throws IOException {
        if (!SERVERS.containsKey(major)) {
            SERVERS.put(major, TwoServers.started(major));
        }
        TwoDatabases databases = new TwoDatabases(SERVERS.get(major));
        databases.fill("a", 5, 3);
        databases.fill("a", 6, 1);
        String five = databases.rows("a", 5);
        String six = databases.rows("a", 6);
        if (verb.equals("clean")) {
            databases.mover().move(FIVE, "b");
        }
        if (verb.equals("abort")) {
            dies(databases, "move", MOVE.get(4));
        }

        dies(databases, verb, step);

        assertThat(databases.where(5)).isEqualTo(step.left());
        List<String> commands = new ArrayList<>();
        for (List<ShardMover.Left> needs = databases.mover().status().needs(); !needs
            .isEmpty(); needs = databases.mover().status().needs()) {
            assertThat(databases.mover().status().problems()).isEmpty();
            assertThat(needs).hasSize(1);
            Matcher command = COMMAND.matcher(needs.get(0).command());
            assertThat(command.find()).isTrue();
            commands.add(command.group(1));
            if (needs.get(0).command().contains("'abort 5'") && end.equals("abort")) {
                databases.mover().abort(FIVE);
            }
            else if (command.group(1).equals("move")) {
                databases.mover().move(FIVE, command.group(3));
            }
            else {
                databases.mover().clean(FIVE);
            }
            assertThat(commands).hasSizeLessThan(4);
        }
        String home = databases.home(5);
        String other = home.equals("a") ? "b" : "a";
        assertThat(databases.rows(home, 5)).isEqualTo(five);
        assertThat(databases.rows(other, 5)).isEmpty();
        assertThat(databases.state(home, 5)).isEqualTo("here");
        assertThat(databases.state(other, 5)).isNotEqualTo("here");
        assertThat(databases.rows("a", 6)).isEqualTo(six);
        databases.execute(home, "UPDATE photo SET caption = 'new' WHERE (id >> 12) & 2047 = 5");
        databases.mover().move(FIVE, other);
        assertThat(databases.query(other, "SELECT count(*) FROM photo WHERE caption = 'new'")).isEqualTo("3");
    }

    private static void dies(TwoDatabases databases, String verb, Step step) {
        Pattern after = Pattern.compile("(?s)" + step.after() + ".*");
        Pattern at = Pattern.compile("(?s)" + step.at() + ".*");
        AtomicBoolean passed = new AtomicBoolean();
        try {
            ShardMover mover = databases.mover((database, sql) -> {
                String statement = database + ": " + sql.strip();
                if (passed.get() && at.matcher(statement).matches()) {
                    throw new Death();
                }
                passed.compareAndSet(false, after.matcher(statement).matches());
            });
            switch (verb) {
                case "move" -> mover.move(FIVE, "b");
                case "abort" -> mover.abort(FIVE);
                default -> mover.clean(FIVE);
            }
            throw new AssertionError("did not come by " + step);
        }
        catch (Death ex) {
            // its sessions are closed
        }
    }

    /** Not taken for a failure of a statement, so that nothing is taken back. */
    private static final class Death extends Error {

        private static final long serialVersionUID = 1L;

    }

    /**
     * A step of a command.
     *
     * @param after a statement that comes before it
     * @param at the statement before which the mover dies
     * @param left what it leaves
     */
    record Step(String after, String at, String left) {
    }

}
