package io.shardedid.cli;

import java.io.PrintStream;
import java.time.Instant;
import java.util.List;

import io.shardedid.ShardedIdException;
import io.shardedid.TimeSource;

/**
 * Reads ids and layouts on the command line:
 * {@code java -jar shardedid-inspector.jar parse 2217813737473025833}. Makes no id. Two
 * commands open connections: one changes a lease table, one compares lease tables.
 *
 * @since 0.1
 */
public final class Inspector {

    static final int DONE = 0;

    /** An id was read that can be none of the layout. */
    static final int DOUBTFUL = 1;

    static final int REFUSED = 2;

    private static final String USAGE = """
            Usage: java -jar shardedid-inspector.jar COMMAND [--json] [--config=FILE] [--KEY=VALUE ...]

              parse ID...       take numbers and UUIDs apart, and say why one can be no id; --form=crockford, base62,
                                or base32, base36, base58, base64 of bwmarrin/snowflake reads ids in that form
              format ID...      write ids in all of these forms
              layout            show the layout
              window FROM TO    show the ids of a time window, two ISO instants; FROM belongs to it, TO does not
              presets           list the layouts by name
              change            change layout, mode, worker ids or place of a lease table, while no process runs:
                                --config=FILE the new keys; --from=FILE the keys of the table that worker ids come from;
                                start it with the driver: java -cp CLASSPATH io.shardedid.cli.Inspector change ...
              regions FILE...   compare the layouts and worker ids of lease tables whose rows meet
              --help            show this text
              --version         show the version

            The layout is configured by the keys of the application, for example --shardedid.layout.preset=many-processes
            --shardedid.epoch=2024-01-01T00:00:00Z, or by its properties file. --layout=NAME takes a layout of the list
            instead, also that of another system, for example --layout=discord. Ends with 0, with 1 if an id is
            doubtful and may not be from before this generator, with 2 if it could not do what was asked.
            """;

    private final PrintStream out;

    private final PrintStream err;

    private final Instant now;

    Inspector(PrintStream out, PrintStream err, Instant now) {
        this.out = out;
        this.err = err;
        this.now = now;
    }

    /**
     * Runs one command and ends the JVM.
     * @param arguments the command, its arguments and options
     */
    public static void main(String[] arguments) {
        Instant now = Instant.ofEpochMilli(TimeSource.system().epochNanos() / 1_000_000);
        System.exit(new Inspector(System.out, System.err, now).run(arguments));
    }

    int run(String... arguments) {
        List<String> words = List.of(arguments);
        if (words.contains("--help")) {
            this.out.print(USAGE);
            return DONE;
        }
        if (words.contains("--version")) {
            this.out.println("shardedid-inspector " + version());
            return DONE;
        }
        try {
            CommandLine line = CommandLine.of(arguments);
            if (line.words().isEmpty()) {
                this.err.print(USAGE);
                return REFUSED;
            }
            InspectorOutput answer = new Commands(line, this.now).run(line.words(), line.options());
            this.out.print(line.json() ? answer.json() : answer.text());
            return answer.doubtful() ? DOUBTFUL : DONE;
        }
        catch (ShardedIdException ex) {
            this.err.println(ex.getMessage());
            return REFUSED;
        }
        catch (IllegalArgumentException ex) {
            this.err.println(ex.getMessage());
            this.err.println();
            this.err.print(USAGE);
            return REFUSED;
        }
    }

    /** The manifest of the jar has it; classes in a folder have none. */
    private static String version() {
        String version = Inspector.class.getPackage().getImplementationVersion();
        return (version != null) ? version : "of an unpacked build";
    }

}
