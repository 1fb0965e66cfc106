package io.shardedid.worker.fleet;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.shardedid.SeparateJvm;
import io.shardedid.ShardedIds;
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
    void standbyThatWasCutOffMakesNoEqualIds(PostgresMajor version) {
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
    void cancelledCommitsThatTheRoleKeepsQuietAboutMakeNoEqualIds(PostgresMajor version) throws Exception {
        String quiet = "&options=-c%20client_min_messages%3Derror";
        Run run = new Run(Files.createDirectory(this.folder.resolve("cancelled")));
        try (ReplicatedPostgres database = new ReplicatedPostgres(run.folder, 0, version)) {
            run.awaitStart(run.start(database.primaryUrl("held") + quiet, "held", "plain", HELD));
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
            run.awaitStart(run.start(database.replicaUrl("held-again") + quiet, "held again", "plain", HELD));
            TimeUnit.SECONDS.sleep(2);
            run.kill();
            long[] ids = run.ids("held", "held again");
            System.out.printf("cancelled commits without warnings, PostgreSQL %s: ids=%,d, equal=%,d, cancelled=%d%n",
                    version, ids.length, equal(ids), cancelled);
            assertThat(equal(ids)).isZero();
            assertThat(run.ids("held")).isNotEmpty();
            assertThat(run.ids("held again")).isNotEmpty();
            assertThat(cancelled).isPositive();
        }
        finally {
            run.kill();
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
        Run run = new Run(Files.createDirectory(this.folder.resolve(String.valueOf(shape))));
        try (ReplicatedPostgres database = new ReplicatedPostgres(run.folder, 0, version)) {
            // the first makes the table
            run.awaitStart(run.start(database.primaryUrl("held"), "held", "plain", HELD));
            database.waitForReplica();
            run.awaitStart(run.start(database.primaryUrl("believing"), "believing", "believing", BELIEVING));
            database.cutOff();
            run.start(database.primaryUrl("late"), "late", "plain", LATE);
            long waiting = mostThatWait(database);
            if (shape == Shape.CRASH) {
                database.killPrimary();
            }
            database.promote();
            // alone, because it has to make ids before the clock leaves the ticks that
            // were believed
            run.awaitStart(run.start(database.replicaUrl("believing-again"), "believing again", "plain", BELIEVING));
            Path held = run.start(database.replicaUrl("held-again"), "held again", "plain", HELD);
            Path late = run.start(database.replicaUrl("late-again"), "late again", "plain", LATE);
            run.awaitStart(held);
            run.awaitStart(late);
            TimeUnit.SECONDS.sleep(2);
            run.kill();

            long[] right = run.ids("held", "held again", "late", "late again");
            long[] broken = run.ids("believing", "believing again");
            System.out.printf(
                    "synchronous standby, PostgreSQL %s, %s: ids=%,d, equal=%,d; of the process that started after the "
                            + "cut=%,d; broken: ids=%,d, equal=%,d; commits of one process that wait=%s%n",
                    version, shape, right.length, equal(right), run.ids("late").length, broken.length, equal(broken),
                    waiting);
            assertThat(equal(right)).isZero();
            assertThat(run.ids("held")).isNotEmpty();
            assertThat(run.ids("held again")).isNotEmpty();
            assertThat(run.ids("late")).as("ids of a lease that no standby knows").isEmpty();
            assertThat(equal(broken)).as("equal ids of the broken process").isPositive();
            assertThat(waiting).as("commits of one process that wait").isOne();
        }
        finally {
            run.kill();
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

    private static long equal(long[] ids) {
        return ids.length - Arrays.stream(ids).distinct().count();
    }

    /** The processes of one run, and what they leave behind. */
    private static final class Run {

        final Path folder;

        private final Map<String, Path> journals = new LinkedHashMap<>();

        private final List<Process> processes = new ArrayList<>();

        Run(Path folder) {
            this.folder = folder;
        }

        Path start(String url, String name, String mode, int worker) throws Exception {
            Path journal = this.folder.resolve(name);
            Path output = this.folder.resolve(name + ".out");
            List<String> command = SeparateJvm.command(FailoverWorker.class, ShardedIds.class,
                    org.postgresql.Driver.class);
            command.addAll(List.of(url, journal.toString(), mode, String.valueOf(WINDOW_SECONDS), "60",
                    String.valueOf(worker), PAUSE_MILLIS));
            this.processes
                .add(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start());
            this.journals.put(name, journal);
            return output;
        }

        void awaitStart(Path output) throws Exception {
            while (Files.readAllLines(output).stream().noneMatch((line) -> line.startsWith("READY"))) {
                assertThat(Files.readString(output)).doesNotContain("REFUSED", "Exception in");
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }

        void kill() throws InterruptedException {
            this.processes.forEach(Process::destroyForcibly);
            for (Process process : this.processes) {
                process.waitFor();
            }
        }

        long[] ids(String... names) {
            LongStream.Builder ids = LongStream.builder();
            for (String name : names) {
                if (Files.exists(this.journals.get(name))) {
                    IdJournal.read(this.journals.get(name), (entry) -> Arrays.stream(entry.ids()).forEach(ids::add));
                }
            }
            return ids.build().sorted().toArray();
        }

    }

}
