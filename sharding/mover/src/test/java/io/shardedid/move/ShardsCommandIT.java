package io.shardedid.move;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The command line, as sharding/docs/moving.md shows it. */
@Tag("database")
class ShardsCommandIT {

    /** A command of the page that is <!-- run by ShardsCommandIT -->. */
    private static final Pattern COMMAND = Pattern
        .compile("(?m)^\\$ java -jar shardedid-shard-move-0.1.0-SNAPSHOT.jar (.*) --config=application.properties$");

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    @TempDir
    private Path folder;

    private TwoDatabases databases;

    private String out;

    private String err;

    @BeforeEach
    void makeDatabases() {
        this.databases = new TwoDatabases(servers);
        this.databases.fill("a", 5, 3);
    }

    private int run(String... arguments) throws IOException {
        return run(Map.of(), arguments);
    }

    private int run(Map<String, String> environment, String... arguments) throws IOException {
        Path config = Files.writeString(this.folder.resolve("application.properties"), this.databases.properties());
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--config=" + config);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = ShardsCommand.run(new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8), environment, all.toArray(String[]::new));
        this.out = out.toString(StandardCharsets.UTF_8);
        this.err = err.toString(StandardCharsets.UTF_8);
        return code;
    }

    @Test
    void runsTheCommandsOfThePage() throws IOException {
        List<String> commands = COMMAND.matcher(Files.readString(Path.of("../docs/moving.md")))
            .results()
            .map((MatchResult found) -> found.group(1))
            .toList();
        assertThat(commands).hasSize(5);

        assertThat(run(commands.get(0).split(" "))).as("plan").isZero();
        assertThat(this.out).contains("can move from a to b", "9 rows");
        assertThat(run(commands.get(1).split(" "))).as("move").isZero();
        assertThat(this.out).contains("from a to b", "9 rows");
        assertThat(run(commands.get(2).split(" "))).as("status").isZero();
        assertThat(this.out).contains("'clean 5'");
        assertThat(run(commands.get(3).split(" "))).as("clean, a day too early").isEqualTo(ShardsCommand.REFUSED);
        assertThat(this.err).contains("--after");
        assertThat(run("clean", "5", "--after=60")).as("below the limit of routers").isEqualTo(ShardsCommand.REFUSED);
        this.databases.execute("a", "UPDATE shardedid_shard SET changed_at = changed_at - 90000000 WHERE shard = 5");
        assertThat(run(commands.get(3).split(" "))).as("clean").isZero();
        assertThat(this.out).contains("9 were deleted");
        assertThat(run(commands.get(4).split(" "))).as("abort").isZero();
        assertThat(run(commands.get(2).split(" "))).isZero();
        assertThat(this.out).contains("Nothing is left");
    }

    @Test
    void writesJson() throws IOException {
        assertThat(run("plan", "5", "--to=b", "--json")).isZero();
        assertThat(this.out).startsWith("{").contains("\"outcome\":\"POSSIBLE\"", "\"rows\":9", "\"pauseMillis\":");
        assertThat(run("move", "5,6", "--to=b", "--json")).isZero();
        assertThat(this.out.lines()).hasSize(2).allMatch((line) -> line.contains("\"outcome\":\"MOVED\""));
        assertThat(run("status", "--json")).isZero();
        assertThat(this.out).contains("\"command\":\"'clean 5-6'\"", "\"problems\":[]");
        this.databases.execute("a", "CREATE TABLE \"a\"\"b\" (id bigint)");
        assertThat(run("plan", "7", "--to=b", "--json")).isEqualTo(ShardsCommand.UNFINISHED);
        assertThat(this.out).contains("\"outcome\":\"PREVENTED\"", "a\\u0022b");
    }

    @Test
    void refusesWhatCannotBe() throws IOException {
        assertThat(run("move", "5")).isEqualTo(ShardsCommand.REFUSED);
        assertThat(this.err).contains("--to");
        assertThat(run("move", "5", "--to=x")).isEqualTo(ShardsCommand.REFUSED);
        assertThat(this.err).contains("'x'");
        assertThat(run("move", "20", "--to=b")).isEqualTo(ShardsCommand.REFUSED);
        assertThat(this.err).contains("shard=20");
        assertThat(run(Map.of("SHARDEDID_DATABASES_A_PASSWORD", "unused"), "status")).isZero();
    }

    @Test
    void namesAServerThatIsAway() throws Exception {
        servers.b.stop();
        try {
            assertThat(run("status")).isEqualTo(ShardsCommand.UNFINISHED);
            assertThat(this.out).contains("Database b cannot be asked", "SQLState=08");
        }
        finally {
            servers.b.startAgain();
        }
    }

}
