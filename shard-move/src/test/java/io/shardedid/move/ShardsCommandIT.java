package io.shardedid.move;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.shardedid.shards.ShardRange;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The commands of docs/moving.md, which run as they stand there, and the plan. */
@Tag("proof")
@Tag("database")
class ShardsCommandIT {

    /** How this test finds the commands of the page. */
    private static final Pattern COMMANDS = Pattern.compile("<!-- run by ShardsCommandIT -->\\R```console\\R(.*?)```",
            Pattern.DOTALL);

    private static final Pattern ACCOUNT = Pattern
        .compile("\\*\\*An account for the mover\\.\\*\\*.*?```sql\\R(.*?)```", Pattern.DOTALL);

    @TempDir
    static Path folder;

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private TwoDatabases databases;

    private Path config;

    @BeforeEach
    void makeDatabases() throws IOException {
        this.databases = new TwoDatabases(servers);
        this.databases.fill("a", 5, 3);
        this.config = Files.writeString(folder.resolve("application.properties"), """
                spring.application.name=photos
                shardedid.databases.a.url=%s
                shardedid.databases.a.username=postgres
                shardedid.databases.b.url=%s
                shardedid.databases.b.username=postgres
                shardedid.databases.home=a
                """.formatted(servers.a.url(this.databases.name()), servers.b.url(this.databases.name())));
    }

    private int run(String... arguments) {
        return run(Map.of(), arguments);
    }

    private int run(Map<String, String> environment, String... arguments) {
        this.out.reset();
        this.err.reset();
        return ShardsCommand.run(new PrintStream(this.out, true), new PrintStream(this.err, true), environment,
                arguments);
    }

    private String failure() {
        return this.err.toString(StandardCharsets.UTF_8);
    }

    private String printed() {
        return this.out.toString(StandardCharsets.UTF_8);
    }

    private int runOfPage(String command) {
        return run(command.replace("application.properties", this.config.toString()).split(" "));
    }

    @Test
    void runsTheCommandsOfThePage() throws IOException {
        Matcher block = COMMANDS.matcher(Files.readString(Path.of("..", "docs", "moving.md")));
        assertThat(block.find()).isTrue();
        List<String> commands = block.group(1)
            .lines()
            .map((line) -> line.replaceFirst("^\\$ java -jar shardedid-shard-move-\\S+ ", ""))
            .toList();
        assertThat(commands).hasSize(5);

        assertThat(runOfPage(commands.get(0))).as(printed() + this.err).isEqualTo(ShardsCommand.DONE);
        assertThat(printed()).contains("Shards 5 move from a to b.", "public.photo: 3 rows",
                "Nothing stands in the way.");
        assertThat(runOfPage(commands.get(1))).as(printed() + this.err).isEqualTo(ShardsCommand.DONE);
        assertThat(printed()).contains("fence ", "Shards 5 are in b (version 2 of the map). 9 rows were compared");
        assertThat(runOfPage(commands.get(2))).isEqualTo(ShardsCommand.DONE);
        assertThat(printed()).isEqualToIgnoringNewLines("No move is open.");
        assertThat(runOfPage(commands.get(3))).isEqualTo(ShardsCommand.REFUSED);
        assertThat(this.err.toString(StandardCharsets.UTF_8))
            .isEqualToIgnoringNewLines("There is no move to resume: shards=5, home=b; see 'shards status'");
        assertThat(runOfPage(commands.get(4))).isEqualTo(ShardsCommand.REFUSED);
        assertThat(this.err.toString(StandardCharsets.UTF_8))
            .isEqualToIgnoringNewLines("There is no move to abort: shards=5, home=b; see 'shards status'");
    }

    @Test
    void writesObjectsForMachines() {
        String file = "--config=" + this.config;
        assertThat(run("plan", "5", "--to=b", file, "--json")).isZero();
        assertThat(printed()).contains("\"problems\":[]", "{\"bytes\":", "\"name\":\"public.photo\",\"rows\":3}");
        assertThat(run("move", "5", "--to=b", file, "--json")).isZero();
        assertThat(printed().lines()).allMatch((line) -> line.startsWith("{\"") && line.endsWith("}"));
        assertThat(printed()).contains("\"outcome\":\"moved\"", "\"step\":\"fence\"");
        assertThat(run("status", file, "--json")).isZero();
        assertThat(printed()).isEqualToIgnoringNewLines("{\"moves\":[],\"slots\":[],\"unknown\":[]}");
    }

