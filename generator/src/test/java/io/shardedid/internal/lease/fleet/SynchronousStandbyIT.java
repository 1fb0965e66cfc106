package io.shardedid.internal.lease.fleet;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.shardedid.testdb.PostgresMajor;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes in the plain mode on a primary whose synchronous standby is cut off and
 * promoted. All ids of all are compared. Beside them runs a process whose store believes
 * what the server has not confirmed: it has to be found.
 */
@Tag("proof")
@Tag("nightly")
class SynchronousStandbyIT {

    private static final int RUNS = ProofLength.of(1, 10);

    private static final int WINDOW_SECONDS = 20;

    /** How often the broken process renews before the primary may die. */
    private static final int RENEWALS = 2;

    /** Each shard is busy nearly all of the time, so that processes meet in each tick. */
    private static final String PAUSE_MILLIS = "4";

    private static final int HELD = 0;

    private static final int BELIEVING = 1;

    private static final int LATE = 2;

    @TempDir
    private Path folder;

    static Stream<PostgresMajor> versions() {
        return Stream.of(PostgresMajor.values()).flatMap((version) -> Stream.generate(() -> version).limit(RUNS));
    }

    /** What becomes of the primary. */
    private enum Shape {

        /** It stays up, cut off together with its processes. */
        PARTITION,
        /** It dies. */
        CRASH

    }

    @ParameterizedTest
    @MethodSource("versions")
    void standbyThatWasCutOffMakesNoDuplicateIds(PostgresMajor version) {
        // both at once: they wait most of the time
        List<CompletableFuture<Void>> shapes = Stream.of(Shape.values())
            .map((shape) -> CompletableFuture.runAsync(() -> run(() -> cutOff(version, shape)), (task) -> {
                Thread thread = new Thread(task, String.valueOf(shape));
                thread.setDaemon(true);
                thread.start();
            }))
            .toList();
        shapes.forEach(CompletableFuture::join);
    }

    /** The role hides warnings, and somebody frees the commits that wait. */
    @ParameterizedTest
    @MethodSource("versions")
    void cancelledCommitsThatTheRoleKeepsQuietAboutMakeNoDuplicateIds(PostgresMajor version) throws Exception {
        String quiet = "&options=-c%20client_min_messages%3Derror";
        Path folderOfRun = Files.createDirectory(this.folder.resolve("cancelled"));
        try (ReplicatedPostgres database = new ReplicatedPostgres(folderOfRun, 0, version);
                FailoverProcesses processes = new FailoverProcesses(folderOfRun)) {
            start(processes, database.primaryUrl("held") + quiet, "held", "plain", HELD);
            awaitStart(processes, "held");
            database.waitForReplica();
            database.cutOff();
            long cancelled = 0;
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WINDOW_SECONDS + 3);
            while (System.nanoTime() < end) {
                cancelled += database.onPrimary(
                        "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
                TimeUnit.MILLISECONDS.sleep(50);
            }
            database.killPrimary();
            database.promote();
            start(processes, database.replicaUrl("held-again") + quiet, "held again", "plain", HELD);
            awaitStart(processes, "held again");
            TimeUnit.SECONDS.sleep(2);
            processes.kill();
            long[] ids = processes.ids("held", "held again").toArray();
            System.out.printf("cancelled commits without warnings, PostgreSQL %s: ids=%,d, equal=%,d, cancelled=%s%n",
                    version, ids.length, FailoverProcesses.equal(ids), cancelled);
            assertThat(FailoverProcesses.equal(ids)).isZero();
            assertThat(processes.ids("held")).isNotEmpty();
            assertThat(processes.ids("held again")).isNotEmpty();
            assertThat(cancelled).isPositive();
        }
    }

    private static void run(Callable<?> work) {
        try {
            work.call();
        }
        catch (Exception ex) {
            throw new CompletionException(ex);
        }
    }

    private Void cutOff(PostgresMajor version, Shape shape) throws Exception {
        Path folderOfRun = Files.createDirectory(this.folder.resolve(String.valueOf(shape)));
        try (ReplicatedPostgres database = new ReplicatedPostgres(folderOfRun, 0, version);
                FailoverProcesses processes = new FailoverProcesses(folderOfRun)) {
            // the first makes the table
            start(processes, database.primaryUrl("held"), "held", "plain", HELD);
            awaitStart(processes, "held");
            database.waitForReplica();
            start(processes, database.primaryUrl("believing"), "believing", "believing", BELIEVING);
            awaitStart(processes, "believing");
            database.cutOff();
            start(processes, database.primaryUrl("late"), "late", "plain", LATE);
            long waiting = mostThatWait(database);
            if (shape == Shape.CRASH) {
                database.killPrimary();
            }
            database.promote();
            // alone, because it has to make ids before the clock leaves the ticks that
            // were believed
            start(processes, database.replicaUrl("believing-again"), "believing again", "plain", BELIEVING);
            awaitStart(processes, "believing again");
            start(processes, database.replicaUrl("held-again"), "held again", "plain", HELD);
            start(processes, database.replicaUrl("late-again"), "late again", "plain", LATE);
            awaitStart(processes, "held again");
            awaitStart(processes, "late again");
            TimeUnit.SECONDS.sleep(2);
            processes.kill();

            long[] right = processes.ids("held", "held again", "late", "late again").toArray();
            long[] broken = processes.ids("believing", "believing again").toArray();
            System.out.printf(
                    "synchronous standby, PostgreSQL %s, %s: ids=%,d, equal=%,d; of the process that started after the "
                            + "cut=%,d; broken: ids=%,d, equal=%,d; commits of one process that wait=%s%n",
                    version, shape, right.length, FailoverProcesses.equal(right), processes.ids("late").count(),
                    broken.length, FailoverProcesses.equal(broken), waiting);
            assertThat(FailoverProcesses.equal(right)).isZero();
            assertThat(processes.ids("held")).isNotEmpty();
            assertThat(processes.ids("held again")).isNotEmpty();
            assertThat(processes.ids("late")).as("ids of a lease that no standby knows").isEmpty();
            assertThat(FailoverProcesses.equal(broken)).as("duplicate ids of the broken process").isPositive();
            assertThat(waiting).as("commits of one process that wait").isOne();
        }
        return null;
    }

    /**
     * Counts the commits of one process that wait for the standby, until the broken
     * process has renewed its lease.
     */
    private static long mostThatWait(ReplicatedPostgres database) throws Exception {
        String mark = "SELECT hwm_tick FROM shardedid_worker WHERE worker_id = " + BELIEVING;
        long most = 0;
        for (int renewal = 0; renewal < RENEWALS; renewal++) {
            long before = database.onPrimary(mark);
            while (database.onPrimary(mark) <= before) {
                most = Math.max(most, database.onPrimary(
                        "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' GROUP BY application_name ORDER BY 1 DESC"));
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
        return most;
    }

    private static void start(FailoverProcesses processes, String url, String name, String mode, int worker)
            throws Exception {
        processes.start(url, name, mode, String.valueOf(WINDOW_SECONDS), "60", String.valueOf(worker), PAUSE_MILLIS);
    }

    private static void awaitStart(FailoverProcesses processes, String name) throws Exception {
        assertThat(processes.awaitStart(name)).startsWith("READY");
    }

}
