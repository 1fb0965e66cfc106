package io.shardedid.tck;

import java.io.DataOutputStream;
import java.io.DataInputStream;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.TimeSource;
import io.shardedid.worker.LeaseSettings;
import io.shardedid.worker.WorkerLeases;
import org.jspecify.annotations.Nullable;

/**
 * Processes that make ids from leases of one store while they are killed, stopped and
 * continued. Each process writes the ids that it has made to a file, and {@link #end()}
 * compares all of them. The processes end with the one that started them. Used by one
 * thread.
 *
 * @since 0.1
 */
public final class LeaseFleet {

    private static final int BATCH = 64;

    private final Class<? extends Source> source;

    private final String address;

    private final Path folder;

    private final List<Process> processes = new ArrayList<>();

    private int started;

    /**
     * Creates a fleet that has not started.
     * @param source how a process comes by its leases; a class with a constructor without
     * parameters
     * @param address what the source needs to know
     * @param folder for the files of the processes, empty
     */
    public LeaseFleet(Class<? extends Source> source, String address, Path folder) {
        this.source = source;
        this.address = address;
        this.folder = folder;
    }

    /** How a process of the fleet comes by its leases. */
    @FunctionalInterface
    public interface Source {

        /**
         * Opens the source of worker ids, in a process of the fleet.
         * @param address what was given to the fleet
         * @param settings the namespace and the times, to which the source may add
         * @return the source
         */
        WorkerLeases open(String address, LeaseSettings.Builder settings);

    }

    /**
     * What a fleet has done.
     *
     * @param ids how many ids were made
     * @param duplicates how many of them were made twice
     * @param batches when ids were made, in order, to the millisecond
     */
    public record Outcome(long ids, long duplicates, List<Instant> batches) {

        /**
         * Returns how long it took until there were ids again.
         * @param event when something happened
         * @return the time from the event to the first ids after it
         * @throws AssertionError if there were none
         */
        public Duration until(Instant event) {
            return this.batches.stream()
                .filter((batch) -> batch.isAfter(event))
                .findFirst()
                .map((batch) -> Duration.between(event, batch))
                .orElseThrow(() -> new AssertionError("No ids were made after " + event));
        }

    }

    /**
     * Starts processes.
     * @param number how many
     * @throws IOException if a process cannot be started
     */
    public void start(int number) throws IOException {
        for (int i = 0; i < number; i++) {
            this.processes.add(spawn());
        }
    }

    private Process spawn() throws IOException {
        Path file = this.folder.resolve("ids-" + this.started++);
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
                "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp", System.getProperty("java.class.path"),
                Worker.class.getName(), this.source.getName(), this.address, file.toString())
            .redirectErrorStream(true)
            .redirectOutput(file.resolveSibling(file.getFileName() + ".log").toFile())
            .start();
    }

    /**
     * Kills, stops and continues processes for a while, and starts others in the place of
     * those that were killed.
     * @param length how long
     * @param seed of the random choices
     * @throws IOException if a process cannot be started
     */
    public void disturb(Duration length, long seed) throws IOException {
        Random random = new Random(seed);
        long end = TimeSource.system().nanoTime() + length.toNanos();
        while (TimeSource.system().nanoTime() - end < 0) {
            int at = random.nextInt(this.processes.size());
            Process process = this.processes.get(at);
            if (random.nextInt(3) == 0) {
                kill(process);
                this.processes.set(at, spawn());
                pause(500 + random.nextInt(1_000));
            }
            else {
                signal(process, "STOP");
                pause(200 + random.nextInt(2_500));
                signal(process, "CONT");
            }
        }
    }

    /**
     * Lets the fleet run undisturbed.
     * @param length how long
     */
    public void run(Duration length) {
        pause(length.toMillis());
    }

    private static void signal(Process process, String name) throws IOException {
        wait(new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start());
    }

    private static void kill(Process process) {
        wait(process.destroyForcibly());
    }

    private static void wait(Process process) {
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private static void pause(long millis) {
        long end = TimeSource.system().nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = end - TimeSource.system().nanoTime(); left > 0; left = end - TimeSource.system().nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /**
     * Kills all processes and compares their ids.
     * @return what the fleet has done
     * @throws IOException if a file cannot be read
     */
    public Outcome end() throws IOException {
        this.processes.forEach(LeaseFleet::kill);
        long[] ids = new long[0];
        List<Instant> batches = new ArrayList<>();
        for (int file = 0; file < this.started; file++) {
            ids = read(this.folder.resolve("ids-" + file), ids, batches);
        }
        Arrays.sort(ids);
        long duplicates = 0;
        for (int i = 1; i < ids.length; i++) {
            duplicates += (ids[i] == ids[i - 1]) ? 1 : 0;
        }
        batches.sort(null);
        return new Outcome(ids.length, duplicates, List.copyOf(batches));
    }

    /** The last batch of a process that was killed may be incomplete. */
    private static long[] read(Path file, long[] before, List<Instant> batches) throws IOException {
        if (!Files.exists(file)) {
            return before;
        }
        int complete = (int) (Files.size(file) / (8L * (BATCH + 1)));
        long[] ids = Arrays.copyOf(before, before.length + complete * BATCH);
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            for (int batch = 0; batch < complete; batch++) {
                batches.add(Instant.ofEpochMilli(in.readLong()));
                for (int i = 0; i < BATCH; i++) {
                    ids[before.length + batch * BATCH + i] = in.readLong();
                }
            }
        }
        return ids;
    }

    /** A process of a fleet. */
    private static final class Worker {

        private Worker() {
        }

        /**
         * An id counts when it is in the file: what a killed process had not written was
         * never used.
         */
        public static void main(String[] arguments) throws Exception {
            Thread parent = new Thread(Worker::endWithTheParent);
            parent.setDaemon(true);
            parent.start();
            Constructor<?> constructor = Class.forName(arguments[0]).getDeclaredConstructor();
            constructor.setAccessible(true);
            Source source = (Source) constructor.newInstance();
            LeaseSettings.Builder settings = LeaseSettings.builder()
                .namespace("fleet")
                .window(Duration.ofSeconds(4))
                .startupTimeout(Duration.ofMinutes(1));
            ShardedIdEngine engine = null;
            while (engine == null) {
                engine = open(source, arguments[1], settings);
            }
            try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(Path.of(arguments[2])))) {
                Random random = new Random();
                java.nio.ByteBuffer batch = java.nio.ByteBuffer.allocate(8 * (BATCH + 1));
                while (true) {
                    batch.clear().putLong(0);
                    while (batch.hasRemaining()) {
                        try {
                            batch.putLong(engine.next(random.nextInt(64)));
                        }
                        catch (ShardedIdException ex) {
                            pause(20);
                        }
                    }
                    batch.putLong(0, TimeSource.system().epochNanos() / 1_000_000);
                    out.write(batch.array());
                    pause(2);
                }
            }
        }

        /** While the store is away, a start fails. */
        private static @Nullable ShardedIdEngine open(Source source, String address, LeaseSettings.Builder settings) {
            try {
                return ShardedIds.builder().workers(source.open(address, settings)).open();
            }
            catch (ShardedIdException ex) {
                System.err.println(ex);
                pause(200);
                return null;
            }
        }

        private static void endWithTheParent() {
            try {
                while (System.in.read() >= 0) {
                    // nobody says anything
                }
            }
            catch (IOException ex) {
                // then it is gone
            }
            Runtime.getRuntime().halt(0);
        }

    }

}
