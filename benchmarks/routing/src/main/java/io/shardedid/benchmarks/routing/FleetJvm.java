package io.shardedid.benchmarks.routing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/**
 * A JVM with a part of the fleet, which answers each line with one line.
 */
final class FleetJvm implements AutoCloseable {

    /** Lines without it are those of a log. */
    static final String ANSWER = "> ";

    /** The level is lost with the last reference to the logger. */
    private static final java.util.logging.Logger DATABASE_CHECK = java.util.logging.Logger
        .getLogger("io.shardedid.internal.lease.jdbc.LeaseDatabaseCheck");

    private final Process process;

    private final BufferedReader output;

    private final PrintStream input;

    FleetJvm(List<String> options, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-Duser.timezone=UTC", "-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        this.process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        this.output = this.process.inputReader(StandardCharsets.UTF_8);
        this.input = new PrintStream(this.process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** Ends this JVM when the one that started it has ended. */
    static void endWithParent() {
        ProcessHandle.current().parent().orElseThrow().onExit().thenRun(() -> Runtime.getRuntime().halt(1));
    }

    /** Spring Boot would set the levels with each of its applications. */
    static void log(Level least) {
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(least);
        java.util.logging.Logger.getLogger("").setLevel(java.util.logging.Level.WARNING);
        // no server of this fleet waits for the disk
        DATABASE_CHECK.setLevel(java.util.logging.Level.SEVERE);
    }

    static void answer(String text) {
        System.out.println(ANSWER + text);
    }

    /** Returns what all of them answer, as soon as all have done so. */
    static List<String> ask(List<FleetJvm> jvms, String line) throws IOException {
        jvms.forEach((jvm) -> jvm.input.println(line));
        List<String> answers = new ArrayList<>();
        for (FleetJvm jvm : jvms) {
            answers.add(jvm.answer());
        }
        return answers;
    }

    String answer() throws IOException {
        while (true) {
            String line = Objects.requireNonNull(this.output.readLine(), "A JVM of the fleet has ended");
            if (line.startsWith(ANSWER)) {
                return line.substring(ANSWER.length());
            }
            System.out.println(line);
        }
    }

    @Override
    public void close() {
        this.input.close();
        this.process.onExit()
            .orTimeout(1, TimeUnit.MINUTES)
            .exceptionally((late) -> this.process.destroyForcibly())
            .join();
    }

}
