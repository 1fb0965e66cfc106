package io.shardedid.internal.lease.fleet;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.shardedid.SeparateJvm;
import io.shardedid.ShardedIds;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A real process with a fixed worker whose hot shard is as far ahead of the clock as it
 * may be. It is killed, and the next one starts at once with a smaller max-ahead. All ids
 * of both are compared.
 */
@Tag("proof")
@Tag("nightly")
class FixedRestartIT {

    private static final String LARGER_THAN_ALLOWED = "PT10S";

    private static final String LARGEST = "PT1S";

    @TempDir
    private Path folder;

    static IntStream runs() {
        return IntStream.rangeClosed(1, ProofLength.of(2, 10));
    }

    @ParameterizedTest
    @MethodSource("runs")
    void smallerMaxAheadAtTheNextStartMakesNoDuplicateIds(int run) throws Exception {
        Process first = start("first", LARGER_THAN_ALLOWED);
        while (first.isAlive() && !said("first", "READY")) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        if (!said("first", "READY")) {
            assertThat(lines("first")).last().asString().startsWith("REFUSED max-ahead must be at most 1s");
            first = start("first", LARGEST);
        }
        untilMade("first");
        TimeUnit.SECONDS.sleep(1);
        first.destroyForcibly().waitFor();
        Process second = start("second", (run % 2 == 0) ? "PT0.01S" : LARGEST);
        untilMade("second");
        TimeUnit.SECONDS.sleep(3);
        second.destroyForcibly().waitFor();

        long[] ids = LongStream.concat(ids("first"), ids("second")).sorted().toArray();
        long duplicates = ids.length - Arrays.stream(ids).distinct().count();
        System.out.printf("fixed worker, run %s: ids=%,d, duplicates=%,d%n", run, ids.length, duplicates);
        assertThat(duplicates).isZero();
    }

    private Process start(String name, String maxAhead) throws Exception {
        List<String> command = new ArrayList<>(SeparateJvm.command(FixedWorkerProcess.class, ShardedIds.class));
        command.addAll(List.of(maxAhead, this.folder.resolve(name).toString()));
        File output = this.folder.resolve(name + ".out").toFile();
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output).start();
    }

    private void untilMade(String name) throws Exception {
        while (!said(name, "MADE")) {
            assertThat(said(name, "REFUSED")).isFalse();
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private boolean said(String name, String word) throws Exception {
        return lines(name).stream().anyMatch((line) -> line.startsWith(word));
    }

    private List<String> lines(String name) throws Exception {
        return Files.readAllLines(this.folder.resolve(name + ".out"));
    }

    private LongStream ids(String name) {
        LongStream.Builder ids = LongStream.builder();
        IdJournal.read(this.folder.resolve(name), (entry) -> Arrays.stream(entry.ids()).forEach(ids::add));
        return ids.build();
    }

}
