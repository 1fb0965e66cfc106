package io.shardedid.move;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A mover in a process of its own: URL of a, URL of b, shards, target, a signal that it
 * sends to itself, before which statement: its number, or its point; 0 for none; and the
 * database of the map with its URL. It says "begins" when it starts to move, and ends
 * with 0 when the shards are moved.
 */
final class MoverProcess {

    /** What a mover that is stopped holds, its servers release soon. */
    static final MoveLimits IMPATIENT = new MoveLimits(Duration.ofMillis(700), Duration.ofMillis(200),
            Duration.ofMillis(700), Duration.ofSeconds(5), Duration.ofSeconds(20), Duration.ofSeconds(5));

    /** A busy machine makes a mover expect long pauses, and it would refuse to move. */
    static final MoveLimits PATIENT = TwoDatabases.LIMITS.withPause(Duration.ofSeconds(20));

    static final String KILL = "-KILL";

    static final String STOP = "-STOP";

    /** What a process that was killed exits with. */
    static final int KILLED = 137;

    private MoverProcess() {
    }

    /** Starts a mover, and waits until it begins. */
    static Process start(TwoDatabases databases, String shards, String target, String signal, String before)
            throws IOException {
        Process mover = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-cp",
                System.getProperty("java.class.path"), MoverProcess.class.getName(),
                databases.databases().get("a").url(), databases.databases().get("b").url(), shards, target, signal,
                before, databases.databases().home(), databases.databases().get(databases.databases().home()).url())
            .redirectErrorStream(true)
            .start();
        BufferedReader lines = new BufferedReader(
                new InputStreamReader(mover.getInputStream(), StandardCharsets.UTF_8));
        while (!"begins".equals(lines.readLine())) {
            assertThat(mover.isAlive()).isTrue();
        }
        return mover;
    }

    /** The same statement of another token, name or time counts as the same point. */
    static String point(String database, String sql) {
        return database + ": " + sql.replaceAll("shardedid_[0-9a-f]{20}", "NAME").replaceAll("\\d+", "N");
    }

    /** Sends a signal to a process. */
    static void signal(long pid, String signal) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("sh", "-c", "kill " + signal + " " + pid).start().waitFor()).isZero();
    }

    /** Waits until a process has stopped; returns false if it has ended. */
    static boolean stops(Process process) throws IOException, InterruptedException {
        Path status = Path.of("/proc", String.valueOf(process.pid()), "stat");
        while (process.isAlive()) {
            try {
                String line = Files.readString(status);
                if (line.startsWith("T", line.lastIndexOf(')') + 2)) {
                    return true;
                }
                TimeUnit.MILLISECONDS.sleep(1);
            }
            catch (IOException ex) {
                if (!process.waitFor(10, TimeUnit.SECONDS)) {
                    throw ex;
                }
            }
        }
        return false;
    }

    public static void main(String[] arguments) {
        Map<String, String> urls = new HashMap<>(Map.of("a", arguments[0], "b", arguments[1]));
        urls.put(arguments[6], arguments[7]);
        MoveDatabases databases = new MoveDatabases(
                urls.entrySet()
                    .stream()
                    .collect(Collectors.toMap(Map.Entry::getKey,
                            (url) -> new MoveDatabases.Database(url.getValue(), "postgres", "", null))),
                arguments[6], "default", null);
        String signal = arguments[4];
        String before = arguments[5];
        AtomicInteger statements = new AtomicInteger();
        AtomicInteger met = new AtomicInteger();
        System.out.println("begins");
        try (Move move = new Move(databases, signal.equals(STOP) ? IMPATIENT : PATIENT, ShardRanges.parse(arguments[2]),
                (progress) -> {
                }, (database, sql) -> {
                    boolean here = String.valueOf(statements.incrementAndGet()).equals(before)
                            || point(database, sql).equals(before);
                    if (here && met.incrementAndGet() == 1) {
                        signalItself(signal);
                    }
                })) {
            MoveResult result = move.move(arguments[3]);
            System.out
                .println("pause " + result.pause().toMillis() + " rows " + result.rows() + " statements " + statements);
        }
        catch (SQLException | MoveException ex) {
            System.out.println("failed " + ex);
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }

    private static void signalItself(String signal) {
        try {
            signal(ProcessHandle.current().pid(), signal);
        }
        catch (IOException | InterruptedException ex) {
            Runtime.getRuntime().halt(9);
        }
    }

}
