package io.shardedid.clusters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.tck.LeaseFleet;

/**
 * Six processes that make ids, what was done to the cluster meanwhile, and how long they
 * made none afterwards.
 */
final class Trial implements AutoCloseable {

    static final int PROCESSES = 6;

    private static final Path RESULTS = Path.of("target", "clusters.md");

    private final String name;

    private final Path folder;

    private final LeaseFleet fleet;

    private final List<Fault> faults = new ArrayList<>();

    private int processes;

    /**
     * Starts the processes.
     * @param name of the cluster and its settings
     * @param folder for their files
     * @param addresses what {@link Source} takes, for the processes in turn
     */
    Trial(String name, Path folder, List<String> addresses) throws IOException {
        this.name = name;
        this.folder = Files.createDirectory(folder.resolve("fleet"));
        this.fleet = new LeaseFleet(Source.class, addresses.get(0), this.folder);
        start(PROCESSES, addresses);
        this.fleet.awaitIds();
    }

    /** Starts more processes, with the addresses in turn, and returns their numbers. */
    int[] start(int number, List<String> addresses) throws IOException {
        for (int i = 0; i < number; i++) {
            this.fleet.start(addresses.get(i % addresses.size()));
        }
        this.processes += number;
        return IntStream.range(this.processes - number, this.processes).toArray();
    }

    /** Something that happened, until all processes made ids again. */
    private record Fault(String name, Instant from, Instant to) {

        /** The longest time in which one process that was there before made no ids. */
        Duration longest(LeaseFleet.Run run) {
            Instant last = this.from;
            Duration longest = Duration.ZERO;
            for (Instant batch : run.batches()) {
                if (run.batches().get(0).isBefore(this.from) && batch.isAfter(this.from) && last.isBefore(this.to)) {
                    Duration gap = Duration.between(last, batch);
                    longest = (gap.compareTo(longest) > 0) ? gap : longest;
                    last = batch;
                }
            }
            return longest;
        }

    }

    /** How a process leases: its mode, the window, the account and the JDBC URL. */
    static final class Source implements LeaseFleet.Source {

        static String address(boolean tolerant, Duration window, String user, String url) {
            return String.join(" ", tolerant ? "tolerant" : "plain", String.valueOf(window), user, url);
        }

        @Override
        public WorkerLeases open(String address, LeaseSettings.Builder settings) {
            String[] parts = address.split(" ", 4);
            settings.tolerateLostCommits(parts[0].equals("tolerant")).window(Duration.parse(parts[1]));
            return JdbcLeases.leased(settings.build(), LeaseConnections.url(parts[3], parts[2], ""), "shardedid_worker",
                    SchemaInitialization.ALWAYS, List.of());
        }

    }

    LeaseFleet fleet() {
        return this.fleet;
    }

    /**
     * Does something to the cluster, and waits until all leases from before have run out
     * and all processes make ids.
     */
    void fault(String name, Duration window, Step step) throws Exception {
        Instant from = Instant.now();
        step.run();
        this.fleet.run(window);
        this.fleet.awaitIds();
        this.faults.add(new Fault(name, from, Instant.now()));
    }

    /** What is done to a cluster. */
    @FunctionalInterface
    interface Step {

        void run() throws Exception;

    }

    /** Ends the processes, and returns how many of their ids are equal to another one. */
    long duplicateIds() throws IOException {
        LeaseFleet.Outcome outcome = this.fleet.end();
        StringBuilder lines = new StringBuilder();
        for (Fault fault : this.faults) {
            Duration longest = outcome.processes()
                .stream()
                .map(fault::longest)
                .max(Comparator.naturalOrder())
                .orElseThrow();
            lines.append("| %s | %s | | | %.1f s |%n".formatted(this.name, fault.name(), longest.toMillis() / 1e3));
        }
        lines.append("| %s | in all | %,d | %,d | |%n".formatted(this.name, outcome.ids(), outcome.duplicates()));
        if (alarms() > 0) {
            lines.append("| %s | alarms: %s | | | |%n".formatted(this.name, alarms()));
        }
        System.out.print(lines);
        Files.writeString(RESULTS, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return outcome.duplicates();
    }

    /** How often a process found its row in a state that no other process may make. */
    long alarms() throws IOException {
        long alarms = 0;
        try (Stream<Path> logs = Files.list(this.folder).filter((file) -> file.toString().endsWith(".log"))) {
            for (Path log : logs.toList()) {
                alarms += Files.readAllLines(log)
                    .stream()
                    .filter((line) -> line.contains("Duplicate ids are possible"))
                    .count();
            }
        }
        return alarms;
    }

    @Override
    public void close() {
        this.fleet.close();
    }

}
