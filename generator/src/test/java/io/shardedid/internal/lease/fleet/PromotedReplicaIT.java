package io.shardedid.internal.lease.fleet;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

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
    void forgottenLeaseMakesNoDuplicateIds(Failover failover) throws Exception {
        try (ReplicatedPostgres database = new ReplicatedPostgres(this.folder, failover.secondsBehind());
                FailoverProcesses processes = new FailoverProcesses(this.folder)) {
            start(processes, database, "first", "tolerant", 10, 100, 0);
            start(processes, database, "second", "tolerant", 10, 100, 1);
            processes.awaitStart("second");
            processes.awaitStart("first");
            database.cutOff();
            start(processes, database, "forgotten", "tolerant", failover.window(), 60, FORGOTTEN);
            processes.awaitStart("forgotten");
            TimeUnit.SECONDS.sleep(2);
            // it would come back at once, and take its worker id before anybody else
            processes.kill("forgotten");
            database.failOver();
            TimeUnit.SECONDS.sleep(failover.pause());
            start(processes, database, "late", failover.lateMode(), 10, failover.refused() ? 11 : 60, FORGOTTEN);
            String late = processes.awaitStart("late");
            TimeUnit.SECONDS.sleep(failover.seconds());
            processes.kill();

            long[] ids = processes.ids().toArray();
            long duplicates = FailoverProcesses.equal(ids);
            System.out.printf("failover, %s: ids=%,d, duplicates=%,d, %s%n", failover, ids.length, duplicates, late);
            assertThat(processes.ids("forgotten").count()).as("ids of the lease that was forgotten").isPositive();
            assertThat(duplicates).isZero();
            assertThat(late).startsWith(failover.refused() ? "REFUSED" : "READY");
        }
    }

    private static void start(FailoverProcesses processes, ReplicatedPostgres database, String name, String mode,
            int window, int startSeconds, int worker) throws Exception {
        processes.start(database.url(), name, mode, String.valueOf(window), String.valueOf(startSeconds),
                String.valueOf(worker), "2");
    }

}
