package io.shardedid.internal.lease.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.shardedid.SeparateJvm;
import io.shardedid.ShardedIds;
import io.shardedid.testdb.TestDatabase;

/**
 * One JVM that runs {@link FleetWorker}, and what it leaves behind.
 */
final class FleetProcess {

    private final Process process;

    private final Path journals;

    private final Path output;

    final long startedMillis = System.currentTimeMillis();

    private FleetProcess(Process process, Path journals, Path output) {
        this.process = process;
        this.journals = journals;
        this.output = output;
    }

    /**
     * Starts one.
     * @param launch what to start
     * @param folder where it writes
     * @param name a name of its own
     */
    static FleetProcess start(Launch launch, Path folder, String name) {
        Path journals = folder.resolve(name);
        Path output = folder.resolve(name + ".out");
        List<String> command = SeparateJvm.command(FleetWorker.class, ShardedIds.class, org.postgresql.Driver.class,
                com.mysql.cj.jdbc.Driver.class);
        command.addAll(List.of(launch.database().url(), launch.database().user(), launch.namespace(),
                String.valueOf(launch.windowMillis()), journals.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(launch.environment());
        try {
            return new FleetProcess(builder.start(), journals, output);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * What a process is told.
     *
     * @param database where its leases and rows are, without a password
     * @param namespace of the lease table
     * @param windowMillis how long a lease lasts
     * @param environment additional variables
     */
    record Launch(TestDatabase database, String namespace, long windowMillis, Map<String, String> environment) {
    }

    boolean alive() {
        return this.process.isAlive();
    }

    boolean ready() {
        return said("READY ");
    }

    boolean said(String word) {
        return lines().stream().anyMatch((line) -> line.startsWith(word));
    }

    List<String> lines() {
        try {
            return Files.readAllLines(this.output);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    void signal(String name) {
        Signals.send(name, this.process.pid());
    }

    void awaitEnd() {
        try {
            this.process.waitFor();
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads what its threads were handed, as far as they wrote it. */
    void read(Consumer<IdJournal.Entry> reader) {
        for (String thread : List.of(".made", ".inserted")) {
            Path journal = Path.of(this.journals + thread);
            if (Files.exists(journal)) {
                IdJournal.read(journal, reader);
            }
        }
    }

}
