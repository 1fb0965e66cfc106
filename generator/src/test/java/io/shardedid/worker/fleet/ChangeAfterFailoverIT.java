package io.shardedid.worker.fleet;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.SeparateJvm;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process that tolerates lost commits makes ids under a lease whose renewals a failover
 * loses, and stops. Then the layout or the store of the leases changes, and the settings
 * do not mention lost commits any more. All ids are compared.
 */
@Tag("proof")
class ChangeAfterFailoverIT {

    private static final int RUNS = ProofLength.of(1, 10);

    private static final int WORKER = 2;

    @TempDir
    private Path folder;

    private final List<Process> processes = new ArrayList<>();

    private final List<Path> journals = new ArrayList<>();

    private enum Change {

        LAYOUT, STORE

    }

    static Stream<Change> changes() {
        return Stream.of(Change.values()).flatMap((change) -> Stream.generate(() -> change).limit(RUNS));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void renewalsThatWereLostMakeNoEqualIds(Change change) throws Exception {
        try (ReplicatedPostgres database = new ReplicatedPostgres(this.folder, 0)) {
            // the first makes the table
            awaitStart(start(database.url(), "first", "tolerant", 0));
            stop();
            Path forgotten = start(database.url(), "forgotten", "tolerant", WORKER);
            database.awaitOnReplica("SELECT 1 FROM shardedid_worker WHERE worker_id = " + WORKER);
            database.cutOff();
            assertThat(awaitStart(forgotten)).startsWith("READY");
            TimeUnit.SECONDS.sleep(1);
            stop();
            Instant made = IdLayout.instagram().instantOf(ids(this.journals.get(1)).max().orElseThrow());
            database.failOver();
            if (change == Change.LAYOUT) {
                // it fails while the old lease has not run out
                String started;
                int attempt = 0;
                do {
                    started = awaitStart(start(database.url(), "changed " + attempt++, "plain", WORKER, "default"));
                }
                while (started.startsWith("REFUSED"));
                assertThat(started).startsWith("READY");
                assertThat(IdLayout.instagram()
                    .instantAt(database.onReplica(
                            "SELECT hwm_tick FROM shardedid_worker WHERE namespace = 'changed' AND worker_id = -1")))
                    .as("begin of the new namespace")
                    .isAfter(made);
            }
            else {
                String other = database.createDatabase("other");
                assertThat(moveLeases(database.url(), other)).as("begin of the new leases").isAfter(made);
                assertThat(awaitStart(start(other, "moved", "plain", WORKER))).startsWith("READY");
            }
            Path after = this.journals.get(this.journals.size() - 1);
            while (ids(after).findAny().isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
            TimeUnit.SECONDS.sleep(3);
            stop();

            long[] ids = this.journals.stream().flatMapToLong(ChangeAfterFailoverIT::ids).sorted().toArray();
            long equal = ids.length - Arrays.stream(ids).distinct().count();
            System.out.printf("after a failover, change of the %s: ids=%,d, equal=%,d%n", change, ids.length, equal);
            assertThat(equal).isZero();
        }
        finally {
            stop();
        }
    }

    /** As the inspector does it, with files that have what a page asks for. */
    private static Instant moveLeases(String old, String fresh) throws Exception {
        while (true) {
            try {
                return ShardedIdSettings.from(keys(old))
                    .storeChangeTo(ShardedIdSettings.from(keys(fresh)))
                    .carry()
                    .first();
            }
            catch (WorkerLeaseException ex) {
                // a lease has not run out
                assertThat(ex).hasMessageContaining("have not run out");
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    private static Map<String, String> keys(String url) {
        String lease = "shardedid.worker.lease.";
        return Map.of(lease + "store", "database", lease + "url", url, lease + "username", "postgres",
                lease + "initialize-schema", "always");
    }

    private Path start(String url, String name, String mode, int worker, String... replaced) throws Exception {
        Path journal = this.folder.resolve(name);
        Path output = this.folder.resolve(name + ".out");
        List<String> command = SeparateJvm.command(FailoverWorker.class, ShardedIds.class, org.postgresql.Driver.class);
        command.addAll(List.of(url, journal.toString(), mode, "10", "60", String.valueOf(worker), "2"));
        command.addAll(List.of(replaced));
        this.processes
            .add(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start());
        this.journals.add(journal);
        return output;
    }

    private static String awaitStart(Path output) throws Exception {
        while (true) {
            for (String line : Files.readAllLines(output)) {
                if (line.startsWith("READY") || line.startsWith("REFUSED") || line.startsWith("Exception")) {
                    return line;
                }
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private void stop() throws InterruptedException {
        this.processes.forEach(Process::destroyForcibly);
        for (Process process : this.processes) {
            process.waitFor();
        }
    }

    private static LongStream ids(Path journal) {
        LongStream.Builder ids = LongStream.builder();
        if (Files.exists(journal)) {
            IdJournal.read(journal, (entry) -> Arrays.stream(entry.ids()).forEach(ids::add));
        }
        return ids.build();
    }

}
