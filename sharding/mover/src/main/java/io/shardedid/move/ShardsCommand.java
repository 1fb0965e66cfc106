package io.shardedid.move;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.shardedid.ShardedIdException;
import io.shardedid.TimeSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Moves shards on the command line:
 * {@code java -jar shardedid-shard-move.jar move 1000-1999 --to=b --config=application.properties}.
 * Ends with 0, with 1 if a plan has problems or a move did not come to its end and can go
 * on, and with 2 if the command failed otherwise.
 *
 * @since 0.1
 */
@Command(name = "shards", mixinStandardHelpOptions = true, versionProvider = ShardsCommand.Version.class,
        description = "Moves logical shards from one PostgreSQL database to another while people write to them.",
        subcommands = { ShardsCommand.Plan.class, ShardsCommand.MoveThem.class, ShardsCommand.Resume.class,
                ShardsCommand.Abort.class, ShardsCommand.Reconcile.class, ShardsCommand.Status.class,
                ShardsCommand.Dead.class })
public final class ShardsCommand {

    private static final Pattern PASSWORD = Pattern.compile("SHARDEDID_DATABASES_(.+)_PASSWORD");

    static final int DONE = 0;

    static final int UNFINISHED = 1;

    static final int REFUSED = 2;

    private final PrintStream out;

    private final Map<String, String> environment;

    ShardsCommand(PrintStream out, Map<String, String> environment) {
        this.out = out;
        this.environment = environment;
    }

    /**
     * Runs one command and ends the JVM.
     * @param arguments the command, its arguments and options
     */
    public static void main(String[] arguments) {
        System.exit(run(System.out, System.err, System.getenv(), arguments));
    }

    static int run(PrintStream out, PrintStream err, Map<String, String> environment, String... arguments) {
        CommandLine line = new CommandLine(new ShardsCommand(out, environment));
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        line.setExecutionExceptionHandler((ex, command, parsed) -> {
            if (ex instanceof ShardedIdException failure) {
                err.println(failure.getMessage());
                return (failure instanceof MoveException move && move.unfinished()) ? UNFINISHED : REFUSED;
            }
            throw ex;
        });
        line.setParameterExceptionHandler((ex, all) -> {
            err.printf("%s; see '%s --help'%n", ex.getMessage(), ex.getCommandLine().getCommandSpec().qualifiedName());
            return REFUSED;
        });
        return line.execute(arguments);
    }

    private void print(Map<String, ?> answer) {
        this.out.println(json(answer));
    }

    /** Which rows are compared while writers wait; options have small letters. */
    enum Compared {

        changes, all

    }

    /** What all commands take. */
    abstract static class Common implements Callable<Integer> {

        @CommandLine.ParentCommand
        @Nullable ShardsCommand shards;

        @Option(names = "--config", required = true, paramLabel = "FILE",
                description = "properties of the application: shardedid.databases.*; the environment variable SHARDEDID_DATABASES_<NAME>_PASSWORD counts before the file, where <NAME> has only the letters and digits of the name, or underscores for the others")
        @Nullable Path config;

        @Option(names = "--json", description = "write JSON, one object in a line")
        boolean json;

        @Option(names = "--pause-limit", paramLabel = "SECONDS", defaultValue = "5",
                description = "how long writers of the shards may wait in all (default: ${DEFAULT-VALUE})")
        double pauseLimit;

        @Option(names = "--patience", paramLabel = "SECONDS", defaultValue = "300",
                description = "how long to wait for open transactions or another mover (default: ${DEFAULT-VALUE})")
        double patience;

        @Option(names = "--copy-limit", paramLabel = "SECONDS", defaultValue = "21600",
                description = "how long the copy may take (default: ${DEFAULT-VALUE})")
        double copyLimit;

        @Option(names = "--router-limit", paramLabel = "SECONDS", defaultValue = "1200",
                description = "how long to wait for routers and transactions of the older map (default: ${DEFAULT-VALUE})")
        double routerLimit;

        @Option(names = "--statement-limit", paramLabel = "SECONDS", defaultValue = "30",
                description = "how long a statement may take that neither copies nor compares rows (default: ${DEFAULT-VALUE})")
        double statementLimit;

        @Option(names = "--lock-limit", paramLabel = "SECONDS", defaultValue = "0.5",
                description = "how long one attempt to close the source may hold up writers at first (default: ${DEFAULT-VALUE})")
        double lockLimit;

