package io.shardedid.internal.lease.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.testdb.SwallowingProxy;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.tools.Tool;
import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.embedded.PgBinaryResolver;

/**
 * A PostgreSQL server whose clock may be ahead, a link on which another one reads its
 * rows, and a fleet. Used by one thread.
 */
final class Region implements AutoCloseable {

    static final int PROCESSES = 3;

    private static final long WINDOW_MILLIS = 3_000;

    /** Servers share their programs unless this is another object for each of them. */
    private final PgBinaryResolver programs = this::programs;

    private final Path folder;

    private final Duration ahead;

    final CrashingPostgres server;

    final SwallowingProxy link;

    private Fleet fleet;

    private int fleets;

    /** Those that a change has ended. */
    private final List<FleetProcess> ended = new ArrayList<>();

    Region(Path folder, Duration ahead) throws Exception {
        this.folder = Files.createDirectories(folder);
        this.ahead = ahead;
        this.server = new CrashingPostgres(folder.resolve("data"), this::set);
        this.link = SwallowingProxy.to("127.0.0.1", this.server.port());
        this.server.execute("CREATE TABLE fleet_row (id BIGINT PRIMARY KEY)");
        this.server.execute("CREATE PUBLICATION fleet_rows FOR TABLE fleet_row");
    }

    private InputStream programs(String system, String hardware) throws IOException {
        return DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(system, hardware);
    }

    private EmbeddedPostgres.Builder set(EmbeddedPostgres.Builder builder) {
        return builder.setServerConfig("wal_level", "logical")
            .setServerConfig("wal_retrieve_retry_interval", "500ms")
            .setServerConfig("logging_collector", "on")
            .setServerConfig("log_directory", logs().toString())
            .setPgBinaryResolver(this.programs)
            .setOverrideWorkingDirectory(this.folder.toFile())
            .setDataDirectoryCustomizer((data) -> fakeClock());
    }

    private Path logs() {
        return this.folder.resolve("log");
    }

    /** Puts a script in the place of the program, before it starts for the first time. */
    private void fakeClock() {
        if (this.ahead.isZero()) {
            return;
        }
        try (Stream<Path> files = Files.walk(this.folder)) {
            Path program = files.filter((file) -> file.endsWith("bin/postgres")).findFirst().orElseThrow();
            Path real = program.resolveSibling("postgres-real");
            if (!Files.exists(real)) {
                Files.move(program, real);
                Files.writeString(program, """
                        #!/bin/sh
                        export LD_PRELOAD=%s FAKETIME=+%ss DONT_FAKE_MONOTONIC=1 FAKETIME_FORCE_MONOTONIC_FIX=0
                        exec %s "$@"
                        """.formatted(Tool.LIBFAKETIME.files().get(0), this.ahead.toSeconds(), real));
                program.toFile().setExecutable(true);
            }
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Reads the rows that were written in another region, not those it has read. */
    void follow(Region other) throws Exception {
        this.server.execute("CREATE SUBSCRIPTION other_rows CONNECTION "
                + "'host=127.0.0.1 port=%s user=postgres dbname=postgres' PUBLICATION fleet_rows "
                    .formatted(other.link.port())
                + "WITH (origin = none, copy_data = false)");
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(this.server.port());
    }

    /** Starts processes, which ask for all worker ids without a range. */
    void start(String workerIds) throws IOException {
        // each fleet counts its processes from 0
        Path journals = Files.createDirectories(this.folder.resolve("fleet-" + this.fleets++));
        this.fleet = new Fleet(launch(workerIds), journals, PROCESSES);
        this.fleet.awaitReady();
    }

    /** Ends the processes, whose worker ids change. */
    void stop() {
        this.fleet.end();
        this.ended.addAll(this.fleet.all());
    }

    /** The keys of the application, with the worker ids of its lease table. */
    ShardedIdSettings settings(String workerIds) {
        String lease = "shardedid.worker.lease.";
        return ShardedIdSettings
            .from(Map.of(lease + "url", url(), lease + "username", "postgres", lease + "initialize-schema", "always",
                    lease + "worker-ids", workerIds, "shardedid.shards", String.valueOf(FleetWorker.SHARDS)));
    }

    private FleetProcess.Launch launch(String workerIds) {
        return new FleetProcess.Launch(new TestDatabase(url(), "postgres", ""), "default", WINDOW_MILLIS,
                (workerIds != null) ? Map.of(FleetWorker.WORKER_IDS, workerIds) : Map.of());
    }

    Fleet fleet() {
        return this.fleet;
    }

    List<FleetProcess> processes() {
        return (this.fleet != null) ? Stream.concat(this.ended.stream(), this.fleet.all().stream()).distinct().toList()
                : List.of();
    }

    /** The worker ids in the ids of all processes. */
    Set<Integer> workers() {
        Set<Integer> workers = new TreeSet<>();
        IdLayout layout = IdLayout.standard();
        LongStream.of(FleetFindings.of(processes(), List.of()).ids())
            .mapToInt((id) -> layout.parse(id).worker())
            .forEach(workers::add);
        return workers;
    }

    /** The clock of the server in milliseconds. */
    long clock() throws Exception {
        return this.server.longs("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)")[0];
    }

    long[] rows() throws Exception {
        return this.server.longs("SELECT id FROM fleet_row ORDER BY id");
    }

    /** What the log says, because a crash forgets the statistics, and what these say. */
    long conflicts() throws Exception {
        long logged = 0;
        try (Stream<Path> files = Files.list(logs())) {
            for (Path file : files.toList()) {
                logged += Files.readAllLines(file)
                    .stream()
                    .filter((line) -> line.contains("conflict detected"))
                    .count();
            }
        }
        return Math.max(logged, this.server.longs("""
                SELECT confl_insert_exists + confl_update_origin_differs + confl_update_exists + confl_update_missing
                       + confl_delete_origin_differs + confl_delete_missing + confl_multiple_unique_conflicts
                  FROM pg_stat_subscription_stats
                """)[0]);
    }

    @Override
    public void close() throws IOException {
        if (this.fleet != null) {
            this.fleet.end();
        }
        this.link.close();
        this.server.close();
    }

}
