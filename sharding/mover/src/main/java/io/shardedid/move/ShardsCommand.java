package io.shardedid.move;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;

import io.shardedid.ShardedIdException;
import io.shardedid.shards.JdbcShardDirectory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/**
 * Moves shards on the command line:
 * {@code java -jar shardedid-shard-move.jar move 1000-1999 --to=b --config=application.properties}.
 * Ends with 0, with 1 if a plan has problems or something is left to be done, and with 2
 * if the command was refused.
 *
 * @since 0.1
 */
@Command(name = "shards",
        description = "Moves logical shards from one PostgreSQL database to another, one after the other.")
public final class ShardsCommand {

    static final int DONE = 0;

    static final int UNFINISHED = 1;

    static final int REFUSED = 2;

    private static final String SHARDS = "a shard, the first and the last one of a range, or several of them: 10,12,14-20";

    private static final String TO = "where the shards are to go";

    @Option(names = "--config", required = true, paramLabel = "FILE", scope = ScopeType.INHERIT,
            description = "properties of the application: shardedid.databases.*; the environment variable SHARDEDID_DATABASES_<NAME>_PASSWORD counts before the file")
    Path config = Path.of("");

    @Option(names = "--json", scope = ScopeType.INHERIT, description = "write JSON, one object in a line")
    boolean json;

    @Option(names = "--pause-limit", paramLabel = "SECONDS", defaultValue = "60", scope = ScopeType.INHERIT,
            description = "how long the writers of one shard may be refused (default: ${DEFAULT-VALUE})")
    int pauseLimit;

    @Option(names = "--patience", paramLabel = "SECONDS", defaultValue = "60", scope = ScopeType.INHERIT,
            description = "how long to wait for open transactions of a shard (default: ${DEFAULT-VALUE})")
    int patience;

    @Option(names = "--after", paramLabel = "SECONDS", defaultValue = "86400", scope = ScopeType.INHERIT,
            description = "how long old rows stay after a move (default: ${DEFAULT-VALUE}, at least 600)")
    int after;

    @Option(names = { "-h", "--help" }, usageHelp = true, scope = ScopeType.INHERIT, description = "show this help")
    boolean help;

    private final PrintStream out;

    private final Map<String, String> environment;

    private ShardsCommand(PrintStream out, Map<String, String> environment) {
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

    /**
     * Runs one command.
     * @param out where results go
     * @param err where it is said why a command was refused
     * @param environment variables, which may have passwords of databases
     * @param arguments the command, its arguments and options
     * @return 0, or 1 if something is left to be done, or 2 if the command was refused
     */
    public static int run(PrintStream out, PrintStream err, Map<String, String> environment, String... arguments) {
        CommandLine line = new CommandLine(new ShardsCommand(out, environment));
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        line.setExecutionExceptionHandler((ex, command, parsed) -> {
            if (ex instanceof ShardedIdException) {
                err.println(ex.getMessage());
                return (ex instanceof MoveException move && move.retryable()) ? UNFINISHED : REFUSED;
            }
            throw ex;
        });
        return line.execute(arguments);
    }

    @Command(description = "Names what prevents a move, and measures it: makes the real copy, and rolls it back.")
    int plan(@Parameters(paramLabel = "SHARDS", description = SHARDS) String shards,
            @Option(names = "--to", required = true, paramLabel = "DATABASE", description = TO) String target) {
        return mover().plan(shards, target).stream().allMatch((result) -> result.problems().isEmpty()) ? DONE
                : UNFINISHED;
    }

    @Command(description = "Moves shards one after the other, or goes on with their move.")
    void move(@Parameters(paramLabel = "SHARDS", description = SHARDS) String shards,
            @Option(names = "--to", required = true, paramLabel = "DATABASE", description = TO) String target) {
        mover().move(shards, target);
    }

    @Command(description = "Deletes the old rows of shards that have moved, if they are those that were copied.")
    void clean(@Parameters(paramLabel = "SHARDS", description = SHARDS) String shards) {
        mover().clean(shards);
    }

    @Command(description = "Takes moves back that the map does not show yet.")
    void abort(@Parameters(paramLabel = "SHARDS", description = SHARDS) String shards) {
        mover().abort(shards);
    }

    @Command(description = "Says which shards need a command, and which one.")
    int status() {
        ShardMover.Status status = mover().status();
        if (this.json) {
            this.out.println(json(status));
            return status.well() ? DONE : UNFINISHED;
        }
        status.problems().forEach((problem) -> this.out.println("problem: " + problem));
        status.needs()
            .forEach((need) -> this.out.printf("Shards %s %s: %s%n", need.shards(), need.what(), need.command()));
        if (!status.mover().isEmpty()) {
            this.out.println("A mover is at work: " + status.mover());
        }
        else if (status.needs().isEmpty() && status.problems().isEmpty()) {
            this.out.println("Nothing is left to be done.");
        }
        return status.well() ? DONE : UNFINISHED;
    }

    private ShardMover mover() {
        Properties properties = new Properties();
        try (InputStream text = Files.newInputStream(this.config)) {
            properties.load(text);
        }
        catch (IOException ex) {
            throw MoveException.refused("Could not read the properties: file='%s' (%s); correct --config"
                .formatted(this.config, ex.getClass().getSimpleName()));
        }
        Move.Limits limits = new Move.Limits(Duration.ofSeconds(this.pauseLimit), Duration.ofSeconds(this.patience),
                Duration.ofSeconds(this.after), JdbcShardDirectory.ROUTER_LIMIT);
        return new ShardMover(MoveDatabases.of(properties, this.environment), limits, this::tell, (database, sql) -> {
        });
    }

    private void tell(MoveResult result) {
        result.problems()
            .stream()
            .filter((problem) -> !this.json)
            .forEach((problem) -> this.out.println("problem: " + problem));
        this.out.println(this.json ? json(result) : result.text());
    }

    /** Writes a record, a list, a number or a text. */
    private static String json(@Nullable Object value) {
        if (value instanceof Record) {
            return Arrays.stream(value.getClass().getRecordComponents()).map((part) -> {
                try {
                    return json(part.getName()) + ":" + json(part.getAccessor().invoke(value));
                }
                catch (ReflectiveOperationException ex) {
                    throw new IllegalStateException(ex);
                }
            }).collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(ShardsCommand::json).collect(Collectors.joining(",", "[", "]"));
        }
        if (value instanceof Number) {
            return value.toString();
        }
        return String.valueOf(value)
            .chars()
            .mapToObj((letter) -> Character.isISOControl(letter) || letter == '"' || letter == '\\'
                    ? String.format(Locale.ROOT, "\\u%04x", letter) : Character.toString(letter))
            .collect(Collectors.joining("", "\"", "\""));
    }

}