        @Option(names = "--compare", paramLabel = "ROWS", defaultValue = "changes",
                description = "which rows are compared while writers wait: those that were written since all rows were compared, or all (${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE})")
        Compared compared = Compared.changes;

        ShardsCommand command() {
            return Objects.requireNonNull(this.shards);
        }

        ShardMover mover() {
            return mover(databases());
        }

        MoveDatabases databases() {
            return MoveDatabases.of(properties());
        }

        ShardMover mover(MoveDatabases databases) {
            ShardMover mover = new ShardMover(databases,
                    new MoveLimits(seconds(this.statementLimit), seconds(this.lockLimit), seconds(this.pauseLimit),
                            seconds(this.patience), seconds(this.copyLimit), seconds(this.routerLimit)),
                    this::tell);
            return (this.compared == Compared.all) ? mover.comparingAll() : mover;
        }

        private static Duration seconds(double seconds) {
            return Duration.ofMillis(Math.round(seconds * 1000));
        }

        private Properties properties() {
            Path file = Objects.requireNonNull(this.config);
            Properties properties = new Properties();
            try (InputStream text = Files.newInputStream(file)) {
                properties.load(text);
            }
            catch (IOException ex) {
                throw new MoveException("Could not read the properties: file='%s' (%s); correct --config"
                    .formatted(file, ex.getClass().getSimpleName()), false, ex);
            }
            command().environment.forEach((name, value) -> {
                Matcher variable = PASSWORD.matcher(name);
                if (variable.matches()) {
                    properties.setProperty(
                            "shardedid.databases.%s.password".formatted(database(properties, name, variable.group(1))),
                            value);
                }
            });
            return properties;
        }

        /** Names of variables have neither small letters nor hyphens. */
        private static String database(Properties properties, String variable, String part) {
            Set<String> names = MoveDatabases.names(properties);
            List<String> meant = names.stream().filter((name) -> bare(name).equals(bare(part))).toList();
            if (meant.size() != 1) {
                throw MoveException.refused(
                        "Environment variable must mean one database: variable='%s', meant=%s (databases: %s); correct its name, or unset it"
                            .formatted(variable, meant, names));
            }
            return meant.get(0);
        }

        private static String bare(String name) {
            return name.replaceAll("[^A-Za-z0-9]", "").toUpperCase(Locale.ROOT);
        }

        private void tell(MoveProgress progress) {
            if (this.json) {
                command().print(Map.of("at", now(), "step", progress.step().toString(), "message", progress.message(),
                        "copiedRows", progress.copiedRows(), "totalRows", progress.totalRows(), "rowsPerSecond",
                        progress.rowsPerSecond(), "remainingSeconds",
                        (progress.remaining() != null) ? progress.remaining().toSeconds() : -1L, "expectedPauseMillis",
                        (progress.expectedPause() != null) ? progress.expectedPause().toMillis() : -1L));
                return;
            }
            String rows = (progress.totalRows() == 0) ? ""
                    : " [%s of %s rows%s]".formatted(progress.copiedRows(), progress.totalRows(),
                            (progress.remaining() != null) ? ", %s a second, about %s s left"
                                .formatted(progress.rowsPerSecond(), progress.remaining().toSeconds()) : "");
            command().out.printf("%s %-9s %s%s%n", now(), progress.step(), progress.message(), rows);
        }

        static Instant now() {
            return Instant.now().truncatedTo(ChronoUnit.SECONDS);
        }

        int report(MoveResult result) {
            if (this.json) {
                command().print(Map.of("outcome", result.outcome().name().toLowerCase(Locale.ROOT), "shards",
                        result.shards().toString(), "target", result.target(), "comparedRows", result.rows(),
                        "pauseMillis", result.pause().toMillis(), "version", result.version()));
                return DONE;
            }
            command().out.println(switch (result.outcome()) {
                case MOVED ->
                    "Shards %s are in %s (version %s of the map). %s rows were compared, and writers waited for %s ms."
                        .formatted(result.shards(), result.target(), result.version(), result.rows(),
                                result.pause().toMillis());
                case ALREADY_THERE ->
                    "Shards %s are in %s already. Nothing was done.".formatted(result.shards(), result.target());
                case RECONCILED -> "Shards %s take writes in %s, and no other database has rows of them."
                    .formatted(result.shards(), result.target());
                case ABORTED ->
                    "Shards %s stay in %s. The move is taken back.".formatted(result.shards(), result.source());
            });
            return DONE;
        }

    }

