package io.shardedid.move;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

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
        Matcher block = COMMANDS.matcher(Files.readString(Path.of("..", "..", "docs", "moving.md")));
        assertThat(block.find()).isTrue();
        List<String> commands = block.group(1)
            .lines()
            .map((line) -> line.replaceFirst("^\\$ java -jar shardedid-shard-move-\\S+ ", ""))
            .toList();
        assertThat(commands).hasSize(6);

        assertThat(runOfPage(commands.get(0))).as(printed() + this.err).isEqualTo(ShardsCommand.DONE);
        assertThat(printed()).contains("Shards 5 move from a to b.", "public.photo: 3 rows",
                "Nothing prevents the move.");
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
        assertThat(runOfPage(commands.get(5))).as(printed() + this.err).isEqualTo(ShardsCommand.DONE);
        assertThat(printed())
            .endsWith("Shards 5 take writes in b, and no other database has rows of them.%n".formatted());
    }

    /** What docs/databases.md says of a database without shards. */
    @Test
    void aDatabaseIsTakenAway() throws IOException {
        String file = "--config=" + this.config;
        assertThat(run("move", "9", "--to=a", file)).as(printed() + failure()).isZero();
        String page = Files.readString(Path.of("..", "..", "docs", "databases.md"));
        List<String> drops = Pattern.compile("`(DROP [^`]+)`")
            .matcher(page)
            .results()
            .map((drop) -> drop.group(1))
            .toList();
        assertThat(drops).hasSize(3);
        drops.forEach((drop) -> this.databases.execute("b", drop));
        this.databases.execute("b", "INSERT INTO photo VALUES (7, 7, 'of another application')");
        assertThat(run("status", file)).isZero();
        Path without = Files.writeString(folder.resolve("without.properties"),
                Files.readString(this.config).replaceAll("(?m)^shardedid\\.databases\\.b\\..*$", ""));
        assertThat(run("status", "--config=" + without)).as(printed()).isZero();
        assertThat(printed()).isEqualToIgnoringNewLines("No move is open.");
    }

    @Test
    void comparesAllRowsWhileWritersWaitIfItIsToldTo() {
        String file = "--config=" + this.config;
        assertThat(run("move", "5", "--to=b", file)).isZero();
        assertThat(printed()).contains("compare   The rows are compared that were written lately");
        assertThat(run("move", "5", "--to=a", "--compare=all", file)).isZero();
        assertThat(printed()).contains("compare   All rows are compared");
        assertThat(run("move", "5", "--to=b", "--compare=none", file)).isEqualTo(ShardsCommand.REFUSED);
        assertThat(failure()).startsWith("Invalid value for option '--compare'");
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
        assertThat(printed()).isEqualToIgnoringNewLines(
                "{\"moves\":[],\"paused\":[],\"problems\":[],\"refused\":[],\"slots\":[],\"twice\":[],\"unknown\":[]}");
    }

    @Test
    void listsASlotThatNoMoveNeeds() {
        this.databases.execute("a", "SELECT pg_create_logical_replication_slot('shardedid_forgotten_1', 'pgoutput')");
        try {
            assertThat(run("status", "--config=" + this.config)).isZero();
            assertThat(printed()).contains("Slot shardedid_forgotten_1 in a: inactive, reserved, keeps ",
                    "; no move of namespace 'default' needs it: SELECT pg_drop_replication_slot('shardedid_forgotten_1')");

            this.databases.execute("a",
                    "UPDATE shardedid_shard SET step = 'copy', source = 'b', target = 'a' WHERE shard = 6");
            assertThat(run("status", "--config=" + this.config)).isEqualTo(ShardsCommand.UNFINISHED);
            assertThat(printed()).as("a move that leaves b").contains("Shards 6 move from b to a", "no move of");

            this.databases.execute("a", "UPDATE shardedid_shard SET source = 'a', target = 'b' WHERE shard = 6");
            assertThat(run("status", "--config=" + this.config)).isEqualTo(ShardsCommand.UNFINISHED);
            assertThat(printed()).as("a move that leaves a").doesNotContain("no move of");
        }
        finally {
            this.databases.execute("a", "SELECT pg_drop_replication_slot('shardedid_forgotten_1')");
        }
    }

    @Test
    void resumesByItselfUntilItIsDone() throws Exception {
        String move = "move 5 --to=b --patience=1 --config=" + this.config;
        try (Connection writer = servers.a.connect("postgres")) {
            writer.setAutoCommit(false);
            writer.createStatement().execute("SELECT pg_current_xact_id()");
            assertThat(run(move.split(" "))).isEqualTo(ShardsCommand.UNFINISHED);
            Thread end = new Thread(() -> {
                while (!printed().contains("Waited too long for a slot")) {
                    Thread.onSpinWait();
                }
                rollback(writer);
            });
            end.start();
            assertThat(run((move + " --until-done").split(" "))).as(printed() + failure())
                .isEqualTo(ShardsCommand.DONE);
            end.join();
        }
        assertThat(printed()).containsPattern("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ Waited too long for a slot: ")
            .contains("Shards 5 are in b (version 2 of the map).");
    }

    private static void rollback(Connection connection) {
        try {
            connection.rollback();
        }
        catch (SQLException ex) {
            throw new AssertionError(ex);
        }
    }

    @Test
    void doesNotResumeWhatHasToBeMended() {
        assertThat(run("move", "99999", "--to=b", "--until-done", "--config=" + this.config))
            .isEqualTo(ShardsCommand.REFUSED);
        assertThat(failure()).startsWith("Shards do not exist: shards=99999");
    }

    @Test
    void doesNotRepeatAMoveWhoseWritersWouldWaitTooLong() {
        assertTimeoutPreemptively(Duration.ofSeconds(90),
                () -> assertThat(
                        run("move", "5", "--to=b", "--until-done", "--pause-limit=0.001", "--config=" + this.config))
                    .isEqualTo(ShardsCommand.UNFINISHED));
        assertThat(failure()).startsWith("Writers would wait too long: shards=5, expected pause=");
    }

    @ParameterizedTest
    @CsvSource({ ",password", "wrong,password", "secret,shardedid_shard" })
    void doesNotRepeatWhatItsAccountMayNotDo(String password, String named) throws IOException {
        String account = "stranger_" + this.databases.name();
        this.databases.execute("a", "CREATE ROLE %s LOGIN PASSWORD 'secret'".formatted(account));
        servers.a.askForPassword(account);
        Path file = Files.writeString(folder.resolve("stranger.properties"),
                Files.readString(this.config).replace("a.username=postgres", "a.username=" + account));
        assertTimeoutPreemptively(Duration.ofSeconds(60),
                () -> assertThat(run((password != null) ? Map.of("SHARDEDID_DATABASES_A_PASSWORD", password) : Map.of(),
                        "move", "5", "--to=b", "--until-done", "--config=" + file))
                    .isEqualTo(ShardsCommand.UNFINISHED));
        assertThat(failure()).startsWith("Could not read the shard map: database=a (").contains(named);
    }

    @Test
    void aMistakeInACommandTakesOneLine() {
        assertThat(run("move", "5", "--config=" + this.config)).isEqualTo(ShardsCommand.REFUSED);
        assertThat(failure())
            .isEqualToIgnoringNewLines("Missing required option: '--to=DATABASE'; see 'shards move --help'");
        assertThat(run("plan", "5", "--to=b", "--patience=long", "--config=" + this.config))
            .isEqualTo(ShardsCommand.REFUSED);
        assertThat(failure()).isEqualToIgnoringNewLines(
                "Invalid value for option '--patience': 'long' is not a double; see 'shards plan --help'");
        assertThat(run("mvoe", "5")).isEqualTo(ShardsCommand.REFUSED);
        assertThat(failure().lines()).singleElement().asString().endsWith("; see 'shards --help'");
        assertThat(printed()).isEmpty();
    }

    @Test
    void eachLimitHasAnOption() {
        String file = "--config=" + this.config;
        assertThat(run("move", "5", "--to=b", "--copy-limit=0", file)).isEqualTo(ShardsCommand.REFUSED);
        assertThat(run("move", "5", "--to=b", "--statement-limit=0", file)).isEqualTo(ShardsCommand.REFUSED);
        assertThat(run("move", "5", "--to=b", "--lock-limit=0", file)).isEqualTo(ShardsCommand.REFUSED);
        assertThat(failure()).isEqualToIgnoringNewLines("Limit of a move must be >= 1 ms: limit=0s; give a longer one");
        this.databases.execute("a",
                "INSERT INTO shardedid_router (namespace, process, version_seen, identity_seen, seen_at, lease_until) SELECT 'default', 'photos-17', 1, 71, m, m + 600000 FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS m) n");
        assertThat(run("move", "5", "--to=b", "--router-limit=0.5", file)).isEqualTo(ShardsCommand.UNFINISHED);
        assertThat(failure()).matches(
                "(?s)\\QWaited too long for routers to go by version 2 of the map: shards=5, limit=500ms (routers=[photos-17 (\\E\\d+\\Q s at most if it has died)]); resume when the reason is gone\\E\\s+");
    }

    @Test
    void namesARouterDeadAfterItHasSaidWhatHappensIfItLives() {
        String file = "--config=" + this.config;
        this.databases.execute("a",
                "INSERT INTO shardedid_router (namespace, process, version_seen, identity_seen, seen_at, lease_until) VALUES ('default', 'photos-17', 1, 71, 0, 9223372036854775807)");
        assertThat(run("dead", "photos-17", file)).isEqualTo(ShardsCommand.UNFINISHED);
        assertThat(printed()).contains("Until then it may find no row of a shard that has moved, and change none.");
        assertThat(run("move", "5", "--to=b", "--router-limit=0.5", file)).isEqualTo(ShardsCommand.UNFINISHED);
        assertThat(run("dead", "photos-17", "--yes", file)).isZero();
        assertThat(printed()).isEqualToIgnoringNewLines("No mover waits for photos-17 any more.");
        assertThat(run("resume", "5", file)).as(failure()).isZero();
    }

    @Test
    void plansNothingWhereTheShardsAre() {
        assertThat(run("plan", "5", "--to=a", "--config=" + this.config)).isZero();
        assertThat(printed()).isEqualToIgnoringNewLines("Shards 5 are in a already. There is nothing to move.");
    }

    @Test
    void movesSeveralRanges() {
        assertThat(run("move", "3,5-6", "--to=b", "--config=" + this.config)).as(failure()).isZero();
        assertThat(printed()).containsPattern("(?m)^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ fence     ")
            .contains("Shards 3,5-6 are in b (version 2 of the map).");
    }

    @Test
    void refusesADatabaseThatItDoesNotKnow() {
        assertThat(run("move", "5", "--to=c", "--config=" + this.config)).isEqualTo(ShardsCommand.REFUSED);
        assertThat(this.err.toString(StandardCharsets.UTF_8)).isEqualToIgnoringNewLines(
                "Database is not configured: database='c' (databases: [a, b]); correct the name");
    }

    @Test
    void endsWith1WhenAMoveCanBeResumed() {
        for (String database : new String[] { "a", "b" }) {
            this.databases.execute(database, "CREATE UNIQUE INDEX photo_caption ON photo (caption)");
        }
        this.databases.execute("b", "INSERT INTO photo VALUES (%s, 9, 'photo 1')".formatted(TwoDatabases.id(9, 1)));
        String file = "--config=" + this.config;
        assertThat(run("move", "5", "--to=b", file)).as(printed() + failure()).isEqualTo(ShardsCommand.UNFINISHED);
        assertThat(failure()).startsWith("The target does not take the rows: database=b, subscription=shardedid_");
        assertThat(run("status", file)).isEqualTo(ShardsCommand.UNFINISHED);
        assertThat(printed()).containsPattern(
                "stage copy, mover 1; subscription shardedid_\\w+ was disabled by an error; the log of the target's server names it: 'resume 5' or 'abort 5'");

        this.databases.execute("b", "DELETE FROM photo");
        assertThat(run("resume", "5", file)).as(printed() + failure()).isEqualTo(ShardsCommand.DONE);
    }

    private static void pages(TwoDatabases databases, String table, int pages) {
        databases.execute("a", "UPDATE pg_class SET relpages = %s, reltuples = 1500000 WHERE oid = '%s'::regclass"
            .formatted(pages, table));
    }

    private long reads() {
        return Long
            .parseLong(this.databases.query("a", "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'events'"));
    }

    /** A log of the application, in which no number is an id. */
    @Test
    void readsATableWithoutAFenceOnceAndNamesIt() throws Exception {
        this.databases.execute("a", "CREATE TABLE events (id bigint PRIMARY KEY, actor bigint, size bigint, at bigint)",
                "INSERT INTO events SELECT i, i, i, i FROM generate_series(1, 20000) i");
        pages(this.databases, "events", 20_000);
        long before = reads();
        assertThat(run("plan", "5", "--to=b", "--config=" + this.config)).as(printed() + failure()).isZero();
        assertThat(printed()).contains(
                "plan      The mover reads table public.events, which has no fence, for rows of these shards (about 1500000 rows)");
        assertThat(reads() - before).isEqualTo(1);

        try (Connection migration = servers.a.connect(this.databases.name())) {
            migration.setAutoCommit(false);
            migration.createStatement().execute("LOCK TABLE events");
            assertTimeoutPreemptively(Duration.ofSeconds(60),
                    () -> assertThat(run("plan", "5", "--to=b", "--patience=1.5", "--config=" + this.config))
                        .isEqualTo(ShardsCommand.UNFINISHED));
            assertThat(printed()).contains(
                    "problem: Table public.events of database a could not be read in time (ERROR: canceling statement due to statement timeout): fence it, or, if its rows are to stay there: COMMENT ON TABLE public.events IS 'shardedid: stays', or give more --patience");
            migration.createStatement().execute("COMMENT ON TABLE events IS 'shardedid: stays'");
            migration.commit();
        }
        assertThat(run("plan", "5", "--to=b", "--patience=1.5", "--config=" + this.config)).isZero();
    }

    @Test
    void namesProcessesThatMakeIdsAndDoNotRoute() {
        String millis = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        this.databases.execute("a",
                """
                        INSERT INTO shardedid_worker (namespace, worker_id, token, fence, lease_until, hwm_tick, owner)
                        SELECT n, w, 't', 1, %s + 30000 * alive, 0, o FROM (VALUES ('default', 0, 1, 'photos vm 17'), ('default', 1, 1, 'cron vm 18'),
                          ('default', 2, -1, 'cron vm 19'), ('other', 3, 1, 'cron vm 20'), ('default', -1, 1, 'layout'), ('default', 4, 1, 'photos vm 1')) v (n, w, alive, o)"""
                    .formatted(millis),
                "INSERT INTO shardedid_router (namespace, process, version_seen, identity_seen, seen_at, lease_until) SELECT 'default', p, 1, 71, %s, %1$s + 600000 FROM unnest(ARRAY['photos vm 17 1a2b3c4d', 'cron vm 20 1a2b3c4d']) p"
                    .formatted(millis));
        assertThat(run("plan", "5", "--to=b", "--config=" + this.config)).isZero();
        assertThat(printed()).contains(
                "warning: Processes make ids and do not route, so no move waits for them, and they find no row of a shard that has moved: processes=[cron vm 18, photos vm 1]; restart them with shardedid.databases.*");

        this.databases.execute("a", "ALTER TABLE shardedid_worker RENAME TO leases");
        assertThat(run("plan", "5", "--to=b", "--config=" + this.config)).isZero();
        assertThat(printed()).contains("Could not look for processes that make ids and do not route: table=");
        assertThat(run("plan", "5", "--to=b", "--config=" + leases())).isZero();
        assertThat(printed()).contains("processes=[cron vm 18, photos vm 1]");
    }

    private Path leases() {
        try {
            return Files.writeString(folder.resolve("leases.properties"),
                    Files.readString(this.config) + "shardedid.worker.lease.table=public.leases\n");
        }
        catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    /** The sink of a warehouse, which leaves out what has an origin. */
    @Test
    void thoseWhoFollowBothDatabasesMayLeaveOutTheMove() {
        for (String database : new String[] { "a", "b" }) {
            this.databases.execute(database, "CREATE PUBLICATION sink FOR TABLE photo");
            this.databases.query(database,
                    "SELECT pg_create_logical_replication_slot('sink_%s', 'pgoutput')".formatted(database));
        }
        try {
            assertThat(run("plan", "5", "--to=b", "--config=" + this.config)).isZero();
            assertThat(printed()).contains(
                    "warning: Others follow tables that move in database a: publications and slots=[sink] (they see the copy as inserts in b, and the deletion as deletes in a); let them leave out changes with a replication origin, as origin = none does",
                    "warning: Others follow tables that move in database b: publications and slots=[sink]")
                .doesNotContain("GRANT EXECUTE");
            assertThat(run("move", "5", "--to=b", "--config=" + this.config)).as(printed() + failure()).isZero();
            assertThat(changes("a", "any")).as("all deletes").isEqualTo("3");
            assertThat(changes("b", "any")).as("all inserts").isEqualTo("3");
            assertThat(changes("a", "none")).isEqualTo("0");
            assertThat(changes("b", "none")).isEqualTo("0");
            this.databases.execute("a", "DELETE FROM photo",
                    "INSERT INTO photo VALUES (%s, 6, 'mine')".formatted(TwoDatabases.id(6, 9)));
            assertThat(changes("a", "none")).as("of the application").isEqualTo("1");
            assertThat(this.databases.query("a",
                    "SELECT count(*) FROM pg_replication_origin WHERE roname LIKE 'shardedid%'"))
                .isEqualTo("0");
        }
        finally {
            for (String database : new String[] { "a", "b" }) {
                this.databases.query(database, "SELECT pg_drop_replication_slot('sink_%s')".formatted(database));
            }
        }
    }

    /** How many rows a slot tells of. */
    private String changes(String database, String origin) {
        return this.databases.query(database,
                "SELECT count(*) FROM pg_logical_slot_peek_binary_changes('sink_%s', NULL, NULL, 'proto_version', '1', 'publication_names', 'sink', 'origin', '%s') WHERE get_byte(data, 0) IN (68, 73, 85)"
                    .formatted(database, origin));
    }

    @Test
    void nothingMovesWhileAnotherSiteWritesTheTables() {
        this.databases.execute("b", "CREATE PUBLICATION site FOR TABLE photo");
        this.databases.query("b", "SELECT pg_create_logical_replication_slot('site', 'pgoutput')");
        this.databases.execute("a",
                "CREATE SUBSCRIPTION site CONNECTION '%s user=postgres' PUBLICATION site WITH (create_slot = false, copy_data = false)"
                    .formatted(new MoveDatabases.Database(servers.b.url(this.databases.name()), "", "", null)
                        .connectionInfo()
                        .replace("'", "''")));
        try {
            assertThat(run("plan", "5", "--to=b", "--config=" + this.config)).isEqualTo(ShardsCommand.UNFINISHED);
            assertThat(printed()).contains(
                    "problem: Subscriptions of others write tables that move in database a: subscriptions=[site] (what they bring does not stop at the fence); drop them, or take the tables out of what they subscribe to");
        }
        finally {
            this.databases.execute("a", "ALTER SUBSCRIPTION site DISABLE", "DROP SUBSCRIPTION site");
            this.databases.execute("b", "DROP PUBLICATION site");
        }
        assertThat(run("plan", "5", "--to=b", "--config=" + this.config)).isZero();
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
        Matcher rights = ACCOUNT.matcher(Files.readString(Path.of("..", "..", "docs", "moving.md")));
        assertThat(rights.find()).isTrue();
        for (String database : new String[] { "a", "b" }) {
            this.databases.execute(database, "CREATE ROLE photos",
                    """
                            DO $$ DECLARE t regclass; BEGIN
                              FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
                                EXECUTE format('ALTER TABLE %s OWNER TO photos', t);
                              END LOOP;
                            END $$""",
                    "SELECT shardedid_fence(t, 'id', 12, 2047) FROM unnest(ARRAY['photo', 'comment']::regclass[]) t",
                    rights.group(1).replace("DATABASE photos", "DATABASE " + this.databases.name()));
        }
        servers.a.askForPassword("mover");
        servers.b.askForPassword("mover");
        MoveDatabases mover = new MoveDatabases(Map.of("a", account(servers.a), "b", account(servers.b)), "a",
                "default", null);
        ShardRanges five = ShardRanges.parse("5");
        String blind = "Account of the mover in database a cannot see the transactions of others, for which it has to wait: GRANT pg_read_all_stats to it";
        this.databases.execute("a", "REVOKE pg_read_all_stats FROM mover");
        assertThat(new ShardMover(mover, TwoDatabases.LIMITS, (progress) -> {
        }).plan(five, "b").problems()).containsExactly(blind);
        this.databases.execute("a", "GRANT pg_read_all_stats TO mover", "CREATE PUBLICATION sink FOR ALL TABLES");
        assertThat(new ShardMover(mover, TwoDatabases.LIMITS, (progress) -> {
        }).plan(five, "b").warnings()).filteredOn((warning) -> warning.startsWith("Others follow"))
            .singleElement()
            .asString()
            .doesNotContain("GRANT");
        this.databases.execute("a", "REVOKE EXECUTE ON FUNCTION pg_replication_origin_create(text) FROM mover");
        assertThat(new ShardMover(mover, TwoDatabases.LIMITS, (progress) -> {
        }).plan(five, "b").warnings()).filteredOn((warning) -> warning.startsWith("Others follow"))
            .singleElement()
            .asString()
            .endsWith(
                    "; the account of the mover may not give its deletion one: GRANT EXECUTE ON FUNCTION pg_replication_origin_create(text), pg_replication_origin_drop(text), pg_replication_origin_session_setup(text), pg_replication_origin_session_reset() TO it");
        this.databases.execute("a", "DROP PUBLICATION sink");
        this.databases.execute("a", "ALTER TABLE comment ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
                "CREATE SCHEMA audit", "CREATE TABLE audit.change (photo_id bigint)",
                "GRANT SELECT ON audit.change TO PUBLIC");
        MovePlan hidden = new ShardMover(mover, TwoDatabases.LIMITS, (progress) -> {
        }).plan(five, "b");
        assertThat(hidden.problems()).containsExactly(
                "Row-level security hides rows of table public.comment in database a from the account of the mover: give it BYPASSRLS");
        assertThat(hidden.warnings()).noneMatch((warning) -> warning.contains("password of database"))
            .contains(
                    "Table audit.change has no fence, and the account of the mover cannot read it: look whether it has rows of these shards, which would stay in database a");
        this.databases.execute("a", "ALTER TABLE comment DISABLE ROW LEVEL SECURITY",
                "REVOKE SET ON PARAMETER log_min_error_statement FROM mover");
        this.databases.execute("b", "REVOKE SET ON PARAMETER log_min_error_statement FROM mover");
        assertThat(new ShardMover(mover, TwoDatabases.LIMITS, (progress) -> {
        }).plan(five, "b").warnings()).contains(
                "Server of database b may write the password of database a into its log or its statistics: GRANT SET ON PARAMETER log_min_error_statement to the account of the mover");

        List<String> heard = new CopyOnWriteArrayList<>();
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> {
            try (Move move = new Move(mover, TwoDatabases.LIMITS, five, (progress) -> heard.add(progress.message()),
                    (database, sql) -> {
                        if (sql.contains("version_seen <")) {
                            this.databases.execute("a", "REVOKE pg_read_all_stats FROM mover");
                        }
                    })) {
                move.move("b");
            }
        }).withMessage(blind + "; then resume");
        assertThat(heard).as("the account may read a slot").contains("The rows are compared that were written lately");
        this.databases.execute("a", "GRANT pg_read_all_stats TO mover");

        AtomicBoolean open = new AtomicBoolean();
        AtomicReference<Connection> reader = new AtomicReference<>();
        AtomicInteger looks = new AtomicInteger();
        try (Move move = new Move(mover, TwoDatabases.LIMITS, five, (progress) -> {
        }, (database, sql) -> {
            try {
                if (sql.contains("version_seen <") && open.compareAndSet(false, true)) {
                    reader.set(servers.a.connect(this.databases.name()));
                    reader.get().setAutoCommit(false);
                    reader.get().createStatement().execute("SELECT FROM photo");
                }
                if (sql.contains("xact_start < ?::timestamptz") && looks.incrementAndGet() == 2) {
                    reader.get().close();
                }
                if (database.equals("a") && sql.startsWith("DELETE FROM ONLY \"public\"")) {
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
                "INSERT INTO comment VALUES (%s, %s, 'of another shard')".formatted(TwoDatabases.id(6, 1), inFive),
                "CREATE UNIQUE INDEX photo_caption ON photo (caption)");
        this.databases.execute("b", "ALTER TABLE photo ADD COLUMN country text",
                "SET session_replication_role = replica",
                "INSERT INTO photo VALUES (%s, 5, 'stray')".formatted(inFive));

        MovePlan plan = this.databases.mover().plan(ShardRanges.parse("5"), "b");

        assertThat(plan.possible()).isFalse();
        assertThat(String.join("\n", plan.problems())).contains(
                "Replica identity of table public.photo lacks column id: make it the primary key, which is not DEFERRABLE, or set REPLICA IDENTITY FULL",
                "Columns of table public.comment differ: a=[id bigint, photo_id bigint, words text, extra text], b=[id bigint, photo_id bigint, words text]; let both have the same",
                "Table public.loose has no fence and foreign key loose_photo_id_fkey to public.photo: fence it, too, or drop the key",
                "Foreign key comment_photo_id_fkey leaves the shards: 1 rows of public.comment and their rows of public.photo would be in two databases",
                "Database b has rows of these shards in table public.photo, though the map says a: find out where they come from, and delete them");
        assertThat(plan.problems()).hasSize(5);
        assertThat(String.join("\n", plan.warnings())).contains(
                "Table public.comment has no index on the shard, so every look reads the whole table: CREATE INDEX CONCURRENTLY ON \"public\".\"comment\" (((\"id\" >> 12) & 2047), \"id\")",
                "Unique keys of table public.photo lack column id: public.photo_caption (the copy stops if the target has an equal key)",
                "Foreign key photo_country_fkey leads to public.country, which does not move: database b has to have the same rows");
        assertThat(run("move", "5", "--to=b", "--config=" + this.config)).isEqualTo(ShardsCommand.REFUSED);
        assertThat(this.err.toString(StandardCharsets.UTF_8))
            .startsWith("Could not move: shards=5, target=b (5 problems); solve them: ");
        assertThat(this.databases.query("a", "SELECT count(*) FROM shardedid_shard WHERE step IS NOT NULL"))
            .isEqualTo("0");
    }

    /**
     * A mover at work, whose copy is done, and whose fence waits for a transaction. It
     * asks both databases at a time, so two threads come by at the same statement.
     */
    @Test
    void saysWhetherAMoverIsAliveAndWhatItWaitsFor() throws Exception {
        String file = "--config=" + this.config;
        AtomicBoolean copies = new AtomicBoolean();
        AtomicBoolean empties = new AtomicBoolean();
        AtomicReference<String> copying = new AtomicReference<>();
        AtomicReference<String> blocked = new AtomicReference<>();
        AtomicReference<String> emptying = new AtomicReference<>();
        try (Move move = this.databases.move(ShardRanges.parse("5"), (database, sql) -> {
            if (sql.contains("hashtextextended") && copies.compareAndSet(false, true)) {
                run("status", file);
                copying.set(printed());
            }
            if (sql.contains("version_seen <") && empties.compareAndSet(false, true)) {
                this.databases.execute("a",
                        "INSERT INTO shardedid_router (namespace, process, version_seen, identity_seen, seen_at, lease_until) VALUES ('default', 'photos-17', 1, 71, 0, 0)");
                assertThat(run("status", file)).as("a mover works on it").isZero();
                emptying.set(printed());
                run("dead", "photos-17", "--yes", file);
            }
        })) {
            move.move("b");
        }
        assertThat(copying.get()).containsPattern("(?m)^Shards 5 move from a to b: stage copy, mover 1 works on it$")
            .containsPattern("(?m)^  copied: 9 of 9 rows, about [1-9]\\d* of [1-9]\\d* kB$")
            .containsPattern("(?m)^  subscription shardedid_\\w{20}: enabled, 0 errors$")
            .containsPattern("(?m)^Slot shardedid_\\w+ in a: active, reserved, keeps \\d+ kB of log$");
        assertThat(emptying.get()).containsPattern("(?m)^Shards 5 move from a to b: stage empty, mover 1 works on it$")
            .contains("  waits for router photos-17, version=1, seen=1970-01-01 00:00:00+00");

        try (Connection writer = servers.b.connect("postgres")) {
            writer.setAutoCommit(false);
            writer.createStatement().execute("SET application_name = 'billing'; SELECT pg_current_xact_id()");
            Thread mover = new Thread(() -> this.databases.mover().move(ShardRanges.parse("5"), "a"));
            mover.start();
            while (blocked.get() == null || !blocked.get().contains("billing")) {
                run("status", file);
                blocked.set(printed());
            }
            writer.rollback();
            mover.join();
        }
        assertThat(blocked.get()).containsPattern(
                "(?m)^  waits for transaction in b: pid=\\d+, user=postgres, application=billing, state=idle in transaction, age=00:00:\\d\\d$");
        assertThat(run("status", file)).isZero();
    }

    @Test
    void saysThatWritersWaitForAMoverThatIsAtWork() throws SQLException {
        String file = "--config=" + this.config;
        AtomicReference<String> waiting = new AtomicReference<>();
        AtomicReference<String> object = new AtomicReference<>();
        AtomicReference<String> tooLong = new AtomicReference<>();
        AtomicBoolean fenced = new AtomicBoolean();
        AtomicBoolean waits = new AtomicBoolean();
        try (Move move = new Move(this.databases.databases(), MoverProcess.PATIENT, ShardRanges.parse("5"),
                (progress) -> {
                }, (database, sql) -> {
                    fenced.compareAndSet(false, sql.contains("SET idle_session_timeout"));
                    if (fenced.get() && sql.contains("FROM public.shardedid_mark WHERE move")
                            && waits.compareAndSet(false, true)) {
                        waiting.set(run("status", "--pause-limit=20", file) + printed());
                        object.set(run("status", "--pause-limit=20", "--json", file) + printed());
                        tooLong.set(run("status", "--pause-limit=0.001", file) + printed());
                    }
                })) {
            move.move("b");
        }
        assertThat(waiting.get()).matches(
                "(?s)0\\QWriters of shards 5 wait in a since \\E\\d{4}-[-\\d]+T[:.\\d]+Z\\Q: a mover is at work, and nothing has to be done\\E\\RShards 5 move from a to b: stage copy, mover 1 works on it\\R.*");
        assertThat(object.get()).startsWith("0").contains("\"refused\":[]", "\"paused\":[{\"database\":\"a\",");
        assertThat(tooLong.get()).startsWith("1WRITES OF SHARDS 5 FAIL in a since ");
    }

    @Test
    void saysFirstWhichWritersAreRefused() throws IOException {
        String file = "--config=" + this.config;
        assertThat(run("status", file)).as(printed()).isEqualTo(ShardsCommand.DONE);
        this.databases.execute("a",
                "UPDATE shardedid_home SET state = 'moved', changed_at = '2026-01-02 03:04:05Z' WHERE shard IN (5, 6)",
                "UPDATE shardedid_shard SET step = 'copy', source = 'a', target = 'b', mover = 7 WHERE shard IN (5, 6)");
        assertThat(run("status", file)).isEqualTo(ShardsCommand.UNFINISHED);
        assertThat(printed().lines().map((line) -> line.replaceFirst("of \\d+ kB", "of N kB"))).containsExactly(
                "WRITES OF SHARDS 5-6 FAIL in a since 2026-01-02T03:04:05Z: state moved; 'resume 5-6' or 'abort 5-6'",
                "Shards 5-6 move from a to b: stage copy, mover 7; no mover works on it: 'resume 5-6' or 'abort 5-6'",
                "  copied: 0 of 9 rows, about 0 of N kB");
        assertThat(run("status", file, "--json")).isEqualTo(ShardsCommand.UNFINISHED);
        assertThat(printed()).contains(
                "\"refused\":[{\"database\":\"a\",\"shards\":\"5-6\",\"since\":\"2026-01-02T03:04:05Z\",\"state\":\"moved\"}]",
                "\"stuck\":\"no mover works on it\"");

        this.databases.execute("a", "UPDATE shardedid_home SET state = 'here'",
                "UPDATE shardedid_shard SET step = NULL, source = NULL, target = NULL");
        assertThat(run("status", file)).isEqualTo(ShardsCommand.UNFINISHED);
        assertThat(printed().lines()).containsExactly("Shards 9 TAKE WRITES IN TWO DATABASES: a, b; 'reconcile 9'",
                "No move is open.");

        this.databases.execute("a", "UPDATE shardedid_home SET state = 'moved' WHERE shard = 9");
        Path gone = Files.writeString(folder.resolve("gone.properties"),
                Files.readString(this.config).replace(servers.b.url(""), "jdbc:postgresql://127.0.0.1:1/"));
        assertThat(run("status", "--config=" + gone)).isEqualTo(ShardsCommand.UNFINISHED);
        assertThat(printed()).startsWith("Could not ask database b: Connection to 127.0.0.1:1 refused");
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
        }).plan(ShardRanges.parse("5"), "b");
        assertThat(plan.problems().stream().sorted().collect(Collectors.joining("\n"))).isEqualTo(
                """
                        Database b has no fence: run 'io/shardedid/shards/shard-fence-postgresql.sql' of the jar of 'shardedid-shards'
                        Database b has no table public.comment: create it
                        Database b has no table public.photo: create it""");
    }

}
