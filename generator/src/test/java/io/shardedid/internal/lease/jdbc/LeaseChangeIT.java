package io.shardedid.internal.lease.jdbc;

import java.time.Duration;
import java.time.Instant;
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
import io.shardedid.WorkerLeaseException;
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
import org.junit.jupiter.params.ParameterizedTest;
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

    private static final IdLayout WIDER = IdLayout.preset("many-processes");

    private static final String TABLE = "shardedid_worker";

    private static final String TOLERANT = "shardedid.worker.lease.tolerate-lost-commits";

    private static final String WORKER_IDS = "shardedid.worker.lease.worker-ids";

    private static final WorkerIdRange ALL = new WorkerIdRange(0, 126);

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
    private record Settings(IdLayout layout, boolean tolerant, WorkerIdRange workers, String table, Duration maxAhead) {

        static final Settings PLAIN = new Settings(STANDARD, false, ALL, TABLE, Duration.ofSeconds(1));

        Settings tolerant(boolean other) {
            return new Settings(this.layout, other, this.workers, this.table, this.maxAhead);
        }

        /** With all its worker ids. */
        Settings layout(IdLayout other) {
            return new Settings(other, this.tolerant, new WorkerIdRange(0, (1 << other.workerBits()) - 2), this.table,
                    this.maxAhead);
        }

        Settings workers(int first, int last) {
            return new Settings(this.layout, this.tolerant, new WorkerIdRange(first, last), this.table, this.maxAhead);
        }

        Settings table(String other) {
            return new Settings(this.layout, this.tolerant, this.workers, other, this.maxAhead);
        }

        Settings maxAhead(Duration other) {
            return new Settings(this.layout, this.tolerant, this.workers, this.table, other);
        }

        private LeaseSettings.Builder lease() {
            return LeaseSettings.builder().tolerateLostCommits(this.tolerant).workerIds(this.workers).owner("test");
        }

    }

    private ShardedIdsBuilder builder(Settings settings, TimeSource time) {
        return ShardedIds.builder().layout(settings.layout).maxAhead(settings.maxAhead).timeSource(time);
    }

    /** A process that nobody ends before the test has ended. */
    private ShardedIdEngine open(Settings settings) {
        return open(settings, settings.lease().startupTimeout(Duration.ofSeconds(60)).build());
    }

    private ShardedIdEngine open(Settings settings, LeaseSettings lease) {
        MovedTime time = new MovedTime(settings.tolerant);
        ShardedIdEngine engine = SeparateProcess.open(builder(settings, time)
            .workers(JdbcLeases.leased(lease, connections(), settings.table, SchemaInitialization.ALWAYS, List.of())));
        time.skips = false;
        this.engines.add(engine);
        return engine;
    }

    private LeaseStore store(Settings settings) {
        return JdbcLeases.store("default", connections(), settings.table, SchemaInitialization.ALWAYS);
    }

    private LeaseChange change(Settings settings) {
        return new LeaseChange(new EngineTerms(settings.layout, ShardedIds.builder().reader().shards(), "modulo",
                settings.maxAhead, Duration.ofSeconds(5), null, new MovedTime(true)), settings.lease().build(),
                store(settings));
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

    /** Ids go on above all that there were. */
    private void runsAbove(Settings settings, LeaseSettings lease) {
        long before = this.largest;
        ShardedIdEngine engine = open(settings, lease);
        assertThat(engine.next(SHARD + 1)).isGreaterThan(before);
        make(engine, settings);
    }

    private void make(ShardedIdEngine engine, Settings settings) {
        make(engine, (int) settings.maxAhead.toMillis() << settings.layout.sequenceBits());
    }

    /** None was made before. */
    private void make(ShardedIdEngine engine, int count) {
        long equal = 0;
        for (int i = 0; i < count; i++) {
            long id = engine.next(SHARD);
            equal += this.ids.add(id) ? 0 : 1;
            this.largest = Math.max(this.largest, id);
        }
        assertThat(equal).as("equal ids of %s", count).isZero();
    }

    private void remember(String name) {
        this.database.execute("CREATE TABLE %s AS SELECT * FROM %s".formatted(name, TABLE));
    }

    /** A server takes over that has nothing of what was written since then. */
    private void failOver(String remembered) {
        this.database.execute("DELETE FROM " + TABLE, "INSERT INTO %s SELECT * FROM %s".formatted(TABLE, remembered));
    }

    /** What an operator does once the processes are plain again. */
    enum Next {

        MODE {
            @Override
            Settings of(Settings tolerant) {
                return tolerant.tolerant(false);
            }
        },
        LAYOUT {
            @Override
            Settings of(Settings tolerant) {
                return tolerant.tolerant(false).layout(WIDER);
            }
        },
        TABLE {
            @Override
            Settings of(Settings tolerant) {
                return tolerant.tolerant(false).table("other_worker");
            }
        };

        abstract Settings of(Settings tolerant);

    }

    /** Each id stays alone although no row shows the tolerant process. */
    @ParameterizedTest
    @EnumSource
    void tolerantLeasesThatAFailoverHasForgotten(Next next) {
        Settings plain = Settings.PLAIN;
        runs(plain);
        refuses(plain.tolerant(true), TOLERANT);
        change(plain.tolerant(true)).run();
        remember("remembered");
        runs(plain.tolerant(true));
        failOver("remembered");
        refuses(plain, TOLERANT);

        Settings then = next.of(plain.tolerant(true));
        LeaseChange change = change(then);
        (next == Next.TABLE ? change.from(store(plain)) : change).run();
        runsAbove(then, then.lease().build());
        if (next == Next.TABLE) {
            refuses(plain);
        }
    }

    /** A row of before shows a mark far ahead, which says nothing of tolerant leases. */
    @Test
    void plainRowFarAheadIsNoSignThatTheTolerantLeasesAreOver() {
        Settings far = Settings.PLAIN.maxAhead(Duration.ofSeconds(29));
        LeaseSettings five = far.lease().workerId(5).build();
        runs(far, five).close();
        Settings tolerant = Settings.PLAIN.tolerant(true);
        change(tolerant).run();
        runs(tolerant, tolerant.lease().workerId(0).build()).close();
        remember("remembered");
        ShardedIdEngine forgotten = runs(tolerant, tolerant.lease().workerId(0).build());
        failOver("remembered");
        forgotten.close();

        refuses(Settings.PLAIN, TOLERANT);
        change(Settings.PLAIN).run();
        runsAbove(Settings.PLAIN, Settings.PLAIN.lease().workerId(0).build());
    }

    /** As after a command that broke off, or a failover that forgot its end. */
    @Test
    void closedTableGivesNothingOutUntilTheCommandHasEnded() {
        runs(Settings.PLAIN);
        this.database.execute("UPDATE %s SET layout = CONCAT('closed:', layout) WHERE worker_id = -1".formatted(TABLE));
        refuses(Settings.PLAIN);
        refuses(Settings.PLAIN.tolerant(true));
        change(Settings.PLAIN.tolerant(true)).run();
        runs(Settings.PLAIN.tolerant(true));
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
        change(far).from(store(far)).run();
        runs(far, far.lease().workerId(0).build());
    }

    @Test
    void namespaceThatBeganWhileTheClockWasAheadIsAwaitedByStartsAndRefusedByTheCommand() {
        Duration ahead = Duration.ofMinutes(30);
        moveServer(ahead);
        runs(Settings.PLAIN).close();
        moveServer(ahead.negated());
        Instant begin = STANDARD.instantAt(
                Long.parseLong(this.database.query("SELECT hwm_tick FROM %s WHERE worker_id = -1".formatted(TABLE))));
        LeaseSettings brief = Settings.PLAIN.lease()
            .window(Duration.ofSeconds(2))
            .startupTimeout(Duration.ofSeconds(3))
            .build();
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> open(Settings.PLAIN, brief))
            .matches(WorkerLeaseException::retryable)
            .withMessageContainingAll("wait", begin.toString());
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> change(Settings.PLAIN.layout(WIDER)).run())
            .satisfies((ex) -> assertThat(ex.problem().remedy()).contains("wait"));
        advance(ahead);
        runs(Settings.PLAIN);
    }

    /** Without seeing a renewal of the other one, the start would wait two minutes. */
    @Test
    void clockThatWentBackKeepsNoProcessFromStartingBesideALivingOne() {
        LeaseSettings often = Settings.PLAIN.lease()
            .window(Duration.ofSeconds(6))
            .startupTimeout(Duration.ofSeconds(60))
            .build();
        open(Settings.PLAIN).close();
        advance(Duration.ofMinutes(10));
        ShardedIdEngine old = runs(Settings.PLAIN, often);
        moveServer(Duration.ofSeconds(-120));
        for (int starts = 0; starts < 3; starts++) {
            make(open(Settings.PLAIN, often), 1000);
        }
        make(old, 1000);
    }

    /** One worker id is left to ids that the database makes. */
    @Test
    void tableThatLeavesAWorkerIdToTheDatabaseCanBeChangedLater() {
        Settings narrow = Settings.PLAIN.workers(0, 125);
        runs(Settings.PLAIN);
        change(narrow).run();
        refuses(Settings.PLAIN, WORKER_IDS);
        runs(narrow);
        Settings other = narrow.table("other_worker");
        change(other).from(store(narrow)).run();
        runs(other);
        change(other.tolerant(true)).run();
        runs(other.tolerant(true));
        Settings wider = other.layout(WIDER).workers(0, 125);
        change(wider).run();
        runs(wider);
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