    /** What the commands about some shards take. */
    abstract static class OfShards extends Common {

        @Parameters(paramLabel = "SHARDS",
                description = "a shard, the first and the last one of a range, or several of them: 10,12,14-20")
        @Nullable String range;

        ShardRanges shards() {
            return ShardRanges.parse(String.valueOf(this.range));
        }

    }

    /** What goes on with a move. */
    abstract static class Moving extends OfShards {

        private static final long FIRST_NAP_MILLIS = 1_000;

        private static final long LONGEST_NAP_MILLIS = 60_000;

        @Option(names = "--until-done",
                description = "resume by itself as long as the reason for a failure may pass, and nothing has to be mended")
        boolean untilDone;

        int report(Supplier<MoveResult> attempt) {
            for (long nap = FIRST_NAP_MILLIS;; nap = Math.min(2 * nap, LONGEST_NAP_MILLIS)) {
                try {
                    return report(attempt.get());
                }
                catch (MoveException ex) {
                    if (!this.untilDone || !ex.retryable() || Thread.currentThread().isInterrupted()) {
                        throw ex;
                    }
                    if (this.json) {
                        command().print(Map.of("at", now(), "failure", String.valueOf(ex.getMessage())));
                    }
                    else {
                        command().out.printf("%s %s%n", now(), ex.getMessage());
                    }
                    TimeSource.system().park(nap * 1_000_000);
                }
            }
        }

    }

    /** Says what a move would do. */
    @Command(name = "plan", mixinStandardHelpOptions = true,
            description = "Lists everything that prevents a move, its rows, and the expected pause.")
    static final class Plan extends OfShards {

        @Option(names = "--to", required = true, paramLabel = "DATABASE", description = "where the shards are to go")
        String target = "";

        @Override
        public Integer call() {
            MovePlan plan = mover().plan(shards(), this.target);
            if (this.json) {
                command().print(Map.of("shards", plan.shards().toString(), "source", plan.source(), "target",
                        plan.target(), "problems", plan.problems(), "warnings", plan.warnings(), "tables",
                        plan.tables()
                            .stream()
                            .map((table) -> Map.of("name", table.name(), "rows", table.rows(), "bytes", table.bytes()))
                            .toList(),
                        "expectedPauseMillis", plan.expectedPause().toMillis()));
            }
            else if (plan.source().equals(plan.target())) {
                command().out.printf("Shards %s are in %s already. There is nothing to move.%n", plan.shards(),
                        plan.target());
            }
            else {
                PrintStream out = command().out;
                out.printf("Shards %s move from %s to %s.%n", plan.shards(), plan.source(), plan.target());
                plan.tables()
                    .forEach((table) -> out.printf("  %s: %s rows, about %s kB%n", table.name(), table.rows(),
                            table.bytes() / 1024));
                out.printf("Writers of these shards would wait for about %s ms.%n", plan.expectedPause().toMillis());
                plan.warnings().forEach((warning) -> out.println("warning: " + warning));
                plan.problems().forEach((problem) -> out.println("problem: " + problem));
                out.println(plan.possible() ? "Nothing prevents the move." : "The move is not possible yet.");
            }
            return plan.possible() ? DONE : UNFINISHED;
        }

    }

    /** Moves shards. */
    @Command(name = "move", mixinStandardHelpOptions = true, description = "Moves shards, or goes on with their move.")
    static final class MoveThem extends Moving {

        @Option(names = "--to", required = true, paramLabel = "DATABASE", description = "where the shards are to go")
        String target = "";

        @Override
        public Integer call() {
            ShardMover mover = mover();
            return report(() -> mover.move(shards(), this.target));
        }

    }

    /** Goes on with a move. */
    @Command(name = "resume", mixinStandardHelpOptions = true,
            description = "Goes on with a move that was not finished.")
    static final class Resume extends Moving {

        @Override
        public Integer call() {
            ShardMover mover = mover();
            return report(() -> mover.resume(shards()));
        }

    }

    /** Takes a move back. */
    @Command(name = "abort", mixinStandardHelpOptions = true,
            description = "Takes a move back, as long as its stage is 'copy'.")
    static final class Abort extends OfShards {

