package io.shardedid.move;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.shardedid.ShardedIdException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Moves shards on the command line:
 * {@code java -jar shardedid-shard-move.jar move 1000-1999 --to=b --config=application.properties}.
 * Ends with 0, with 1 if a plan has problems or something is left to be done, and with 2
 * if the command was refused.
 *
 * @since 0.1
 */
@Command(name = "shards", mixinStandardHelpOptions = true, versionProvider = ShardsCommand.Version.class,
        description = "Moves logical shards from one PostgreSQL database to another, one after the other.",
        subcommands = { ShardsCommand.Plan.class, ShardsCommand.MoveThem.class, ShardsCommand.Clean.class,
                ShardsCommand.Abort.class, ShardsCommand.Status.class })
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

    /** What all commands take. */
    abstract static class Common implements Callable<Integer> {

        @CommandLine.ParentCommand
        @Nullable ShardsCommand shards;

        @Option(names = "--config", required = true, paramLabel = "FILE",
                description = "properties of the application: shardedid.databases.*; the environment variable SHARDEDID_DATABASES_<NAME>_PASSWORD counts before the file, where <NAME> has only the letters and digits of the name, or underscores for the others")
        @Nullable Path config;

        @Option(names = "--json", description = "write JSON, one object in a line")
        boolean json;

        @Option(names = "--pause-limit", paramLabel = "SECONDS", defaultValue = "60",
                description = "how long the writers of one shard may be refused (default: ${DEFAULT-VALUE})")
        double pauseLimit;

        @Option(names = "--patience", paramLabel = "SECONDS", defaultValue = "60",
                description = "how long to wait for open transactions of a shard (default: ${DEFAULT-VALUE})")
        double patience;

        @Option(names = "--after", paramLabel = "SECONDS", defaultValue = "86400",
                description = "how long old rows stay after a move (default: ${DEFAULT-VALUE}, at least 600)")
        double after;

        PrintStream out() {
            return Objects.requireNonNull(this.shards).out;
        }

        ShardMover mover() {
            return new ShardMover(MoveDatabases.of(properties()),
                    new MoveLimits(seconds(this.pauseLimit), seconds(this.patience), seconds(this.after)), this::tell);
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
            Objects.requireNonNull(this.shards).environment.forEach((name, value) -> {
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

        private void tell(MoveResult result) {
            if (this.json) {
                out().println(json(Map.of("shard", result.shard(), "outcome",
                        result.outcome().name().toLowerCase(Locale.ROOT), "source", result.source(), "target",
                        result.target(), "rows", result.rows(), "pauseMillis", result.pause().toMillis(), "problems",
                        result.problems(), "warnings", result.warnings())));
                return;
            }
            result.warnings().forEach((warning) -> out().println("warning: " + warning));
            result.problems().forEach((problem) -> out().println("problem: " + problem));
            out().println(switch (result.outcome()) {
                case POSSIBLE ->
                    "Shard %s can move from %s to %s: %s rows; its writers would be refused for about %s ms.".formatted(
                            result.shard(), result.source(), result.target(), result.rows(), result.pause().toMillis());
                case PREVENTED -> "Shard %s cannot move from %s to %s yet.".formatted(result.shard(), result.source(),
                        result.target());
                case MOVED -> "Shard %s is in %s: %s rows; its writers were refused for %s ms."
                    .formatted(result.shard(), result.target(), result.rows(), result.pause().toMillis());
                case THERE -> "Shard %s is in %s. Nothing was done.".formatted(result.shard(), result.target());
                case CLEANED -> "Shard %s has no old rows in %s any more: %s were deleted.".formatted(result.shard(),
                        result.source(), result.rows());
                case ABORTED -> "Shard %s stays in %s. The move to %s is taken back.".formatted(result.shard(),
                        result.source(), result.target());
            });
        }

    }

    /** What the commands about some shards take. */
    abstract static class OfShards extends Common {

        @Parameters(paramLabel = "SHARDS",
                description = "a shard, the first and the last one of a range, or several of them: 10,12,14-20")
        @Nullable String range;

        ShardRanges range() {
            return ShardRanges.parse(String.valueOf(this.range));
        }

    }

    /** Says what a move would do. */
    @Command(name = "plan", mixinStandardHelpOptions = true,
            description = "Names what prevents a move, and measures it: makes the real copy, and rolls it back.")
    static final class Plan extends OfShards {

        @Option(names = "--to", required = true, paramLabel = "DATABASE", description = "where the shards are to go")
        String target = "";

        @Override
        public Integer call() {
            return mover().plan(range(), this.target)
                .stream()
                .anyMatch((result) -> result.outcome() == MoveResult.Outcome.PREVENTED) ? UNFINISHED : DONE;
        }

    }

    /** Moves shards. */
    @Command(name = "move", mixinStandardHelpOptions = true,
            description = "Moves shards one after the other, or goes on with their move.")
    static final class MoveThem extends OfShards {

        @Option(names = "--to", required = true, paramLabel = "DATABASE", description = "where the shards are to go")
        String target = "";

        @Override
        public Integer call() {
            mover().move(range(), this.target);
            return DONE;
        }

    }

    /** Deletes old rows. */
    @Command(name = "clean", mixinStandardHelpOptions = true,
            description = "Deletes the old rows of shards that have moved, if they are those that were copied.")
    static final class Clean extends OfShards {

        @Override
        public Integer call() {
            mover().clean(range());
            return DONE;
        }

    }

    /** Takes moves back. */
    @Command(name = "abort", mixinStandardHelpOptions = true,
            description = "Takes moves back that the map does not show yet.")
    static final class Abort extends OfShards {

        @Override
        public Integer call() {
            mover().abort(range());
            return DONE;
        }

    }

    /** Says which shards need a command. */
    @Command(name = "status", mixinStandardHelpOptions = true,
            description = "Says which shards need a command, and which one.")
    static final class Status extends Common {

        @Override
        public Integer call() {
            MoveStatus status = mover().status();
            if (this.json) {
                out().println(json(Map.of("needs",
                        status.needs()
                            .stream()
                            .map((need) -> Map.of("shards", need.shards().toString(), "what", need.what(), "command",
                                    need.commands()))
                            .toList(),
                        "mover", status.mover(), "problems", status.problems())));
                return status.well() ? DONE : UNFINISHED;
            }
            status.problems().forEach((problem) -> out().println("problem: " + problem));
            status.needs()
                .forEach((need) -> out().printf("Shards %s %s: %s%n", need.shards(), need.what(), need.commands()));
            if (!status.mover().isEmpty()) {
                out().println("A mover is at work: " + status.mover());
            }
            if (status.problems().isEmpty() && status.needs().isEmpty()) {
                out().println("Nothing is left to be done.");
            }
            return status.well() ? DONE : UNFINISHED;
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
        if (value instanceof Number) {
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
