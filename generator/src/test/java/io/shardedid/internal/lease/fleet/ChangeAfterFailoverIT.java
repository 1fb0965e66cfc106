package io.shardedid.internal.lease.fleet;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.shardedid.IdLayout;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process that tolerates lost commits makes ids under a lease whose renewals a failover
 * loses, and stops. Then the layout changes, and the settings do not mention lost commits
 * any more. All ids are compared.
 */
@Tag("proof")
@Tag("nightly")
class ChangeAfterFailoverIT {

    private static final int RUNS = 5;

    private static final int WORKER = 2;

    @TempDir
    private Path folder;

    @RepeatedTest(RUNS)
    void renewalsThatWereLostMakeNoDuplicateIds() throws Exception {
        try (ReplicatedPostgres database = new ReplicatedPostgres(this.folder, 0);
                FailoverProcesses processes = new FailoverProcesses(this.folder)) {
            // the first makes the table
            start(processes, database.url(), "first", "tolerant", 0);
            processes.awaitStart("first");
            processes.kill();
            start(processes, database.url(), "forgotten", "tolerant", WORKER);
            database.awaitOnReplica("SELECT 1 FROM shardedid_worker WHERE worker_id = " + WORKER);
            database.cutOff();
            assertThat(processes.awaitStart("forgotten")).startsWith("READY");
            processes.awaitIdAbove("forgotten", IdLayout.standard().firstIdAt(Instant.now().plusSeconds(1)));
            processes.kill();
            long last = processes.ids("forgotten").max().orElseThrow();
            Instant made = IdLayout.standard().instantOf(last);
            database.failOver();
            // it fails while the old lease has not run out
            String after;
            String started;
            int attempt = 0;
            do {
                after = "changed " + attempt++;
                start(processes, database.url(), after, "plain", WORKER, "default");
                started = processes.awaitStart(after);
            }
            while (started.startsWith("REFUSED"));
            assertThat(started).startsWith("READY");
            assertThat(IdLayout.standard()
                .instantAt(database
                    .onReplica("SELECT hwm_tick FROM shardedid_worker WHERE namespace = 'changed' AND worker_id = -1")))
                .as("begin of the new namespace")
                .isAfter(made);
            processes.awaitIdAbove(after, last);
            processes.kill();

            long[] ids = processes.ids().toArray();
            long equal = FailoverProcesses.equal(ids);
            System.out.printf("after a failover, change of the layout: ids=%,d, equal=%,d%n", ids.length, equal);
            assertThat(equal).isZero();
        }
    }

    static Map<String, String> keys(String url) {
        String lease = "shardedid.worker.lease.";
        return Map.of(lease + "url", url, lease + "username", "postgres", lease + "initialize-schema", "always");
    }

    private static void start(FailoverProcesses processes, String url, String name, String mode, int worker,
            String... replaced) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(mode, "10", "60", String.valueOf(worker), "2"));
        arguments.addAll(List.of(replaced));
        processes.start(url, name, arguments.toArray(String[]::new));
    }

}
