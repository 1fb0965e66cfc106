package io.shardedid.internal.lease.fleet;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.shardedid.SeparateJvm;
import io.shardedid.ShardedIds;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A real process whose heap is full while it gives its lease back, and another one that
 * waits for the same worker id. All ids of both are compared.
 */
@Tag("proof")
@Tag("nightly")
class FullHeapReleaseIT {

    @TempDir
    private Path folder;

    static IntStream runs() {
        return IntStream.rangeClosed(1, ProofLength.of(2, 10));
    }

    @ParameterizedTest
    @MethodSource("runs")
    void releaseWithAFullHeapMakesNoDuplicateIds(int run) throws Exception {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        Process first = start(database, "first", "full");
        while (database.query("SELECT to_regclass('shardedid_worker')") == null
                || database.query("SELECT 1 FROM shardedid_worker WHERE worker_id = 0") == null) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        Process second = start(database, "second", "roomy");
        first.waitFor();
        second.waitFor();

        long[] ids = LongStream.concat(ids("first"), ids("second")).sorted().toArray();
        long duplicates = ids.length - Arrays.stream(ids).distinct().count();
        System.out.printf("full heap, run %s: ids=%,d, duplicates=%,d%n", run, ids.length, duplicates);
        assertThat(ids("first").count()).as("ids of the first process").isPositive();
        assertThat(ids("second").count()).as("ids of the second process").isPositive();
        assertThat(duplicates).isZero();
    }

    private Process start(TestDatabase database, String name, String heap) throws Exception {
        List<String> command = SeparateJvm.command(FullHeapWorker.class, ShardedIds.class, org.postgresql.Driver.class);
        command.addAll(List.of(database.url(), this.folder.resolve(name).toString(), heap));
        File output = this.folder.resolve(name + ".out").toFile();
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output).start();
    }

    private LongStream ids(String name) {
        LongStream.Builder ids = LongStream.builder();
        IdJournal.read(this.folder.resolve(name), (entry) -> Arrays.stream(entry.ids()).forEach(ids::add));
        return ids.build();
    }

}
