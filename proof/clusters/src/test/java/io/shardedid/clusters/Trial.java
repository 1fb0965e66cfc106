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

import io.shardedid.tck.LeaseFleet;
import io.shardedid.worker.LeaseSettings;
import io.shardedid.worker.WorkerLeases;
import io.shardedid.worker.table.JdbcWorkerLeases;
import io.shardedid.worker.table.LeaseConnections;
import io.shardedid.worker.table.SchemaInitialization;

/**
 * Six processes that make ids, what was done to the cluster meanwhile, and how long they
 * made none afterwards.
 */
final class Trial implements AutoCloseable {

    static final int PROCESSES = 6;

    private static final Path RESULTS = Path.of("target", "clusters.md");

    private final String name;

    private final LeaseFleet fleet;

    private final List<Fault> faults = new ArrayList<>();

    /**
     * Starts the processes.
     * @param name of the cluster and its settings
     * @param folder for their files
     * @param address what {@link Source} takes
     */
    Trial(String name, Path folder, List<String> addresses) throws IOException {
        this.name = name;
        this.fleet = new LeaseFleet(Source.class, addresses.get(0), Files.createDirectory(folder.resolve("fleet")));
        for (int process = 0; process < PROCESSES; process++) {
            this.fleet.start(addresses.get(process % addresses.size()));
        }
        this.fleet.awaitIds();
    }

    private record Fault(String name, Instant at) {
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
            return JdbcWorkerLeases.leased(settings.build(), LeaseConnections.url(parts[3], parts[2], ""),
                    "shardedid_worker", SchemaInitialization.ALWAYS, List.of());
        }

    }

    LeaseFleet fleet() {
        return this.fleet;
    }

    /** Does something to the cluster, and waits until all processes make ids again. */
    void fault(String name, Step step) throws Exception {
        this.faults.add(new Fault(name, Instant.now()));
        step.run();
        this.fleet.awaitIds();
    }

    /** What is done to a cluster. */
    @FunctionalInterface
    interface Step {

        void run() throws Exception;

    }

    /** Ends the processes, and returns how many of their ids are equal to another one. */
    long equalIds() throws IOException {
        LeaseFleet.Outcome outcome = this.fleet.end();
        StringBuilder lines = new StringBuilder();
        for (Fault fault : this.faults) {
            Duration longest = outcome.until(fault.at()).stream().max(Comparator.naturalOrder()).orElseThrow();
            lines.append("| %s | %s | %.1f s |%n".formatted(this.name, fault.name(), longest.toMillis() / 1e3));
        }
        lines.append(
                "| %s | **in all** | %,d ids, %,d equal |%n".formatted(this.name, outcome.ids(), outcome.duplicates()));
        System.out.print(lines);
        Files.writeString(RESULTS, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return outcome.duplicates();
    }

    @Override
    public void close() {
        this.fleet.close();
    }

}
