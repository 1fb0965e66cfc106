package io.shardedid.internal.lease.fleet;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

import io.shardedid.Seed;
import io.shardedid.testdb.SwallowingProxy;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Real processes on a real database, ended, stopped, cut off and crashed: for three
 * minutes, with {@code -Dproof.length=long} for nine.
 */
@Tag("proof")
class FleetIT {

    private static final int PROCESSES = 8;

    private static final long WINDOW_MILLIS = 6_000;

    /** What a busy machine may add. The figures are printed. */
    private static final Duration SLACK = Duration.ofSeconds(10);

    private static final FleetSchedule.Lengths LENGTHS = ProofLength.of(
            new FleetSchedule.Lengths(WINDOW_MILLIS, 30_000, 2_000, 8_000, List.of(8_000L, 30_000L, 3_000L)),
            new FleetSchedule.Lengths(WINDOW_MILLIS, 60_000, 2_000, 8_000,
                    List.of(60_000L, 8_000L, 30_000L, 3_000L, 60_000L)));

    @TempDir
    private Path folder;

    @Test
    void noFaultOfProcessDatabaseOrNetworkMakesTwoDuplicateIds() throws Exception {
        try (CrashingPostgres server = new CrashingPostgres(this.folder.resolve("data"))) {
            assertNoDuplicateIds(new TestDatabase("jdbc:postgresql://127.0.0.1:%s/postgres".formatted(server.port()),
                    "postgres", ""), server::crash, this.folder);
        }
    }

    static void assertNoDuplicateIds(TestDatabase database, Fleet.Crash crash, Path folder) throws Exception {
        Seed seed = Seed.ofThisRun();
        FleetSchedule schedule = FleetSchedule.of(seed.value(), PROCESSES, LENGTHS);
        try (SwallowingProxy network = SwallowingProxy.to(database)) {
            database.execute("CREATE TABLE fleet_row (id BIGINT PRIMARY KEY)");
            Fleet fleet = new Fleet(launch(database.behind(network), "default"), folder, PROCESSES);
            try {
                fleet.awaitReady();
                fleet.run(schedule, crash, network);
            }
            finally {
                fleet.end();
            }
            FleetFindings found = FleetFindings.of(fleet.all(), fleet.outages());
            long[] rows = longs(database, "SELECT id FROM fleet_row");
            long leases = LongStream.of(longs(database, "SELECT fence FROM shardedid_worker")).sum();
            System.out.printf("fleet: %s, processes=%s, faults=%s, starts refused=%s, leases=%s of %s worker ids, "
                    + "ids=%,d, rows=%,d, duplicates=%s, refused calls=%s, longest wait=%s ms, healed after %s ms%n",
                    seed, fleet.all().size(), fleet.counts(),
                    fleet.all().stream().filter((process) -> process.said("REFUSED ")).count(), leases,
                    longs(database, "SELECT worker_id FROM shardedid_worker WHERE worker_id >= 0").length,
                    found.ids().length, rows.length, found.duplicates(), found.refusals(),
                    found.longestWaitNanos() / 1_000_000, found.healedMillis());

            assertThat(found.duplicates()).as("duplicates, %s", seed).isZero();
            assertThat(found.failures()).as("failures, %s", seed).isEmpty();
            assertThat(rows).as("rows, %s", seed).isNotEmpty();
            assertThat(LongStream.of(rows).filter((id) -> !found.knows(id))).as("ids from nowhere, %s", seed).isEmpty();
            assertThat(Duration.ofNanos(found.longestWaitNanos())).as("longest wait, %s", seed)
                .isLessThan(FleetWorker.MAX_WAIT.plus(SLACK));
            assertThat(Collections.max(found.healedMillis())).as("healed, %s", seed)
                .isLessThan(Duration.ofSeconds(1).plus(SLACK).toMillis());
        }
    }

    /** What the promise assumes, and that this test would see it broken. */
    @Test
    void twoNamespacesForOneTableMakeDuplicateIds() {
        assertTwoNamespacesMakeDuplicateIds(TestServer.POSTGRESQL.freshDatabase(), this.folder);
    }

    static void assertTwoNamespacesMakeDuplicateIds(TestDatabase database, Path folder) {
        database.execute("CREATE TABLE fleet_row (id BIGINT PRIMARY KEY)");
        Fleet one = new Fleet(launch(database, "one"), folder.resolve("one"), 1);
        Fleet other = new Fleet(launch(database, "other"), folder.resolve("other"), 1);
        try {
            one.awaitReady();
            other.awaitReady();
            List<FleetProcess> both = List.of(one.all().get(0), other.all().get(0));
            long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            FleetFindings found = FleetFindings.of(both, List.of());
            while (found.duplicates() == 0 && System.nanoTime() < until) {
                LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
                found = FleetFindings.of(both, List.of());
            }
            assertThat(found.duplicates()).isPositive();
        }
        finally {
            one.end();
            other.end();
        }
    }

    private static long[] longs(TestDatabase database, String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            LongStream.Builder values = LongStream.builder();
            while (found.next()) {
                values.add(found.getLong(1));
            }
            return values.build().toArray();
        }
    }

    private static FleetProcess.Launch launch(TestDatabase database, String namespace) {
        return new FleetProcess.Launch(database, namespace, WINDOW_MILLIS, Map.of());
    }

}
