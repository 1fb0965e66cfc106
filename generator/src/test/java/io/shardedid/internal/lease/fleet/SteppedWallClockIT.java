package io.shardedid.internal.lease.fleet;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tools.Needs;
import io.shardedid.tools.Tool;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Live processes whose wall clock is stepped by libfaketime. */
@Tag("proof")
@Tag("nightly")
@Needs(Tool.LIBFAKETIME)
class SteppedWallClockIT {

    @TempDir
    private Path folder;

    @Test
    void wallClockStepsUnderLiveProcessesMakeNoDuplicateIds() throws Exception {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        database.execute("CREATE TABLE fleet_row (id BIGINT PRIMARY KEY)");
        Path offset = Files.writeString(this.folder.resolve("offset"), "+0s");
        // 0.9.10 halts timed waits of a JVM unless told that its monotonic clock is real
        Map<String, String> faked = Map.of("LD_PRELOAD", Tool.LIBFAKETIME.files().get(0).toString(),
                "FAKETIME_TIMESTAMP_FILE", offset.toString(), "FAKETIME_CACHE_DURATION", "1", "DONT_FAKE_MONOTONIC",
                "1", "FAKETIME_FORCE_MONOTONIC_FIX", "0");
        Fleet fleet = new Fleet(new FleetProcess.Launch(database, "default", 2_000, faked), this.folder, 2);
        try {
            fleet.awaitReady();
            for (String step : List.of("+5s", "-5s", "+1y", "-1y", "+0s")) {
                Files.writeString(offset, step);
                TimeUnit.SECONDS.sleep(3);
            }
        }
        finally {
            fleet.end();
        }
        FleetFindings found = FleetFindings.of(fleet.all(), List.of());
        long[] stepped = new long[1];
        fleet.all().forEach((process) -> process.read((entry) -> {
            stepped[0] += (Math.abs(entry.epochMillis() - System.currentTimeMillis()) > 10_000_000_000L) ? 1 : 0;
        }));
        System.out.printf("stepped wall clock: ids=%,d, duplicates=%s, refused calls=%s, longest wait=%s ms%n",
                found.ids().length, found.duplicates(), found.refusals(), found.longestWaitNanos() / 1_000_000);
        assertThat(stepped[0]).as("calls that returned in another year").isPositive();
        assertThat(fleet.all()).hasSize(2);
        assertThat(found.failures()).isEmpty();
        assertThat(found.refusals()).as("calls that were refused").isZero();
        assertThat(found.duplicates()).isZero();
        assertThat(fleet.all().stream().flatMap((process) -> process.lines().stream())).as("the log")
            .noneMatch((line) -> line.startsWith("SEVERE"))
            .filteredOn((line) -> line.startsWith("WARNING"))
            .hasSizeLessThanOrEqualTo(2);
    }

}
