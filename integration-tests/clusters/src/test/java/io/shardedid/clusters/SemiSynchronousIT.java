package io.shardedid.clusters;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * MySQL with semi-synchronous replication, by the URL of a source and its replica, which
 * finds the one that takes writes.
 */
class SemiSynchronousIT {

    /** How many processes reach the source alone, or come after a failover. */
    private static final int OTHERS = 3;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({ "timeout=3600000, false", "timeout=2000, true" })
    void failoversMakeNoDuplicateIds(String settings, boolean tolerant) throws Exception {
        Duration window = Duration.ofSeconds(tolerant ? 10 : 5);
        try (MySql mysql = mysql(settings); Trial trial = trial(mysql, settings, tolerant, window, "")) {
            trial.fleet().disturb(Duration.ofSeconds(5), 1);
            trial.fault("the replica away for 15 s", window, () -> {
                mysql.cutOff();
                TimeUnit.SECONDS.sleep(15);
                mysql.join();
            });
            trial.fault("the source killed, and the replica promoted", window, () -> {
                mysql.kill(0);
                mysql.promote();
            });
            assertThat(trial.duplicateIds()).isZero();
        }
    }

    /** What happens to a source whose replica is away. */
    enum End {

        /** It is killed. */
        KILLED,
        /** An administrator ends the sessions that wait, and it is killed. */
        SESSIONS_ENDED,
        /** It ends in order, and so do the sessions that wait. */
        SHUT_DOWN

    }

    /**
     * The source loses its replica and may go on without it, then it ends and the replica
     * is promoted that lacks the latest leases. Some processes reached the source alone,
     * and others come afterwards.
     */
    @ParameterizedTest
    @CsvSource({ "timeout=3600000, false, KILLED, false", "timeout=3600000, false, SESSIONS_ENDED, false",
            "timeout=3600000, false, SHUT_DOWN, false", "timeout=3600000 wait-no-replica=OFF, false, KILLED, true",
            "timeout=2000, false, KILLED, true", "timeout=2000, true, KILLED, false" })
    void replicaWithoutTheLatestLeasesIsPromoted(String settings, boolean tolerant, End end, boolean equal)
            throws Exception {
        Duration window = Duration.ofSeconds(tolerant ? 10 : 50);
        try (MySql mysql = mysql(settings);
                Trial trial = trial(mysql, settings, tolerant, window, ", commits lost, " + end)) {
            mysql.cutOff();
            int[] apart = trial.start(OTHERS, List.of(address(tolerant, window, mysql.url(0))));
            if (settings.equals("timeout=3600000")) {
                Set<String> waiting = new HashSet<>();
                for (int second = 0; second < 15; second++) {
                    TimeUnit.SECONDS.sleep(1);
                    for (String session : mysql.waiting()) {
                        if (waiting.add(session) && end == End.SESSIONS_ENDED) {
                            mysql.endSession(session);
                        }
                    }
                }
                assertThat(waiting).isNotEmpty();
            }
            else {
                trial.fleet().awaitIds(apart);
            }
            if (end == End.SHUT_DOWN) {
                mysql.shutDown(0);
            }
            else {
                mysql.kill(0);
            }
            mysql.promote();
            trial.fleet().awaitIds(trial.start(OTHERS, List.of(address(tolerant, window, mysql.url()))));
            trial.fleet().run(Duration.ofSeconds(3));
            assertThat(trial.duplicateIds() > 0).isEqualTo(equal);
        }
    }

    private static MySql mysql(String settings) throws Exception {
        return MySql.semiSynchronous(settings.split(" "));
    }

    private Trial trial(MySql mysql, String settings, boolean tolerant, Duration window, String what) throws Exception {
        return new Trial("MySQL, semi-synchronous, %s, %s%s".formatted(settings, tolerant ? "tolerant" : "plain", what),
                this.folder, List.of(address(tolerant, window, mysql.url())));
    }

    private static String address(boolean tolerant, Duration window, String url) {
        return Trial.Source.address(tolerant, window, "root", url);
    }

}
