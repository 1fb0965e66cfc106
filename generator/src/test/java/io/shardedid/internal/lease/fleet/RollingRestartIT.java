package io.shardedid.internal.lease.fleet;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Real processes under the default times, replaced one by one; each fifth is killed.
 */
@Tag("proof")
@Tag("nightly")
class RollingRestartIT {

    private static final int PROCESSES = 25;

    /** 25 in half a minute. */
    private static final Duration PACE = Duration.ofMillis(1_200);

    @TempDir
    private Path folder;

    @Test
    void refusesNoStartWhileEveryProcessIsReplaced() {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        database.execute("CREATE TABLE fleet_row (id BIGINT PRIMARY KEY)");
        Fleet fleet = new Fleet(new FleetProcess.Launch(database, "default", 30_000, Map.of()), this.folder, PROCESSES);
        long began;
        try {
            fleet.awaitReady();
            began = System.nanoTime();
            for (int slot = 0; slot < PROCESSES; slot++) {
                fleet.replace(slot, (slot % 5 == 3) ? "KILL" : "TERM");
                fleet.pass(began + PACE.toNanos() * (slot + 1));
            }
            fleet.awaitReady();
        }
        finally {
            fleet.end();
        }
        FleetFindings found = FleetFindings.of(fleet.all(), List.of());
        System.out.printf(
                "rolling restart: processes=%s replaced in %s ms, ids=%,d, duplicates=%s, longest wait=%s ms%n",
                PROCESSES, (System.nanoTime() - began) / 1_000_000, found.ids().length, found.duplicates(),
                found.longestWaitNanos() / 1_000_000);
        assertThat(fleet.all()).hasSize(2 * PROCESSES).noneMatch((process) -> process.said("REFUSED "));
        assertThat(found.failures()).isEmpty();
        assertThat(found.duplicates()).isZero();
    }

}
