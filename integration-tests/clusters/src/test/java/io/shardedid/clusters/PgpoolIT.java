package io.shardedid.clusters;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Six processes that lease through Pgpool-II, which sends to a standby what it may.
 */
class PgpoolIT {

    private static final Duration WINDOW = Duration.ofSeconds(5);

    /** What lets Pgpool-II send the reads of the lease to the standby. */
    private static final String CLOCK_IS_READ_ONLY = "read_only_function_list = 'clock_timestamp,floor,pg_catalog.extract'";

    @TempDir
    private Path folder;

    @Test
    void poolersAndServersThatAreKilledMakeNoDuplicateIds() throws Exception {
        try (Postgres primary = primary();
                Postgres standby = primary.standby(this.folder.resolve("standby"));
                Pgpool pooler = new Pgpool(this.folder, primary, standby, "");
                Trial trial = trial("Pgpool-II", pooler)) {
            trial.fault("processes killed and stopped for 15 s", WINDOW,
                    () -> trial.fleet().disturb(Duration.ofSeconds(15), 1));
            trial.fault("the pooler killed, back after 2 s", WINDOW, () -> {
                pooler.kill();
                TimeUnit.SECONDS.sleep(2);
                pooler.start();
            });
            trial.fault("the standby 20 s behind", WINDOW, () -> {
                standby.execute("SELECT pg_wal_replay_pause()");
                trial.fleet().disturb(Duration.ofSeconds(20), 2);
                standby.execute("SELECT pg_wal_replay_resume()");
            });
            trial.fault("the primary killed, back after 2 s", WINDOW, () -> {
                primary.kill();
                TimeUnit.SECONDS.sleep(2);
                primary.start();
            });
            assertThat(reads(standby)).isZero();
            assertThat(trial.alarms()).isZero();
            assertThat(trial.duplicateIds()).isZero();
        }
    }

    /** A process that reads an older lease than its own cannot renew it. */
    @Test
    void leasesThatAreReadFromAStandbyRunOutWhileItIsBehind() throws Exception {
        try (Postgres primary = primary();
                Postgres standby = primary.standby(this.folder.resolve("standby"));
                Pgpool pooler = new Pgpool(this.folder, primary, standby, CLOCK_IS_READ_ONLY);
                Trial trial = trial("Pgpool-II, leases read from the standby", pooler)) {
            trial.fault("the standby 20 s behind", WINDOW, () -> {
                standby.execute("SELECT pg_wal_replay_pause()");
                trial.fleet().run(Duration.ofSeconds(20));
                assertThat(primary.query("SELECT worker_id FROM shardedid_worker WHERE worker_id >= 0 "
                        + "AND lease_until > extract(epoch FROM clock_timestamp()) * 1000"))
                    .isEmpty();
                standby.execute("SELECT pg_wal_replay_resume()");
            });
            assertThat(reads(standby)).isPositive();
            assertThat(trial.duplicateIds()).isZero();
        }
    }

    private Postgres primary() throws Exception {
        Postgres primary = Postgres.start(this.folder.resolve("primary"),
                "shared_preload_libraries=pg_stat_statements");
        primary.execute("CREATE EXTENSION pg_stat_statements");
        return primary;
    }

    /** How many statements about leases the standby has run. */
    private static long reads(Postgres standby) throws Exception {
        return Long.parseLong(standby
            .query("SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query LIKE '%shardedid_worker%'")
            .get(0));
    }

    private Trial trial(String name, Pgpool pooler) throws Exception {
        return new Trial(name, this.folder, List.of(Trial.Source.address(false, WINDOW, "postgres", pooler.url())));
    }

}
