package io.shardedid.move;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The table of docs/moving-trouble.md that says what an operator sees and does when a
 * mover has died: each of its commands ends the move.
 */
@Tag("proof")
@Tag("database")
class OperatorsTableIT {

    private static final Pattern TABLE = Pattern
        .compile("<!-- run by OperatorsTableIT -->\\R.*?\\R\\|---.*?\\R(.*?)\\R\\R", Pattern.DOTALL);

    private static final Pattern LEFT = Pattern
        .compile("<!-- made by OperatorsTableIT -->\\R.*?\\R\\|---.*?\\R(.*?)\\R\\R", Pattern.DOTALL);

    private static final Pattern COMMAND = Pattern.compile("`(.+?)`(.*)");

    /** What {@code abort} prints for an operator who knows that nobody wrote. */
    private static final Pattern DELETE = Pattern.compile("DELETE FROM .*");

    private static final ShardRanges FIVE = ShardRanges.parse("5");

    /** Before which statement a mover dies, by the first column of the table. */
    private static final Map<String, Death> DEATHS = Map.ofEntries(
            Map.entry("before it had its token", new Death("a", "coalesce(max(mover), -1)", false)),
            Map.entry("while it copied", new Death("b", "pg_stat_progress_copy", false)),
            Map.entry("behind the fence", new Death("b", "FROM public.shardedid_mark WHERE move", true)),
            Map.entry("behind the fence, and the target is gone",
                    new Death("b", "FROM public.shardedid_mark WHERE move", true)),
            Map.entry("before the stage was `open`, and the target is gone",
                    new Death("a", "SET step = ? WHERE", true)),
            Map.entry("before the target opened", new Death("b", "UPDATE public.shardedid_home SET state = ?", true)),
            Map.entry("before the target opened, and the target is gone",
                    new Death("b", "UPDATE public.shardedid_home SET state = ?", true)),
            Map.entry("before the map changed", new Death("a", "SET version = version + 1", true)),
            Map.entry("before the subscription was dropped", new Death("b", "ALTER SUBSCRIPTION", true)),
            Map.entry("while it waited for routers", new Death("a", "version_seen <", true)),
            Map.entry("while it deleted rows", new Death("a", "DELETE FROM ONLY", true)),
            Map.entry("while it took the move back", new Death("b", "DROP SUBSCRIPTION", false)));

    /** How a state comes about, by the first column of the other table. */
    private static final Map<String, State> STATES = Map.of("shards were closed in their home, and no move has done it",
            OperatorsTableIT::close, "shards are open in two databases",
            (databases) -> databases.execute("b", "UPDATE shardedid_home SET state = 'here' WHERE shard = 5"),
            "a move was aborted while its target was away", OperatorsTableIT::abortWithoutTarget,
            "a primary key has become DEFERRABLE during the copy",
            (databases) -> copyAndChange(databases,
                    "ALTER TABLE comment DROP CONSTRAINT comment_pkey, ADD PRIMARY KEY (id) DEFERRABLE"),
            "a trigger of the fence is gone during the copy",
            (databases) -> copyAndChange(databases, "ALTER TABLE photo DISABLE TRIGGER zz_shardedid_fence_insert"),
            "a process goes by the older map and does not end its use", OperatorsTableIT::routeByTheOlderMap);

    @TempDir
    static Path folder;

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    static List<String> lines() throws IOException {
        return lines(TABLE);
    }

    private static List<String> lines(Pattern of) throws IOException {
        Matcher table = of.matcher(Files.readString(Path.of("..", "..", "docs", "moving-trouble.md")));
        assertThat(table.find()).isTrue();
        return table.group(1).lines().toList();
    }

    static Stream<String[]> states() throws IOException {
        return lines(LEFT).stream()
            .map((line) -> Arrays.stream(line.split("\\|"))
                .map(String::strip)
                .filter((cell) -> !cell.isEmpty())
                .map((cell) -> cell.replace("`", ""))
                .toArray(String[]::new));
    }

