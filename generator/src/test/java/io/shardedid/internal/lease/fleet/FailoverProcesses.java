package io.shardedid.internal.lease.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import io.shardedid.SeparateJvm;
import io.shardedid.ShardedIds;

/** Processes that make ids while their database fails, and the ids that they leave. */
final class FailoverProcesses implements AutoCloseable {

    private final Path folder;

    private final Map<String, Process> processes = new LinkedHashMap<>();

    FailoverProcesses(Path folder) {
        this.folder = folder;
    }

    /**
     * Starts a process.
     * @param name how it is called here
     * @param arguments what {@link FailoverWorker} takes after the URL and the journal
     */
    void start(String url, String name, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(
                SeparateJvm.command(FailoverWorker.class, ShardedIds.class, org.postgresql.Driver.class));
        command.addAll(List.of(url, journal(name).toString()));
        command.addAll(List.of(arguments));
        this.processes.put(name,
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output(name).toFile()).start());
    }

    private Path journal(String name) {
        return this.folder.resolve(name);
    }

    private Path output(String name) {
        return this.folder.resolve(name + ".out");
    }

    /** Returns the line by which a process says that it makes ids, or why it does not. */
    String awaitStart(String name) throws Exception {
        while (true) {
            for (String line : Files.readAllLines(output(name))) {
                if (line.startsWith("READY") || line.startsWith("REFUSED") || line.startsWith("Exception")) {
                    return line;
                }
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** Waits until a process has made an id that is larger than a number. */
    void awaitIdAbove(String name, long number) throws InterruptedException {
        while (ids(name).noneMatch((id) -> id > number)) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** Kills processes, all without a name. */
    void kill(String... names) throws InterruptedException {
        List<Process> killed = (names.length == 0) ? List.copyOf(this.processes.values())
                : Arrays.stream(names).map(this.processes::get).toList();
        killed.forEach(Process::destroyForcibly);
        for (Process process : killed) {
            process.waitFor();
        }
    }

    /** Returns the ids of processes, all without a name. */
    LongStream ids(String... names) {
        LongStream.Builder ids = LongStream.builder();
        for (String name : (names.length == 0) ? this.processes.keySet() : List.of(names)) {
            if (Files.exists(journal(name))) {
                IdJournal.read(journal(name), (entry) -> Arrays.stream(entry.ids()).forEach(ids::add));
            }
        }
        return ids.build();
    }

    static long equal(long[] ids) {
        return ids.length - Arrays.stream(ids).distinct().count();
    }

    @Override
    public void close() {
        this.processes.values().forEach(Process::destroyForcibly);
    }

}
