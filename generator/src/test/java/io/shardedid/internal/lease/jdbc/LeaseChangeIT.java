package io.shardedid.internal.lease.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.ShardedIdsBuilder;
import io.shardedid.TimeSource;
import io.shardedid.WorkerIdRange;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.LeaseChange;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Ways to make ids twice, or none at all, around a change of what processes of a lease
 * table have in common, and by a clock that was wrong for a moment: on real servers,
 * whose clock is moved together with that of the processes, so that waiting takes no
 * time.
 */
@ParameterizedClass
@EnumSource(names = { "POSTGRESQL", "MARIADB" })
@Tag("database")
@Tag("proof")
class LeaseChangeIT {

    private static final IdLayout STANDARD = IdLayout.standard();

    private static final String TABLE = "shardedid_worker";

    private static final String TOLERANT = "shardedid.worker.lease.tolerate-lost-commits";

    private static final String WORKER_IDS = "shardedid.worker.lease.worker-ids";

    private static final int SHARD = 5;

    @Parameter
    private TestServer server;

    private TestDatabase database;

    /** How far clocks are ahead, of the processes and of the database. */
    private final AtomicLong moved = new AtomicLong();

    private final List<ShardedIdEngine> engines = new ArrayList<>();

    private final Set<Long> ids = new HashSet<>();

    private long largest;

    @BeforeEach
    void clock() {
        this.database = this.server.freshDatabase();
        this.database.execute("CREATE TABLE clock (ahead BIGINT)", "INSERT INTO clock VALUES (0)");
    }

    @AfterEach
    void end() {
        this.engines.forEach(ShardedIdEngine::close);
    }

    private LeaseConnections connections() {
        String now = LeaseDialect.valueOf(this.server.name()).nowMillis();
        return TestConnections.to(this.database)
            .rewriting((sql) -> sql.replace(now, "(%s + (SELECT ahead FROM clock))".formatted(now)));
    }

    /** The settings of a process, or of the command. */
    private record Settings(boolean tolerant, WorkerIdRange workers, Duration maxAhead) {

        static final Settings PLAIN = new Settings(false, new WorkerIdRange(0, 126), Duration.ofSeconds(1));

        Settings tolerating() {
            return new Settings(true, this.workers, this.maxAhead);
        }

        Settings workers(int first, int last) {
            return new Settings(this.tolerant, new WorkerIdRange(first, last), this.maxAhead);
        }

        Settings maxAhead(Duration other) {
            return new Settings(this.tolerant, this.workers, other);
        }

        private LeaseSettings.Builder lease() {
            return LeaseSettings.builder().tolerateLostCommits(this.tolerant).workerIds(this.workers).owner("test");
        }

    }

    private ShardedIdsBuilder builder(Settings settings, TimeSource time) {
        return ShardedIds.builder().layout(STANDARD).maxAhead(settings.maxAhead).timeSource(time);
    }

    /** A process that nobody ends before the test has ended. */
    private ShardedIdEngine open(Settings settings) {
        return open(settings, settings.lease().startupTimeout(Duration.ofSeconds(60)).build());
    }

    private ShardedIdEngine open(Settings settings, LeaseSettings lease) {
        MovedTime time = new MovedTime(settings.tolerant);
        ShardedIdEngine engine = SeparateProcess.open(builder(settings, time)
            .workers(JdbcLeases.leased(lease, connections(), TABLE, SchemaInitialization.ALWAYS, List.of())));
        time.skips = false;
        this.engines.add(engine);
        return engine;
    }

    private LeaseStore store() {
        return JdbcLeases.store("default", connections(), TABLE, SchemaInitialization.ALWAYS);
    }

    private LeaseChange change(Settings settings) {
        return new LeaseChange(new EngineTerms(STANDARD, ShardedIds.builder().reader().shards(), "modulo",
                settings.maxAhead, Duration.ofSeconds(5), null, new MovedTime(true)), settings.lease().build(),
                store());
    }