    static Stream<String[]> deaths() throws IOException {
        return lines().stream().flatMap((line) -> {
            List<String> columns = Arrays.stream(line.split("\\|"))
                .map(String::strip)
                .filter((cell) -> !cell.isEmpty())
                .toList();
            return Arrays.stream(columns.get(2).split(" or "))
                .map((command) -> new String[] { columns.get(0), columns.get(1).replace("`", ""), command });
        });
    }

    @Test
    void theTableHasEachDeath() throws IOException {
        assertThat(lines()).extracting((line) -> line.split("\\|")[1].strip())
            .containsExactlyInAnyOrderElementsOf(DEATHS.keySet());
    }

    @ParameterizedTest(name = "{0}: {2}")
    @MethodSource("deaths")
    void theCommandEndsTheMove(String death, String printed, String command) throws Exception {
        TwoDatabases databases = new TwoDatabases(servers);
        databases.fill("a", 5, 3);
        String rows = databases.rows("a", 5);
        die(databases, death);
        String file = config(databases, !death.endsWith("the target is gone"));
        Matcher parts = COMMAND.matcher(command);
        assertThat(parts.matches()).as(command).isTrue();
        String code = parts.group(1);

        assertThat(run("status", file).lines()).anyMatch((line) -> line.matches(Pattern.quote(printed)
            .replace("TIME", "\\E\\d{4}-[-\\d]+T[:.\\d]+Z\\Q")
            .replace("REASON", "\\E.+\\Q")));
        if (parts.group(2).contains("is back")) {
            assertThat(run(code, file)).as("the target is gone").endsWith("ends with 1");
            file = config(databases, true);
        }
        if (parts.group(2).contains("DELETE")) {
            String refusal = run(code, file);
            Matcher delete = DELETE.matcher(refusal);
            assertThat(delete.find()).as(refusal).isTrue();
            databases.execute("a", delete.group());
        }
        assertThat(run(code, file)).endsWith("ends with 0");
        if (code.startsWith("abort") && death.endsWith("the target is gone")) {
            assertThat(run("status", config(databases, true))).startsWith("Copies of shards 5 are left in b")
                .endsWith("ends with 1");
            assertThat(run("reconcile 5", config(databases, true))).endsWith("ends with 0");
        }
        assertThat(run("status", config(databases, true))).isEqualToIgnoringNewLines("No move is open.ends with 0");
        String home = code.startsWith("abort") ? "a" : "b";
        assertThat(databases.home(5)).isEqualTo(home);
        assertThat(databases.rows(home, 5)).isEqualTo(rows);
    }

    @Test
    void theTableHasEachState() throws IOException {
        assertThat(states()).extracting((line) -> line[0]).containsExactlyInAnyOrderElementsOf(STATES.keySet());
    }

