package io.shardedid.clusters;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three nodes of Galera, two processes on each. A process whose node is away takes
 * another one.
 */
class GaleraIT {

    private static final Duration WINDOW = Duration.ofSeconds(5);

    @TempDir
    private Path folder;

    @Test
    void nodesThatAreStoppedKilledAndCutOffMakeNoEqualIds() throws Exception {
        try (Galera galera = new Galera(this.folder); Trial trial = trial("Galera", galera, "")) {
            trial.fleet().disturb(Duration.ofSeconds(10), 1);
            trial.fault("a node stopped for 8 s", () -> {
                galera.stop(0);
                TimeUnit.SECONDS.sleep(8);
                galera.resume(0);
                galera.awaitSynced(0);
            });
            trial.fault("a node killed", () -> galera.kill(1));
            trial.fleet().disturb(Duration.ofSeconds(5), 2);
            trial.fault("the node comes back by state transfer", () -> galera.start(1));
            trial.fault("a node in a minority", () -> {
                galera.cutOff(2, true);
                galera.awaitMinority(2);
            });
            trial.fleet().disturb(Duration.ofSeconds(5), 3);
            trial.fault("the node joins again", () -> {
                galera.cutOff(2, false);
                galera.awaitSynced(2);
            });
            trial.fault("no majority for 10 s", () -> {
                for (int node = 0; node < Galera.NODES; node++) {
                    galera.cutOff(node, true);
                }
                for (int node = 0; node < Galera.NODES; node++) {
                    galera.awaitMinority(node);
                }
                TimeUnit.SECONDS.sleep(10);
                for (int node = 0; node < Galera.NODES; node++) {
                    galera.cutOff(node, false);
                }
            });
            assertThat(trial.equalIds()).isZero();
        }
    }

    /** Who asks another node sees another time. */
    @Test
    void nodesWhoseClocksDifferByAMinuteMakeNoEqualIds() throws Exception {
        try (Galera galera = new Galera(this.folder, 0, 30, -30);
                Trial trial = trial("Galera, clocks at 0, +30 and -30 s", galera, "")) {
            trial.fault("processes killed and stopped for 20 s",
                    () -> trial.fleet().disturb(Duration.ofSeconds(20), 4));
            trial.fault("a node killed", () -> galera.kill(1));
            trial.fault("the node comes back", () -> galera.start(1));
            trial.fault("the next node killed", () -> galera.kill(2));
            assertThat(trial.equalIds()).isZero();
        }
    }

    /** Each node then has leases of its own, as with a table that is not replicated. */
    @Test
    void leasesThatAreNotReplicatedMakeEqualIds() throws Exception {
        try (Galera galera = new Galera(this.folder);
                Trial trial = trial("Galera, leases not replicated", galera, "wsrep_on=OFF")) {
            trial.fleet().run(Duration.ofSeconds(5));
            assertThat(trial.equalIds()).isPositive();
        }
    }

    private Trial trial(String name, Galera galera, String session) throws Exception {
        List<String> addresses = IntStream.range(0, Galera.NODES)
            .mapToObj((node) -> Trial.Source.address(false, WINDOW, "ids", galera.url(node, session)))
            .toList();
        return new Trial(name, this.folder, addresses);
    }

}
