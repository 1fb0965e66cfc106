package io.shardedid.worker.fleet;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.shardedid.SeparateJvm;
import io.shardedid.ShardedIds;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes that tolerate lost commits, on a replica that is promoted after it has lost
 * the lease of one of them. All ids of all are compared.
 */
@Tag("proof")
class PromotedReplicaIT {

    /** How often the failovers run that fail soonest where a rule is missing. */
    private static final int RUNS = ProofLength.of(1, 10);

    /** How often the other failovers run, which each build leaves out. */
    private static final int OTHER_RUNS = ProofLength.of(0, 10);

    /**
     * The worker id of the lease that is forgotten, and of the process that comes late.
     */
    private static final int FORGOTTEN = 2;

    @TempDir
    private Path folder;

    private final List<Process> processes = new ArrayList<>();

    private final List<Path> journals = new ArrayList<>();

    /**
     * One failover.
     *
     * @param name what differs
     * @param secondsBehind how far the clock of the promoted server is behind
     * @param window of the process whose lease is forgotten, in seconds
     * @param pause seconds between the failover and the process that comes then
     * @param lateMode the mode of that process
     * @param seconds how long it makes ids
     * @param refused whether it is refused instead
     */
    record Failover(String name, int secondsBehind, int window, int pause, String lateMode, int seconds,
            boolean refused) {

        @Override
        public String toString() {
            return this.name;
        }

    }

    static Stream<Failover> failovers() {
        return Stream
            .of(runs(RUNS, new Failover("clock behind by 5 s", 5, 10, 0, "tolerant", 5, false)),
                    runs(RUNS, new Failover("window of 30 s beside 10 s", 0, 30, 14, "tolerant", 12, false)),
                    runs(OTHER_RUNS, new Failover("one window, one clock", 0, 10, 0, "tolerant", 5, false)),
                    runs(OTHER_RUNS, new Failover("a plain process", 0, 10, 0, "plain", 15, true)))
            .flatMap((runs) -> runs);
    }

    private static Stream<Failover> runs(int count, Failover failover) {
        return Stream.generate(() -> failover).limit(count);
    }

    @ParameterizedTest
    @MethodSource("failovers")
    void forgottenLeaseMakesNoEqualIds(Failover failover) throws Exception {
        try (ReplicatedPostgres database = new ReplicatedPostgres(this.folder, failover.secondsBehind())) {
            Path first = start(database, "first", "tolerant", 10, 60, 0);
            awaitStart(start(database, "second", "tolerant", 10, 60, 1));
            awaitStart(first);
            database.cutOff();
            awaitStart(start(database, "forgotten", "tolerant", failover.window(), 60, FORGOTTEN));
            TimeUnit.SECONDS.sleep(2);
            // it would come back at once, and take its worker id before anybody else
            this.processes.get(2).destroyForcibly().waitFor();
            database.failOver();
            TimeUnit.SECONDS.sleep(failover.pause());
            String late = awaitStart(
                    start(database, "late", failover.lateMode(), 10, failover.refused() ? 11 : 60, FORGOTTEN));
            TimeUnit.SECONDS.sleep(failover.seconds());
            this.processes.forEach(Process::destroyForcibly);
            for (Process process : this.processes) {
                process.waitFor();
            }

            long[] ids = this.journals.stream().flatMapToLong(PromotedReplicaIT::ids).sorted().toArray();
            long duplicates = ids.length - Arrays.stream(ids).distinct().count();
            System.out.printf("failover, %s: ids=%,d, duplicates=%,d, %s%n", failover, ids.length, duplicates, late);
            assertThat(ids(this.journals.get(2)).count()).as("ids of the lease that was forgotten").isPositive();
            assertThat(duplicates).isZero();
            assertThat(late).startsWith(failover.refused() ? "REFUSED" : "READY");
        }
        finally {
            this.processes.forEach(Process::destroyForcibly);
        }
    }

    private Path start(ReplicatedPostgres database, String name, String mode, int window, int startSeconds, int worker)
            throws Exception {
        Path journal = this.folder.resolve(name);
        Path output = this.folder.resolve(name + ".out");
        List<String> command = SeparateJvm.command(FailoverWorker.class, ShardedIds.class, org.postgresql.Driver.class);
        command.addAll(List.of(database.url(), journal.toString(), mode, String.valueOf(window),
                String.valueOf(startSeconds), String.valueOf(worker), "2"));
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

    private static LongStream ids(Path journal) {
        LongStream.Builder ids = LongStream.builder();
        if (Files.exists(journal)) {
            IdJournal.read(journal, (entry) -> Arrays.stream(entry.ids()).forEach(ids::add));
        }
        return ids.build();
    }

}
