package io.shardedid.database;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

import io.shardedid.Seed;
import io.shardedid.SeparateJvm;
import io.shardedid.ShardedIds;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Four SQL clients and four JVMs that begin together.
 */
final class MixedWriters implements AutoCloseable {

    static final int OF_EACH_KIND = 4;

    private final long rowsEach;

    private final boolean onFault;

    private final List<SqlClient> clients = new ArrayList<>();

    private final List<Process> processes = new ArrayList<>();

    private final List<BufferedReader> outputs = new ArrayList<>();

    private final AtomicLongArray acknowledged = new AtomicLongArray(OF_EACH_KIND);

    private final ExecutorService threads = Executors.newFixedThreadPool(OF_EACH_KIND);

    private final List<Future<?>> running = new ArrayList<>();

    /**
     * Starts the JVMs and waits until each has its worker id.
     * @param url the database, prepared
     * @param seed of all keys
     * @param rowsEach how many rows each of them inserts
     * @param onFault whether they go on when their connections break
     */
    MixedWriters(String url, Seed seed, long rowsEach, boolean onFault) throws IOException {
        this.rowsEach = rowsEach;
        this.onFault = onFault;
        for (int i = 0; i < OF_EACH_KIND; i++) {
            this.clients.add(new SqlClient(url, seed.value() + i));
            List<String> command = SeparateJvm.command(EngineWriter.class, ShardedIds.class,
                    org.postgresql.Driver.class);
            command.addAll(List.of(url, String.valueOf(seed.value() + OF_EACH_KIND + i), String.valueOf(rowsEach),
                    String.valueOf(onFault)));
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            this.processes.add(process);
            this.outputs.add(process.inputReader(StandardCharsets.UTF_8));
        }
        for (BufferedReader output : this.outputs) {
            String line = output.readLine();
            while (line != null && !line.startsWith("READY ")) {
                // what its log says
                line = output.readLine();
            }
            assertThat(line).as("worker id of a process").isNotNull();
        }
    }

    /** Lets all of them begin. */
    Instant begin() throws IOException {
        Instant began = Instant.now();
        for (int i = 0; i < OF_EACH_KIND; i++) {
            this.processes.get(i).getOutputStream().write('\n');
            this.processes.get(i).getOutputStream().flush();
            int client = i;
            this.running.add(this.threads.submit(() -> {
                this.clients.get(client)
                    .write(this.rowsEach, this.onFault, (rows) -> this.acknowledged.set(client, rows));
                return null;
            }));
        }
        return began;
    }

    /** Waits until all rows are there; what failed in any of them fails here. */
    void awaitEnd() throws Exception {
        for (Future<?> client : this.running) {
            client.get(10, TimeUnit.MINUTES);
        }
        for (int i = 0; i < OF_EACH_KIND; i++) {
            assertThat(this.outputs.get(i).lines().toList()).contains("DONE");
            assertThat(this.processes.get(i).waitFor()).isZero();
        }
    }

    /** Waits until the SQL clients together have some number of rows. */
    void awaitRowsOfClients(long rows) throws InterruptedException {
        long until = System.nanoTime() + Duration.ofSeconds(90).toNanos();
        while (rowsOfClients() < rows) {
            assertThat(this.running).as("clients that have ended").anyMatch((client) -> !client.isDone());
            assertThat(System.nanoTime()).as("rows=%s of %s", rowsOfClients(), rows).isLessThan(until);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private long rowsOfClients() {
        long sum = 0;
        for (int i = 0; i < OF_EACH_KIND; i++) {
            sum += this.acknowledged.get(i);
        }
        return sum;
    }

    @Override
    public void close() {
        this.threads.shutdownNow();
        this.processes.forEach(Process::destroyForcibly);
    }

}