    /** What moves and processes leave behind, each with the command that ends it. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("states")
    void theCommandEndsTheState(String state, String printed, String command) throws Exception {
        TwoDatabases databases = new TwoDatabases(servers);
        databases.fill("a", 5, 3);
        String rows = databases.rows("a", 5);
        STATES.get(state).make(databases);
        String file = config(databases, true);
        String status = run("status", file);
        assertThat(status).endsWith("ends with 1");
        Matcher line = Pattern
            .compile("(?m)^ *\\Q" + printed.replace("TIME", "\\E[-\\d]+[T ][:.\\d]+(Z|\\+00)\\Q")
                .replace("SECONDS", "\\E\\d+\\Q")
                .replace("STATEMENT", "\\E(?<sql>.+)\\Q") + "\\E$")
            .matcher(status);
        assertThat(line.find()).as(status).isTrue();
        if (printed.contains("STATEMENT")) {
            databases.execute("a", line.group("sql"));
        }
        for (String each : command.split(", ")) {
            assertThat(run(each, file)).as(each).endsWith("ends with 0");
        }

        assertThat(run("status", file)).isEqualToIgnoringNewLines("No move is open.ends with 0");
        String home = databases.home(5);
        assertThat(databases.rows(home, 5)).isEqualTo(rows);
        assertThat(databases.rows(home.equals("a") ? "b" : "a", 5)).isEmpty();
        assertThat(databases.state(home, 5)).isEqualTo("here");
        assertThat(databases.state(home.equals("a") ? "b" : "a", 5)).isEqualTo("moved");
        assertThat(databases.leftovers()).isEmpty();
        databases.execute(home, "INSERT INTO photo VALUES (%s, 5, 'late')".formatted(TwoDatabases.id(5, 1)),
                "UPDATE comment SET words = 'late'", "DELETE FROM comment");
    }

    @Test
    void shardsAreNotOpenedWhileAnotherDatabaseMayHaveThem() throws Exception {
        TwoDatabases databases = new TwoDatabases(servers);
        databases.fill("a", 5, 3);
        close(databases);
        String file = config(databases, true);
        String rows = databases.rows("a", 5);

        assertThat(run("reconcile 5", config(databases, false))).as("b is away").contains("ends with 1");
        assertThat(run("reconcile 5", file.replace("true", "copied"))).as("the line that was copied")
            .startsWith("Names of databases must lead to different ones: databases=[a, b]")
            .endsWith("ends with 2");
        assertThat(run("reconcile 4-9", file)).as("shards of two databases")
            .startsWith("Shards of one move must be in one database")
            .endsWith("ends with 2");
        databases.execute("b", "UPDATE shardedid_home SET state = 'here' WHERE shard = 5");
        assertThat(run("reconcile 5", file)).as("b takes the writes")
            .startsWith(
                    "Could not reconcile: shards=5 (1 problems); solve them: Shard map is older than shardedid_home")
            .endsWith("ends with 2");
        databases.execute("b", "INSERT INTO photo VALUES (%s, 5, 'stray')".formatted(TwoDatabases.id(5, 7)),
                "UPDATE shardedid_home SET state = 'moved' WHERE shard = 5");
        assertThat(run("reconcile 5", file)).as("b has rows")
            .contains("Database b has rows of these shards in table public.photo, though the map says a")
            .endsWith("ends with 1");
        assertThat(databases.state("a", 5)).isEqualTo("moved");

        databases.execute("b", "SET session_replication_role = replica; DELETE FROM photo");
        assertThat(run("reconcile 0-8", file)).contains("Shards 0-8 take writes in a, and no other database")
            .endsWith("ends with 0");
        assertThat(run("reconcile 10-19", file)).endsWith("ends with 0");
        assertThat(run("status", file)).isEqualToIgnoringNewLines("No move is open.ends with 0");
        assertThat(databases.rows("a", 5)).isEqualTo(rows);
    }

    @Test
    void theShardsOfAMoveAreLeftToIt() throws Exception {
        TwoDatabases databases = new TwoDatabases(servers);
        databases.fill("a", 5, 3);
        die(databases, "behind the fence");
        String file = config(databases, true);
        assertThat(run("reconcile 5", file))
            .startsWith("Shards are in a move: shards=5, source=a, target=b, stage=copy")
            .endsWith("ends with 2");
        assertThat(databases.state("a", 5)).isEqualTo("moved");
        assertThat(run("resume 5", file)).endsWith("ends with 0");
    }

    @Test
    void aMoverThatBeginsMeanwhileWins() throws Exception {
        TwoDatabases databases = new TwoDatabases(servers);
        databases.fill("a", 5, 3);
        close(databases);
        AtomicBoolean begun = new AtomicBoolean();
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> {
            try (Move late = databases.move(FIVE, (database, sql) -> {
                if (database.equals("a") && sql.contains("FOR SHARE") && begun.compareAndSet(false, true)) {
                    databases.execute("a", "UPDATE shardedid_home SET mover = 77 WHERE shard = 5");
                }
            })) {
                late.reconcile();
            }
        }).withMessageStartingWith("Another mover has taken over: shards=5, database=a");
        assertThat(databases.state("a", 5)).isEqualTo("moved");
    }

    @Test
    void aDatabaseThatTheMapNamesAndTheFileLacksIsNamed() throws Exception {
        TwoDatabases databases = new TwoDatabases(servers);
        databases.execute("a", "UPDATE shardedid_shard SET home = 'd' WHERE shard IN (3, 4, 7)");
        String file = config(databases, true);
        assertThat(run("status", file)).contains(
                "Could not ask database d: the map names it, and no URL does: shards=3-4,7; give shardedid.databases.d.url")
            .endsWith("ends with 1");
        assertThat(run("plan 7 --to=b", file)).startsWith(
                "Database 'd' is not configured: the map names it, and no URL does: databases=[a, b]; give shardedid.databases.d.url");
    }

    /** As a process does that knows the database by two names. */
    private static void close(TwoDatabases databases) {
        databases.execute("a",
                "UPDATE shardedid_home SET state = 'moved', changed_at = clock_timestamp() WHERE state = 'here'");
    }

