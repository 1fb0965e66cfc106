package io.shardedid.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.jdbc.JdbcLeases;

/**
 * Many processes on one lease table: when all start at once, when they do nothing but
 * renew, and what a day of renewals leaves behind. A process is an engine that the others
 * of this JVM do not know, with a keeper and a connection of its own.
 */
final class ProcessGrowth {

    /** A renewal every 8 s. */
    private static final int RENEWALS_A_DAY = 10_800;

    private static final int RENEWALS_AN_HOUR = 450;

    /** Eight renewals of each process. */
    private static final int REST_SECONDS = 64;

    private final Scale scale;

    private final Measurements measured;

    private final Progress progress;

    ProcessGrowth(Scale scale, Measurements measured, Progress progress) {
        this.scale = scale;
        this.measured = measured;
        this.progress = progress;
    }

    static List<String> storms() {
        return List.of("3", "10", "30", "100", "300", "900");
    }

    static List<String> workers() {
        return List.of("3", "31", "127", "1023");
    }

    void run() throws Exception {
        try (Database.Server server = Database
            .postgresql(Map.of("max_connections", "1200", "full_page_writes", "off"))) {
            storms(server);
            for (int processes : sizes(workers())) {
                rest(server, "rest_" + processes, processes);
                this.progress.done("%d processes at rest".formatted(processes));
            }
        }
    }

    /** Many processes that start at once, with the lease table in MariaDB. */
    void mariaDb() throws Exception {
        try (Database.Server server = Database.MARIADB.start()) {
            storms(server);
        }
    }

    private void storms(Database.Server server) throws Exception {
        for (int processes : sizes(storms())) {
            String table = "storm_" + processes;
            start(server, table, 1).close();
            storm(server, table, processes, "rows are inserted");
            storm(server, table, processes, "rows are free");
            this.progress.done("%d processes start".formatted(processes));
        }
    }

    /** What the renewals of a day leave behind, with nobody else on the server. */
    void renewals() throws Exception {
        try (Database.Server server = Database.postgresql(Map.of("full_page_writes", "off"))) {
            for (String workers : this.scale.meant() ? workers() : List.of("3")) {
                try (Connection connection = server.connection()) {
                    day(server, connection, Integer.parseInt(workers));
                }
                this.progress.done("a day of renewals of %s processes".formatted(workers));
            }
        }
    }

    /** How many may run at the same time; fewer where the machine is slow or busy. */
    static int mostProcesses() {
        return Integer.getInteger("growth.processes", 1023);
    }

    private int[] sizes(List<String> wanted) {
        int most = mostProcesses();
        return wanted.stream()
            .mapToInt(Integer::parseInt)
            .filter((processes) -> this.scale.meant() ? processes <= most : processes == 3)
            .toArray();
    }

    private void storm(Database.Server server, String table, int processes, String rows) throws Exception {
        long began = System.nanoTime();
        try (Fleet fleet = start(server, table, processes)) {
            double millis = (System.nanoTime() - began) / 1e6;
            String name = "storm, %%s, %s, %d".formatted(rows, processes);
            this.measured.add(name.formatted("statements for a lease"), fleet.mean((each) -> each.statements()));
            this.measured.add(name.formatted("most statements for a lease"),
                    fleet.starts.stream().mapToLong((start) -> start.needed.statements()).max().orElseThrow());
            this.measured.add(name.formatted("lost races for a lease"), fleet.mean((each) -> each.lost()));
            this.measured.add(name.formatted("connections for a lease"), fleet.mean((each) -> each.connections()));
            this.measured.addTime(name.formatted("time until all have one (ms)"), millis);
        }
    }

    private void rest(Database.Server server, String table, int processes) throws Exception {
        try (Fleet fleet = start(server, table, processes)) {
            long seconds = this.scale.meant() ? REST_SECONDS : 1;
            long before = fleet.statements();
            long began = System.nanoTime();
            TimeUnit.SECONDS.sleep(seconds);
            double statements = fleet.statements() - before;
            double elapsed = (System.nanoTime() - began) / 1e9;
            this.measured.add("at rest, statements a second, " + processes, statements / elapsed);
            this.measured.add("at rest, statements a second and worker, " + processes,
                    statements / elapsed / processes);
        }
    }

