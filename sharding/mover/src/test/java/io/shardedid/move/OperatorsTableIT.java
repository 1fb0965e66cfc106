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

    @TempDir
    static Path folder;

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    static List<String> lines() throws IOException {
        Matcher table = TABLE.matcher(Files.readString(Path.of("..", "..", "docs", "moving-trouble.md")));
        assertThat(table.find()).isTrue();
        return table.group(1).lines().toList();
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
        assertThat(run("status", config(databases, true))).isEqualToIgnoringNewLines("No move is open.ends with 0");
        String home = code.startsWith("abort") ? "a" : "b";
        assertThat(databases.home(5)).isEqualTo(home);
        assertThat(databases.rows(home, 5)).isEqualTo(rows);
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