    private static void abortWithoutTarget(TwoDatabases databases) throws IOException {
        die(databases, "while it copied");
        assertThat(run("abort 5", config(databases, false))).endsWith("ends with 0");
    }

    private static void copyAndChange(TwoDatabases databases, String... changes) {
        die(databases, "while it copied");
        databases.execute("a", changes);
    }

    /** It has begun a use, and never ends it. */
    private static void routeByTheOlderMap(TwoDatabases databases) {
        databases.execute("a",
                "INSERT INTO shardedid_router (namespace, process, version_seen, identity_seen, seen_at, lease_until) SELECT 'default', 'photos-17', 1, 71, m, m + 600000 FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS m) n");
        die(databases, "while it waited for routers");
        databases.execute("a", "UPDATE shardedid_shard SET changed_at = changed_at - 150000 WHERE shard = 5");
    }

    private static void die(TwoDatabases databases, String name) {
        Death death = DEATHS.get(name);
        if (name.equals("while it took the move back")) {
            die(databases, "while it copied");
            assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
                try (Move move = databases.move(FIVE, death.probe())) {
                    move.abort();
                }
            });
            return;
        }
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
            try (Move move = databases.move(FIVE, death.probe())) {
                move.move("b");
            }
        });
    }

    private static String config(TwoDatabases databases, boolean target) throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            Files.writeString(folder.resolve(databases.name() + "copied.properties"), """
                    shardedid.databases.a.url=%s
                    shardedid.databases.a.username=postgres
                    shardedid.databases.b.url=%1$s
                    shardedid.databases.b.username=postgres
                    shardedid.databases.home=a
                    """.formatted(servers.a.url(databases.name())));
            return "--config=" + Files.writeString(folder.resolve(databases.name() + target + ".properties"), """
                    shardedid.databases.a.url=%s
                    shardedid.databases.a.username=postgres
                    shardedid.databases.b.url=%s
                    shardedid.databases.b.username=postgres
                    shardedid.databases.home=a
                    """.formatted(servers.a.url(databases.name()), target ? servers.b.url(databases.name())
                    : "jdbc:postgresql://127.0.0.1:%s/none".formatted(free.getLocalPort())));
        }
    }

    private static String run(String command, String file) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int code = ShardsCommand.run(new PrintStream(out, true), new PrintStream(out, true), Map.of(),
                (command + " " + file).split(" "));
        return out + "ends with " + code;
    }

    /** Makes a state. */
    @FunctionalInterface
    private interface State {

        void make(TwoDatabases databases) throws Exception;

    }

    /**
     * Where a mover dies.
     *
     * @param database the database
     * @param text what the statement has in it that is not sent any more
     * @param fenced whether the source has been closed before
     */
    private record Death(String database, String text, boolean fenced) {

        Session.Probe probe() {
            AtomicBoolean closed = new AtomicBoolean();
            return (database, sql) -> {
                closed.compareAndSet(false, sql.contains("SET idle_session_timeout"));
                if ((closed.get() || !this.fenced) && database.equals(this.database) && sql.contains(this.text)) {
                    throw new AssertionError("ends here");
                }
            };
        }

    }

}