    /** As many updates as the renewals of a day, each in a transaction of its own. */
    private void day(Database.Server server, Connection connection, int processes) throws SQLException {
        String table = "day_" + processes;
        try (LeaseStore store = JdbcLeases.store(LeaseSettings.DEFAULT_NAMESPACE, server.connections(), table,
                SchemaInitialization.ALWAYS)) {
            store.ensure();
        }
        Statements sql = new Statements(connection);
        sql.execute(("INSERT INTO %s (namespace, worker_id, token, fence, lease_until, hwm_tick) "
                + "SELECT 'default', worker, gen_random_uuid(), 1, 0, 0 FROM generate_series(0, %d) worker")
            .formatted(table, processes - 1));
        sql.execute("""
                CREATE OR REPLACE PROCEDURE renew_%s(rounds integer) LANGUAGE plpgsql AS $$
                DECLARE
                  workers integer[] := ARRAY(SELECT worker_id FROM %1$s WHERE worker_id >= 0);
                  worker integer;
                BEGIN
                  FOR round IN 1..rounds LOOP
                    FOREACH worker IN ARRAY workers LOOP
                      UPDATE %1$s SET token = gen_random_uuid()::text, fence = fence, lease_until = lease_until + 8000,
                        hwm_tick = hwm_tick + 8000, owner = 'feed on node-0017.example.org, process 4711'
                        WHERE namespace = 'default' AND worker_id = worker;
                      COMMIT;
                    END LOOP;
                  END LOOP;
                END $$""".formatted(table));
        String name = "renewals, %%s, %d".formatted(processes);
        sql.execute("VACUUM FULL " + table);
        this.measured.add(name.formatted("table before"), sql.number("SELECT pg_relation_size('%s')".formatted(table)));
        sql.execute("CALL renew_%s(%d)".formatted(table, this.scale.meant() ? RENEWALS_A_DAY : 20));
        weigh(sql, table, name, "a day");
        sql.execute("VACUUM FULL " + table);
        try (Connection reader = server.connection()) {
            reader.setAutoCommit(false);
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            new Statements(reader).number("SELECT count(*) FROM " + table);
            sql.execute("CALL renew_%s(%d)".formatted(table, this.scale.meant() ? RENEWALS_AN_HOUR : 20));
            reader.rollback();
        }
        weigh(sql, table, name, "an hour of a transaction");
    }

    private void weigh(Statements sql, String table, String name, String after) throws SQLException {
        this.measured.add(name.formatted("table after " + after),
                sql.number("SELECT pg_relation_size('%s')".formatted(table)));
        this.measured.add(name.formatted("index after " + after),
                sql.number("SELECT pg_indexes_size('%s')".formatted(table)));
    }

    private Fleet start(Database.Server server, String table, int processes) throws Exception {
        LeaseSettings.Builder settings = LeaseSettings.builder().startupTimeout(Duration.ofMinutes(10));
        if (!this.scale.meant()) {
            settings.window(Duration.ofSeconds(2)).startupTimeout(Duration.ofSeconds(30));
        }
        CountDownLatch gate = new CountDownLatch(1);
        ExecutorService starters = Executors.newFixedThreadPool(processes);
        try {
            List<CompletableFuture<Start>> coming = new ArrayList<>();
            for (int process = 0; process < processes; process++) {
                coming.add(CompletableFuture.supplyAsync(() -> open(server, table, settings.build(), gate), starters));
            }
            gate.countDown();
            return new Fleet(coming.stream().map(CompletableFuture::join).toList());
        }
        finally {
            starters.shutdown();
        }
    }

    private static Start open(Database.Server server, String table, LeaseSettings settings, CountDownLatch gate) {
        CountedConnections connections = new CountedConnections(server.connections());
        try {
            gate.await();
        }
        catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
        ShardedIdEngine engine = SeparateProcess.open(ShardedIds.builder()
            .layout(IdLayout.builder().timeBits(40).shardBits(6).workerBits(10).sequenceBits(7).build())
            .shards(64)
            .workers(JdbcLeases.leased(settings, connections, table, SchemaInitialization.ALWAYS, List.of())));
        return new Start(engine, connections, connections.count());
    }

    private record Start(ShardedIdEngine engine, CountedConnections connections, CountedConnections.Count needed) {
    }

    private record Fleet(List<Start> starts) implements AutoCloseable {

        double mean(ToLongFunction<CountedConnections.Count> figure) {
            return this.starts.stream().mapToLong((start) -> figure.applyAsLong(start.needed)).average().orElseThrow();
        }

        long statements() {
            return this.starts.stream().mapToLong((start) -> start.connections.count().statements()).sum();
        }

        @Override
        public void close() {
            this.starts.parallelStream().forEach((start) -> start.engine.close());
        }

    }

}
