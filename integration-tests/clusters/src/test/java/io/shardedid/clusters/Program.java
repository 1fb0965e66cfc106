package io.shardedid.clusters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A program of a cluster, with everything that it starts. Its output is in a file.
 */
final class Program implements AutoCloseable {

    private final Process process;

    private Program(Process process) {
        this.process = process;
    }

    static Program start(Path output, Map<String, String> environment, List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        builder.environment().putAll(environment);
        return new Program(builder.start());
    }

    static void run(Path output, List<String> command) throws Exception {
        int status = start(output, Map.of(), command).process.waitFor();
        if (status != 0) {
            throw new IllegalStateException(
                    "%s ended: status=%s%n%s".formatted(command, status, Files.readString(output)));
        }
    }

    /**
     * PostgreSQL does not run as root, and rsync of a state transfer takes another user
     * then. Both take root for another user there.
     */
    static List<String> notAsRoot(String... command) {
        return Stream
            .concat(System.getProperty("user.name").equals("root") ? Stream.of("unshare", "--user") : Stream.empty(),
                    Stream.of(command))
            .toList();
    }

    /** Sends a signal to a process and to all that it has started. */
    static void signal(String name, ProcessHandle process) {
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(0, process);
        for (ProcessHandle each : all) {
            try {
                new ProcessBuilder("sh", "-c", "kill -" + name + " " + each.pid()).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
            }
            catch (IOException | InterruptedException ex) {
                throw new IllegalStateException("Could not send SIG" + name, ex);
            }
        }
        if (name.equals("KILL")) {
            all.forEach((each) -> each.onExit().join());
        }
    }

    void signal(String name) {
        signal(name, this.process.toHandle());
    }

    /** Waits for something to be true; what fails meanwhile is not true yet. */
    static void await(String what, Duration patience, Callable<Boolean> condition) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        Exception last = null;
        while (System.nanoTime() - end < 0) {
            try {
                if (condition.call()) {
                    return;
                }
            }
            catch (Exception ex) {
                last = ex;
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        throw new AssertionError("Not within " + patience + ": " + what, last);
    }

    @Override
    public void close() {
        signal("KILL");
    }

}