    private void refuses(Settings settings, String... keys) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> open(settings))
            .satisfies((ex) -> {
                assertThat(ex.problem().keys()).containsExactlyInAnyOrder(keys);
                assertThat(ex.problem().remedy()).contains("Inspector change");
            });
    }

    /** A process that makes ids as far ahead of the clock as they may be. */
    private ShardedIdEngine runs(Settings settings) {
        return runs(settings, settings.lease().startupTimeout(Duration.ofSeconds(60)).build());
    }

    private ShardedIdEngine runs(Settings settings, LeaseSettings lease) {
        ShardedIdEngine engine = open(settings, lease);
        make(engine, settings);
        return engine;
    }

    /** None was made before. */
    private void make(ShardedIdEngine engine, Settings settings) {
        int count = (int) settings.maxAhead.toMillis() << STANDARD.sequenceBits();
        long equal = 0;
        for (int i = 0; i < count; i++) {
            long id = engine.next(SHARD);
            equal += this.ids.add(id) ? 0 : 1;
            this.largest = Math.max(this.largest, id);
        }
        assertThat(equal).as("duplicate ids of %s", count).isZero();
    }

    /** Each id stays alone although no row shows the tolerant process. */
    @Test
    void tolerantLeasesThatAFailoverHasForgotten() {
        Settings plain = Settings.PLAIN;
        runs(plain);
        refuses(plain.tolerating(), TOLERANT);
        change(plain.tolerating()).run();
        this.database.execute("CREATE TABLE remembered AS SELECT * FROM " + TABLE);
        runs(plain.tolerating());
        // a server takes over that has nothing of what was written since then
        this.database.execute("DELETE FROM " + TABLE, "INSERT INTO %s SELECT * FROM remembered".formatted(TABLE));
        refuses(plain, TOLERANT);

        change(plain).run();
        long before = this.largest;
        ShardedIdEngine engine = open(plain);
        assertThat(engine.next(SHARD + 1)).isGreaterThan(before);
        make(engine, plain);
    }

    /** As after a command that broke off, or a failover that forgot its end. */
    @Test
    void closedTableGivesNothingOutUntilTheCommandHasEnded() {
        runs(Settings.PLAIN);
        this.database.execute("UPDATE %s SET layout = CONCAT('closed:', layout) WHERE worker_id = -1".formatted(TABLE));
        refuses(Settings.PLAIN);
        refuses(Settings.PLAIN.tolerating());
        change(Settings.PLAIN.tolerating()).run();
        runs(Settings.PLAIN.tolerating());
    }

    @Test
    void leaseThatIsAheadBeforeTheWorkerIdBecomesFixedAndBack() {
        Settings far = Settings.PLAIN.maxAhead(Duration.ofSeconds(20));
        ShardedIdEngine leased = runs(far, far.lease().workerId(0).build());
        TableBeside beside = new TableBeside(connections(), TABLE, "default");
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> beside.refuse(OptionalInt.of(0)))
            .satisfies((ex) -> {
                assertThat(ex.problem().keys()).contains("shardedid.worker.id");
                assertThat(ex.problem().remedy()).contains("inspector change");
            });
        change(far.workers(1, 126)).run();
        leased.close();
        beside.refuse(OptionalInt.of(0));
        try (ShardedIdEngine fixed = SeparateProcess
            .open(builder(Settings.PLAIN, new MovedTime(false)).workers(WorkerLeases.fixed(0)))) {
            make(fixed, Settings.PLAIN);
        }

        // the clock of the database is behind that of the process
        moveServer(Duration.ofSeconds(-8));
        refuses(far, WORKER_IDS);
        change(far).from(store()).run();
        runs(far, far.lease().workerId(0).build());
    }

    private void moveServer(Duration duration) {
        this.database.execute("UPDATE clock SET ahead = ahead + " + duration.toMillis());
    }

    private synchronized void advance(Duration duration) {
        moveServer(duration);
        this.moved.addAndGet(duration.toNanos());
    }

    /** The clocks of a process. */
    private final class MovedTime extends TimeSource {

        /** Whether waiting takes no time. */
        private volatile boolean skips;

        MovedTime(boolean skips) {
            this.skips = skips;
        }

        @Override
        public long nanoTime() {
            return System.nanoTime() + LeaseChangeIT.this.moved.get();
        }

        @Override
        public long epochNanos() {
            return System.currentTimeMillis() * 1_000_000 + LeaseChangeIT.this.moved.get();
        }

        @Override
        public void park(long nanos) {
            if (this.skips && nanos > 50_000_000) {
                advance(Duration.ofNanos(nanos));
            }
            else {
                LockSupport.parkNanos(nanos);
            }
        }

    }

}