        @Override
        public Integer call() {
            return report(mover().abort(shards()));
        }

    }

    /** Lets shards take writes where the map says, and nowhere else. */
    @Command(name = "reconcile", mixinStandardHelpOptions = true,
            description = "Where no move is open, lets shards take writes in the database that the map names and in no other, and deletes copies that an aborted move has left.")
    static final class Reconcile extends OfShards {

        @Override
        public Integer call() {
            return report(mover().reconcile(shards()));
        }

    }

    /** Declares a router dead. */
    @Command(name = "dead", mixinStandardHelpOptions = true,
            description = "Names a process dead that routes by the map, so that no mover waits for its lease to pass.")
    static final class Dead extends Common {

        @Parameters(paramLabel = "PROCESS", description = "the name of the router, as the mover and 'status' print it")
        String process = "";

        @Option(names = "--yes",
                description = "do it; without this option the command says what happens if the process lives")
        boolean yes;

        @Override
        public Integer call() {
            if (!this.yes) {
                command().out.printf(
                        """
                                Movers would not wait for %s any more, and delete rows that it may still look for.
                                If it lives, it reads and writes by its map until it looks at the table the next time, and after a standstill it looks first.
                                Until then it may find no row of a shard that has moved, and change none. No row is lost.
                                End the process, and repeat this command with --yes.
                                """,
                        this.process);
                return UNFINISHED;
            }
            mover().nameDead(this.process);
            command().out.printf("No mover waits for %s any more.%n", this.process);
            return DONE;
        }

    }

    /** Says which writes fail, and lists what is not finished. */
    @Command(name = "status", mixinStandardHelpOptions = true,
            description = "Says which writes fail, and lists the moves that are not finished, and the replication slots of moves.")
    static final class Status extends Common {

        @Override
        public Integer call() {
            MoveDatabases databases = databases();
            MoveStatus status = mover(databases).status();
            if (this.json) {
                command().print(json(status));
            }
            else {
                print(status, databases.namespace());
            }
            return status.well() ? DONE : UNFINISHED;
        }

        private static Map<String, ?> json(MoveStatus status) {
            return Map.of("refused", refused(status.refused()), "paused", refused(status.paused()), "twice",
                    status.twice()
                        .stream()
                        .map((twice) -> Map.of("shards", twice.shards().toString(), "databases", twice.databases()))
                        .toList(),
                    "moves",
                    status.moves()
                        .stream()
                        .map((move) -> Map.of("shards", move.shards().toString(), "source", move.source(), "target",
                                move.target(), "stage", move.stage(), "mover", move.mover(), "alive", move.alive(),
                                "waitsFor", move.waitsFor(), "copy", copy(move.copy()), "subscription",
                                subscription(move.subscription()), "stuck", text(move.stuck())))
                        .toList(),
                    "slots",
                    status.slots()
                        .stream()
                        .map((slot) -> Map.of("database", slot.database(), "name", slot.name(), "active", slot.active(),
                                "state", slot.state(), "retainedBytes", slot.retainedBytes(), "wanted", slot.wanted()))
                        .toList(),
                    "unknown", status.unknown(), "problems", status.problems());
        }

        private static List<?> refused(List<MoveStatus.Refused> all) {
            return all.stream()
                .map((refused) -> Map.of("shards", refused.shards().toString(), "database", refused.database(), "state",
                        refused.state(), "since", text(refused.since())))
                .toList();
        }

        private static Map<String, ?> copy(MoveStatus.@Nullable Copy copy) {
            return (copy != null) ? Map.of("rows", copy.rows(), "totalRows", copy.totalRows(), "bytes", copy.bytes(),
                    "totalBytes", copy.totalBytes()) : Map.of();
        }

        private static Map<String, ?> subscription(MoveStatus.@Nullable Subscription subscription) {
            return (subscription != null) ? Map.of("name", subscription.name(), "enabled", subscription.enabled(),
                    "errors", subscription.errors()) : Map.of();
        }

        private static String text(@Nullable Object value) {
            return (value != null) ? value.toString() : "";
        }

