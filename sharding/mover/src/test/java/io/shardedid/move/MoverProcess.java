package io.shardedid.move;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A mover in a process of its own: properties, verb, shards, target, and before which
 * statement it kills itself; 0 for none.
 */
final class MoverProcess {

    /** How long a router goes by its map in a storm. */
    static final Duration ROUTERS = Duration.ofSeconds(4);

    private static final Move.Limits LIMITS = new Move.Limits(Duration.ofSeconds(20), Duration.ofSeconds(15), ROUTERS,
            ROUTERS);

    static final int KILLED = 137;

    private MoverProcess() {
    }

    static Process start(TwoDatabases databases, String verb, String shards, String target, int statement)
            throws IOException {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-cp",
                System.getProperty("java.class.path"), MoverProcess.class.getName(), databases.properties(), verb,
                shards, target, String.valueOf(statement))
            .redirectErrorStream(true)
            .start();
    }

    /** What a mover has said when it has ended. */
    static String ended(Process mover) throws IOException, InterruptedException {
        if (!mover.waitFor(120, TimeUnit.SECONDS)) {
            mover.destroyForcibly();
            throw new AssertionError("a mover has not ended");
        }
        return mover.exitValue() + " "
                + new String(mover.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    static ShardMover mover(MoveDatabases databases, Session.Probe probe) {
        return new ShardMover(databases, LIMITS, (result) -> {
        }, probe);
    }

    public static void main(String[] arguments) throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader(arguments[0]));
        int last = Integer.parseInt(arguments[4]);
        AtomicInteger statements = new AtomicInteger();
        ShardMover mover = mover(MoveDatabases.of(properties, Map.of()), (database, sql) -> {
            if (statements.incrementAndGet() == last) {
                Runtime.getRuntime().halt(KILLED);
            }
        });
        String shards = arguments[2];
        try {
            List<MoveResult> results = switch (arguments[1]) {
                case "move" -> mover.move(shards, arguments[3]);
                case "abort" -> mover.abort(shards);
                default -> mover.clean(shards);
            };
            long pause = results.stream().mapToLong((result) -> result.pauseMillis()).max().orElse(0);
            System.out
                .println("%s pause %s statements %s".formatted(results.get(0).outcome(), pause, statements.get()));
        }
        catch (MoveException ex) {
            System.out.println("failed " + ex.getMessage());
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }

}