    @Test
    void listsASlotThatNoMoveNeeds() {
        this.databases.execute("a", "SELECT pg_create_logical_replication_slot('shardedid_forgotten_1', 'pgoutput')");
        try {
            assertThat(run("status", "--config=" + this.config)).isZero();
            assertThat(printed()).contains("Slot shardedid_forgotten_1 in a: inactive, keeps ",
                    "; no move of namespace 'default' needs it: SELECT pg_drop_replication_slot('shardedid_forgotten_1')");

            this.databases.execute("a",
                    "UPDATE shardedid_shard SET step = 'copy', source = 'b', target = 'a' WHERE shard = 6");
            assertThat(run("status", "--config=" + this.config)).isZero();
            assertThat(printed()).as("a move that leaves b").contains("Shards 6 move from b to a", "no move of");

            this.databases.execute("a", "UPDATE shardedid_shard SET source = 'a', target = 'b' WHERE shard = 6");
            assertThat(run("status", "--config=" + this.config)).isZero();
            assertThat(printed()).as("a move that leaves a").doesNotContain("no move of");
        }
        finally {
            this.databases.execute("a", "SELECT pg_drop_replication_slot('shardedid_forgotten_1')");
        }
    }

    @Test
    void refusesADatabaseThatItDoesNotKnow() {
        assertThat(run("move", "5", "--to=c", "--config=" + this.config)).isEqualTo(ShardsCommand.REFUSED);
        assertThat(this.err.toString(StandardCharsets.UTF_8)).isEqualToIgnoringNewLines(
                "Database is not configured: database='c' (databases: [a, b], did you mean 'a'?); correct the name");
    }

    @Test
    void endsWith1WhenAMoveCanBeResumed() {
        for (String database : new String[] { "a", "b" }) {
            this.databases.execute(database, "CREATE UNIQUE INDEX photo_caption ON photo (caption)");
        }
        this.databases.execute("b", "INSERT INTO photo VALUES (%d, 9, 'photo 1')".formatted(TwoDatabases.id(9, 1)));
        String file = "--config=" + this.config;
        assertThat(run("move", "5", "--to=b", file)).as(printed() + failure()).isEqualTo(ShardsCommand.UNFINISHED);
        assertThat(failure()).startsWith("The target does not take the rows: database=b, subscription=shardedid_");

        this.databases.execute("b", "DELETE FROM photo");
        assertThat(run("resume", "5", file)).as(printed() + failure()).isEqualTo(ShardsCommand.DONE);
    }

    @Test
    void refusesAPasswordOfNoDatabase() {
        assertThat(run(Map.of("SHARDEDID_DATABASES_C_PASSWORD", "secret"), "status", "--config=" + this.config))
            .isEqualTo(ShardsCommand.REFUSED);
        assertThat(failure()).isEqualToIgnoringNewLines(
                "Environment variable must mean one database: variable='SHARDEDID_DATABASES_C_PASSWORD', meant=[] (databases: [a, b]); correct its name, or unset it");
    }

    /** The account has the rights of the page, and no others. */
    @Test
    void movesWithTheAccountOfThePage() throws Exception {
        Matcher rights = ACCOUNT.matcher(Files.readString(Path.of("..", "docs", "moving.md")));
        assertThat(rights.find()).isTrue();
        for (String database : new String[] { "a", "b" }) {
            this.databases.execute(database, "CREATE ROLE photos",
                    """
                            DO $$ DECLARE t regclass; BEGIN
                              FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
                                EXECUTE format('ALTER TABLE %s OWNER TO photos', t);
                              END LOOP;
                            END $$""",
                    rights.group(1).replace("DATABASE photos", "DATABASE " + this.databases.name()));
        }
        servers.a.askForPassword("mover");
        servers.b.askForPassword("mover");
        MoveDatabases mover = new MoveDatabases(Map.of("a", account(servers.a), "b", account(servers.b)), "a",
                "default", null);
        ShardRange five = ShardRange.parse("5");
        String blind = "Account of the mover in database a cannot see the transactions of others, for which it has to wait: GRANT pg_read_all_stats to it";
        this.databases.execute("a", "REVOKE pg_read_all_stats FROM mover");
        assertThat(new ShardMover(mover, TwoDatabases.LIMITS, (progress) -> {
        }).plan(five, "b").problems()).containsExactly(blind);
        this.databases.execute("a", "GRANT pg_read_all_stats TO mover");

        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> {
            try (Move move = new Move(mover, TwoDatabases.LIMITS, five, (progress) -> {
            }, (database, sql) -> {
                if (sql.contains("version_seen <")) {
                    this.databases.execute("a", "REVOKE pg_read_all_stats FROM mover");
                }
            })) {
                move.move("b");
            }
        }).withMessage(blind + "; then resume");
        this.databases.execute("a", "GRANT pg_read_all_stats TO mover");

        AtomicReference<Connection> reader = new AtomicReference<>();
        AtomicInteger looks = new AtomicInteger();
        try (Move move = new Move(mover, TwoDatabases.LIMITS, five, (progress) -> {
        }, (database, sql) -> {
            try {
                if (sql.contains("version_seen <") && reader.get() == null) {
                    reader.set(servers.a.connect(this.databases.name()));
                    reader.get().setAutoCommit(false);
                    reader.get().createStatement().execute("SELECT FROM photo");
                }
                if (sql.contains("xact_start < ?::timestamptz") && looks.incrementAndGet() == 2) {
                    reader.get().close();
                }
                if (database.equals("a") && sql.startsWith("DELETE FROM \"public\"")) {
                    assertThat(reader.get().isClosed()).as("the older transaction has ended").isTrue();
                }
            }
            catch (SQLException ex) {
                throw new AssertionError(ex);
            }
        })) {
            assertThat(move.move(null).outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        }
        assertThat(this.databases.rows("a", 5)).isEmpty();

        movesBackWithPasswordsOfTheEnvironment();
    }