        private void print(MoveStatus status, String namespace) {
            PrintStream out = command().out;
            status.refused()
                .forEach((refused) -> out.printf("WRITES OF SHARDS %s FAIL in %s%s: state %s; %s%n", refused.shards(),
                        refused.database(), (refused.since() != null) ? " since " + refused.since() : "",
                        refused.state(), cure(refused, status)));
            status.paused()
                .forEach((paused) -> out.printf(
                        "Writers of shards %s wait in %s since %s: a mover is at work, and nothing has to be done%n",
                        paused.shards(), paused.database(), paused.since()));
            status.twice()
                .forEach((twice) -> out.printf("Shards %s TAKE WRITES IN TWO DATABASES: %s; 'reconcile %1$s'%n",
                        twice.shards(), String.join(", ", twice.databases())));
            status.unknown().forEach((database) -> out.println("Could not ask database " + database));
            status.problems().forEach(out::println);
            status.moves().forEach(this::print);
            status.slots()
                .forEach((slot) -> out.printf("Slot %s in %s: %s, %s, keeps %s kB of log%s%n", slot.name(),
                        slot.database(), slot.active() ? "active" : "inactive", slot.state(),
                        slot.retainedBytes() / 1024,
                        slot.wanted() ? ""
                                : "; no move of namespace '%s' needs it: SELECT pg_drop_replication_slot('%s')"
                                    .formatted(namespace, slot.name())));
            if (status.moves().isEmpty()) {
                out.println("No move is open.");
            }
        }

        private void print(MoveStatus.OpenMove move) {
            PrintStream out = command().out;
            out.printf("Shards %s move from %s to %s: stage %s, mover %s%s%s%n", move.shards(), move.source(),
                    move.target(), move.stage(), move.mover(), move.alive() ? " works on it" : "",
                    (move.stuck() != null) ? "; " + move.stuck() + ": " + commands(move) : "");
            MoveStatus.Copy copy = move.copy();
            if (copy != null) {
                out.printf("  copied: %s of %s rows, about %s of %s kB%n", copy.rows(), copy.totalRows(),
                        copy.bytes() / 1024, copy.totalBytes() / 1024);
            }
            else if (move.stage().equals("copy")) {
                out.println("  copied: unknown, the rows could not be counted in both databases in time");
            }
            MoveStatus.Subscription subscription = move.subscription();
            if (subscription != null) {
                out.printf("  subscription %s: %s, %s errors%n", subscription.name(),
                        subscription.enabled() ? "enabled" : "disabled", subscription.errors());
            }
            move.waitsFor().forEach((each) -> out.println("  waits for " + each));
        }

        private static String cure(MoveStatus.Refused refused, MoveStatus status) {
            return status.moves()
                .stream()
                .filter((move) -> move.shards().contains(refused.shards().first()))
                .findFirst()
                .map(Status::commands)
                .orElseGet(() -> "no move of them is open: " + switch (refused.state()) {
                    case "moved" -> "'reconcile %s'".formatted(refused.shards());
                    case "arriving" ->
                        "if that database has their rows, run there: UPDATE shardedid_home SET state = 'moved' WHERE shard BETWEEN %s AND %s AND state = 'arriving'; then 'reconcile %s'"
                            .formatted(refused.shards().first(), refused.shards().last(), refused.shards());
                    default -> "call shardedid_homes(shards) there";
                });
        }

        private static String commands(MoveStatus.OpenMove move) {
            return move.stage().equals("copy") ? "'resume %1$s' or 'abort %1$s'".formatted(move.shards())
                    : "'resume %s'".formatted(move.shards());
        }

    }

    /** The version of the jar. */
    static final class Version implements CommandLine.IVersionProvider {

        @Override
        public String[] getVersion() {
            String version = ShardsCommand.class.getPackage().getImplementationVersion();
            return new String[] { "shardedid-shard-move " + ((version != null) ? version : "unknown") };
        }

    }

    private static String json(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet()
                .stream()
                .map((entry) -> json(String.valueOf(entry.getKey())) + ":" + json(entry.getValue()))
                .sorted()
                .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(ShardsCommand::json).collect(Collectors.joining(",", "[", "]"));
        }
        if (value instanceof Number || value instanceof Boolean) {
            return value.toString();
        }
        StringBuilder text = new StringBuilder("\"");
        value.toString().chars().forEach((letter) -> {
            if (Character.isISOControl(letter) || letter == '"' || letter == '\\') {
                text.append("\\u%04x".formatted(letter));
            }
            else {
                text.append((char) letter);
            }
        });
        return text.append('"').toString();
    }

}
