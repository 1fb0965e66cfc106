package io.shardedid.tck;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
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
import java.util.stream.IntStream;

import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * Processes that make ids from leases of one store while they are killed, stopped and
 * continued. Each process writes the ids that it has made to a file, and {@link #end()}
 * compares all of them. The processes end with the one that started them. Used by one
 * thread.
 */
public final class LeaseFleet implements AutoCloseable {

    private static final int BATCH = 64;

    private final Class<? extends Source> source;

    private final String address;

    private final Path folder;

    /**
     * A worker may wait for one window and for the start of a process on a busy machine.
     */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final List<Member> members = new ArrayList<>();

    private final List<Killed> killed = new ArrayList<>();

    /**
     * Creates a fleet that has not started.
     * @param source how a process gets its leases; a class with a constructor without
     * parameters
     * @param address what the source needs to know
     * @param folder for the files of the processes, empty
     */
    public LeaseFleet(Class<? extends Source> source, String address, Path folder) {
        this.source = source;
        this.address = address;
        this.folder = folder;
    }

    /** How a process of the fleet gets its leases. */
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
     * @param processes what each process has done: those that ran to the end, in the
     * order of their numbers, and then those that were killed before
     */
    public record Outcome(long ids, long duplicates, List<Run> processes) {

        /**
         * Returns how long it took until each process made ids again.
         * @param event when something happened
         * @return for each process that made ids before the event and ended after it, the
         * time from the event to its first ids after it
         * @throws AssertionError if one of them made no ids after the event, or if there
         * is no such process
         */
        public List<Duration> until(Instant event) {
            List<Duration> times = this.processes.stream()
                .filter((run) -> run.madeIds(Instant.MIN, event) && run.end().isAfter(event))
                .map((run) -> run.until(event))
                .toList();
            if (times.isEmpty()) {
                throw new AssertionError("No process made ids before " + event + " and ended after it");
            }
            return times;
        }

        /**
         * Returns whether any process made ids in a span of time.
         * @param from after this instant
         * @param to before this instant
         * @return whether there were ids
         */
        public boolean madeIds(Instant from, Instant to) {
            return this.processes.stream().anyMatch((run) -> run.madeIds(from, to));
        }

    }

    /**
     * What a process has done.
     *
     * @param batches when it had made a batch of ids, in order, to the millisecond
     * @param end when the process was killed
     */
    public record Run(List<Instant> batches, Instant end) {

        /**
         * Returns whether the process made ids in a span of time.
         * @param from after this instant
         * @param to before this instant
         * @return whether there were ids
         */
        public boolean madeIds(Instant from, Instant to) {
            return this.batches.stream().anyMatch((batch) -> batch.isAfter(from) && batch.isBefore(to));
        }

        /**
         * Returns how long it took until the process made ids again.
         * @param event when something happened
         * @return the time from the event to the first ids after it
         * @throws AssertionError if there were none
         */
        public Duration until(Instant event) {
            return this.batches.stream()
                .filter((batch) -> batch.isAfter(event))
                .findFirst()
                .map((batch) -> Duration.between(event, batch))
                .orElseThrow(() -> new AssertionError("A process made no ids after " + event));
        }

    }

    /**
     * Starts processes, which get the next numbers from 0.
     * @param number how many
     * @throws IOException if a process cannot be started
     */
    public void start(int number) throws IOException {
        for (int i = 0; i < number; i++) {
            start(this.address);
        }
    }

    /**
     * Starts a process, which gets the next number from 0.
     * @param other what its source needs to know, in place of what the others know
     * @throws IOException if the process cannot be started
     */
    public void start(String other) throws IOException {
        this.members.add(spawn(other));
    }

    private Member spawn(String at) throws IOException {
        Path file = this.folder.resolve("ids-" + (this.members.size() + this.killed.size()));
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp", System.getProperty("java.class.path"),
                Worker.class.getName(), this.source.getName(), at, file.toString())
            .redirectErrorStream(true)
            .redirectOutput(file.resolveSibling(file.getFileName() + ".log").toFile())
            .start();
        return new Member(process, at, file);
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
            int at = random.nextInt(this.members.size());
            if (random.nextInt(3) == 0) {
                Member member = this.members.get(at);
                kill(member.process());
                Instant killedAt = now();
                Member successor = spawn(member.address());
                this.killed.add(new Killed(member.file(), killedAt));
                this.members.set(at, successor);
                pause(500 + random.nextInt(1_000));
            }
            else {
                stop(at);
                pause(200 + random.nextInt(2_500));
                resume(at);
            }
        }
    }

    /**
     * Stops a process by SIGSTOP. It does nothing until {@link #resume(int)}.
     * @param number the number of the process
     * @throws IOException if the signal cannot be sent
     */
    public void stop(int number) throws IOException {
        signal(this.members.get(number).process(), "STOP");
    }

    /**
     * Continues a process by SIGCONT.
     * @param number the number of the process
     * @throws IOException if the signal cannot be sent
     */
    public void resume(int number) throws IOException {
        signal(this.members.get(number).process(), "CONT");
    }

    /**
     * Returns the process id, which is part of the owner that a lease names.
     * @param number the number of the process
     * @return the id that the operating system knows
     */
    public long pid(int number) {
        return this.members.get(number).process().pid();
    }

    /**
     * Waits until processes have made ids after this call.
     * @param numbers the numbers of the processes; none means all of them
     * @throws IOException if a file cannot be read
     * @throws AssertionError if one of them makes none within a minute
     */
    public void awaitIds(int... numbers) throws IOException {
        int[] awaited = (numbers.length > 0) ? numbers : IntStream.range(0, this.members.size()).toArray();
        long[] before = new long[awaited.length];
        for (int i = 0; i < awaited.length; i++) {
            before[i] = this.members.get(awaited[i]).size();
        }
        long end = TimeSource.system().nanoTime() + PATIENCE.toNanos();
        for (int i = 0; i < awaited.length; i++) {
            Member member = this.members.get(awaited[i]);
            while (member.size() <= before[i]) {
                if (TimeSource.system().nanoTime() - end > 0) {
                    throw new AssertionError("Process %s made no ids within %s, see %s.log".formatted(awaited[i],
                            MessageText.duration(PATIENCE), member.file()));
                }
                pause(10);
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
        wait(new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start());
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
        List<Killed> all = new ArrayList<>();
        for (Member member : this.members) {
            kill(member.process());
            all.add(new Killed(member.file(), now()));
        }
        all.addAll(this.killed);
        List<Run> runs = new ArrayList<>();
        long[] ids = new long[0];
        for (Killed process : all) {
            List<Instant> batches = new ArrayList<>();
            ids = read(process.file(), ids, batches);
            runs.add(new Run(List.copyOf(batches), process.end()));
        }
        Arrays.sort(ids);
        long duplicates = 0;
        for (int i = 1; i < ids.length; i++) {
            duplicates += (ids[i] == ids[i - 1]) ? 1 : 0;
        }
        return new Outcome(ids.length, duplicates, List.copyOf(runs));
    }

    /**
     * Kills all processes, so that none of them makes ids beside other tests when this
     * one has failed. Never throws.
     */
    @Override
    public void close() {
        this.members.forEach((member) -> kill(member.process()));
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

    /** A process and the file of its ids. */
    private record Member(Process process, String address, Path file) {

        long size() throws IOException {
            return Files.exists(this.file) ? Files.size(this.file) : 0;
        }

    }

    private static Instant now() {
        return Instant.ofEpochMilli(TimeSource.system().epochNanos() / 1_000_000);
    }

    private record Killed(Path file, Instant end) {
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
                .startupTimeout(Duration.ofMinutes(2));
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
                    batch.putLong(0, now().toEpochMilli());
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
                    // the parent says nothing
                }
            }
            catch (IOException ex) {
                // then it is gone
            }
            Runtime.getRuntime().halt(0);
        }

    }

}