    private MoveDatabases.Database account(MovingServer server) {
        return new MoveDatabases.Database(server.url(this.databases.name()), "mover", "secret", null);
    }

    private void movesBackWithPasswordsOfTheEnvironment() throws IOException {
        this.databases.execute("a",
                "UPDATE shardedid_shard SET home = CASE home WHEN 'a' THEN 'db-a' ELSE 'B' END WHERE shard >= 0");
        Path names = Files.writeString(folder.resolve("names.properties"), """
                shardedid.databases.db-a.url=%s
                shardedid.databases.db-a.username=mover
                shardedid.databases.B.url=%s
                shardedid.databases.B.username=mover
                shardedid.databases.home=db-a
                """.formatted(servers.a.url(this.databases.name()), servers.b.url(this.databases.name())));
        assertThat(
                run(Map.of("SHARDEDID_DATABASES_DB_A_PASSWORD", "secret", "SHARDEDID_DATABASES_B_PASSWORD", "secret"),
                        "move", "5", "--to=db-a", "--config=" + names))
            .as(printed() + failure())
            .isEqualTo(ShardsCommand.DONE);
        assertThat(this.databases.leftovers()).isEmpty();
    }

    @Test
    void plansEverythingThatIsWrong() {
        long inFive = TwoDatabases.id(5, 1_000);
        this.databases.execute("a", "ALTER TABLE photo REPLICA IDENTITY NOTHING", "DROP INDEX comment_shard",
                "ALTER TABLE comment ADD COLUMN extra text", "CREATE TABLE loose (photo_id bigint REFERENCES photo)",
                "CREATE TABLE country (code text PRIMARY KEY)",
                "ALTER TABLE photo ADD COLUMN country text REFERENCES country",
                "INSERT INTO comment VALUES (%d, %d, 'of another shard')".formatted(TwoDatabases.id(6, 1), inFive),
                "CREATE UNIQUE INDEX photo_caption ON photo (caption)");
        this.databases.execute("b", "ALTER TABLE photo ADD COLUMN country text",
                "INSERT INTO photo VALUES (%d, 5, 'stray')".formatted(inFive));

        MovePlan plan = this.databases.mover().plan(ShardRange.parse("5"), "b");

        assertThat(plan.possible()).isFalse();
        assertThat(String.join("\n", plan.problems())).contains(
                "Replica identity of table public.photo lacks column id: make it the primary key, or set REPLICA IDENTITY FULL",
                "Columns of table public.comment differ: a=[id bigint, photo_id bigint, words text, extra text], b=[id bigint, photo_id bigint, words text]; let both have the same",
                "Table public.loose has no fence and foreign key loose_photo_id_fkey to public.photo: fence it, too, or drop the key",
                "Foreign key comment_photo_id_fkey leaves the shards: 1 rows of public.comment and their rows of public.photo would be in two databases",
                "Database b has rows of these shards in table public.photo, though the map says a: find out where they come from, and delete them");
        assertThat(plan.problems()).hasSize(5);
        assertThat(String.join("\n", plan.warnings())).contains(
                "Table public.comment has no index on the shard, so every look reads the whole table: CREATE INDEX CONCURRENTLY ON \"public\".\"comment\" (((\"id\" >> 10) & 8191), \"id\")",
                "Unique keys of table public.photo lack column id: photo_caption (the copy stops if the target has an equal key)",
                "Foreign key photo_country_fkey leads to public.country, which does not move: database b has to have the same rows");
        assertThat(run("move", "5", "--to=b", "--config=" + this.config)).isEqualTo(ShardsCommand.REFUSED);
        assertThat(this.err.toString(StandardCharsets.UTF_8))
            .startsWith("Could not move: shards=5, target=b (5 problems); solve them: ");
        assertThat(this.databases.query("a", "SELECT count(*) FROM shardedid_shard WHERE step IS NOT NULL"))
            .isEqualTo("0");
    }

    @Test
    void plansWithoutAFence() {
        String bare = this.databases.name() + "_bare";
        servers.b.execute("postgres", "CREATE DATABASE " + bare);
        MoveDatabases all = this.databases.databases();
        MoveDatabases other = new MoveDatabases(
                Map.of("a", all.get("a"), "b", new MoveDatabases.Database(servers.b.url(bare), "postgres", "", null)),
                "a", "default", null);
        MovePlan plan = new ShardMover(other, TwoDatabases.LIMITS, (progress) -> {
        }).plan(ShardRange.parse("5"), "b");
        assertThat(plan.problems().stream().sorted().collect(Collectors.joining("\n"))).isEqualTo("""
                Database b has no fence: run 'io/shardedid/shards/shard-fence-postgresql.sql' of the generator's jar
                Database b has no table public.comment: create it
                Database b has no table public.photo: create it""");
    }

}
