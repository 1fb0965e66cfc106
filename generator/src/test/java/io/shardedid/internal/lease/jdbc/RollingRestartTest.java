package io.shardedid.internal.lease.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.Seed;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.internal.lease.IdSet;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * 25 processes on 31 worker ids that are all replaced within one window; times are a
 * tenth of the defaults. Each process is an engine with a registry, a keeper and a
 * connection of its own; one that is killed never reaches the table again.
 */
@Tag("slow")
class RollingRestartTest {

    private static final int PROCESSES = 25;

    /** As many as there are worker ids beyond one for each process, less one. */
    private static final int KILLED = 5;

    private static final Duration WINDOW = Duration.ofSeconds(3);

    private static final LeaseSettings SETTINGS = LeaseSettings.builder()
        .window(WINDOW)
        .startupTimeout(Duration.ofSeconds(9))
        .application("me")
        .build();

    private final TestDatabase database = TestServer.H2.freshDatabase();

    private final List<ShardedIdEngine> all = new ArrayList<>();

    private final IdSet made = new IdSet();

    private record Running(ShardedIdEngine ids, GatedConnections connections) {
    }

    @AfterEach
    void endsAll() {
        this.all.forEach(ShardedIdEngine::close);
        this.database.execute("SHUTDOWN");
    }

    @Test
    void refusesNoStartWhileProcessesAreReplacedOneByOne() throws Exception {
        Seed seed = Seed.ofThisRun();
        Random random = seed.random();
        Set<Integer> killed = random.ints(0, PROCESSES).distinct().limit(KILLED).boxed().collect(Collectors.toSet());
        List<Running> fleet = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            fleet.add(kept(start()));
        }
        long longest = 0;
        long began = System.nanoTime();
        for (int i = 0; i < PROCESSES; i++) {
            use(fleet, seed);
            Running old = fleet.get(i);
            if (killed.contains(i)) {
                old.connections().shut();
            }
            else {
                old.ids().close();
            }
            long started = System.nanoTime();
            fleet.set(i, kept(start()));
            longest = Math.max(longest, System.nanoTime() - started);
            long pace = began + WINDOW.toNanos() * (i + 1) / PROCESSES - System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(Math.max(0, pace));
        }
        use(fleet, seed);
        System.out.printf("rolling restart: %s, processes=%s replaced in %s ms, longest start=%s ms%n", seed, PROCESSES,
                (System.nanoTime() - began) / 1_000_000, longest / 1_000_000);
        assertThat(fleet).extracting((running) -> running.ids().stats().worker())
            .doesNotHaveDuplicates()
            .doesNotContain(-1);
    }

    @Test
    void waitsForTheWorkersOfAFleetThatWasKilled() throws Exception {
        List<Running> fleet = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            fleet.add(kept(start()));
        }
        for (Running running : fleet) {
            running.connections().shut();
        }
        fleet.clear();
        ExecutorService starters = Executors.newFixedThreadPool(PROCESSES);
        try {
            List<Future<Running>> starts = new ArrayList<>();
            long began = System.nanoTime();
            for (int i = 0; i < PROCESSES; i++) {
                starts.add(starters.submit(this::start));
            }
            for (Future<Running> start : starts) {
                fleet.add(kept(start.get()));
            }
            System.out.printf("restart of a killed fleet: processes=%s, all started after %s ms%n", PROCESSES,
                    (System.nanoTime() - began) / 1_000_000);
            use(fleet, null);
            assertThat(fleet).extracting((running) -> running.ids().stats().worker())
                .doesNotHaveDuplicates()
                .doesNotContain(-1);
        }
        finally {
            starters.shutdownNow();
        }
    }

    private Running start() {
        GatedConnections connections = new GatedConnections(this.database);
        return new Running(SeparateProcess.open(ShardedIds.builder()
            .workers(JdbcLeases.leased(SETTINGS, connections, "shardedid_worker", SchemaInitialization.ALWAYS,
                    List.of()))),
                connections);
    }

    private Running kept(Running running) {
        this.all.add(running.ids());
        return running;
    }

    private void use(List<Running> fleet, Seed seed) {
        long[] some = new long[100];
        for (Running running : fleet) {
            running.ids().next(7, some);
            for (long id : some) {
                assertThat(this.made.add(id)).as("new, %s", seed).isTrue();
            }
        }
    }

}
