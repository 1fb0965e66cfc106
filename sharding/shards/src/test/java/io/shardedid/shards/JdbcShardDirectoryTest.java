package io.shardedid.shards;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.internal.lease.jdbc.TestConnections;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A shard map beside the lease table, kept by the keepers of engines. */
@Tag("slow")
class JdbcShardDirectoryTest {

    private static final Duration SOON = Duration.ofSeconds(1);

    private static final ShardMap MAP = ShardMap.parse("0-999: a, 1000-1999: b", 2000);

    private final TestDatabase database = TestServer.H2.freshDatabase();

    private final List<ShardedIdEngine> engines = new ArrayList<>();

    @AfterEach
    void closes() {
        this.engines.forEach(ShardedIdEngine::close);
        this.database.execute("SHUTDOWN");
    }

    private ShardedIdEngine engine(LeaseConnections connections) {
        ShardedIdEngine engine = SeparateProcess.open(ShardedIds.builder()
            .workers(JdbcLeases.leased(LeaseSettings.builder().application("test").build(), connections,
                    "shardedid_worker", SchemaInitialization.EMBEDDED, List.of())));
        synchronized (this.engines) {
            this.engines.add(engine);
        }
        return engine;
    }

    private ShardedIdEngine engine() {
        return engine(TestConnections.to(this.database));
    }

    private void moveFirstShardTo(String database) {
        this.database.execute("UPDATE shardedid_shard SET version = version + 1 WHERE shard = -1",
                "UPDATE shardedid_shard SET home = '" + database
                        + "', version = (SELECT m.version FROM shardedid_shard m WHERE m.shard = -1) WHERE shard = 0");
    }

    private static void until(BooleanSupplier reached) {
        while (!reached.getAsBoolean()) {
            assertThat(Thread.interrupted()).as("timed out").isFalse();
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void allWhoStartTogetherHaveTheMapOfOne() throws Exception {
        int starts = 4;
        CyclicBarrier gate = new CyclicBarrier(starts);
        ExecutorService threads = Executors.newFixedThreadPool(starts);
        try {
            List<Callable<ShardMap>> tasks = new ArrayList<>();
            for (int i = 0; i < starts; i++) {
                ShardMap initial = ShardMap.parse("0-1999: db" + i, 2000);
                tasks.add(() -> {
                    ShardedIdEngine engine = engine();
                    gate.await();
                    return JdbcShardDirectory.open(engine, initial, Set.of(), SOON).current();
                });
            }
            List<ShardMap> maps = new ArrayList<>();
            for (Future<ShardMap> map : threads.invokeAll(tasks)) {
                maps.add(map.get());
            }
            assertThat(maps).hasSize(starts).containsOnly(maps.get(0));
            assertThat(maps.get(0).version()).isOne();
            assertThat(this.database.query("SELECT COUNT(*) FROM shardedid_shard")).isEqualTo("2001");
        }
        finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aChangeReachesOtherProcessesByTheirKeepers() {
        try (ShardDirectory one = JdbcShardDirectory.open(engine(), MAP, Set.of("a", "b"), SOON);
                ShardDirectory two = JdbcShardDirectory.open(engine(), MAP, Set.of("a", "b"), SOON)) {
            moveFirstShardTo("b");

            until(() -> two.current().databaseOf(0).equals("b"));
            assertThat(one.refresh()).isEqualTo(two.current());
        }
    }

    @Test
    void refreshDoesNotWaitForThePoll() {
        try (ShardDirectory directory = JdbcShardDirectory.open(engine(), MAP, Set.of("a", "b"),
                Duration.ofMinutes(1))) {
            moveFirstShardTo("b");
            assertThat(directory.refresh().databaseOf(0)).isEqualTo("b");
        }
    }

    @Test
    void keepsItsMapAndTheLeaseWhileTheTableIsGone() {
        ShardedIdEngine engine = engine();
        try (ShardDirectory directory = JdbcShardDirectory.open(engine, MAP, Set.of("a", "b"), SOON)) {
            this.database.execute("ALTER TABLE shardedid_shard RENAME TO elsewhere");
            until(() -> !directory.problem().isEmpty());
            assertThat(directory.problem())
                .startsWith("Could not use the table of the shard map: table=shardedid_shard, database=H2 ")
                .contains("(it does not exist, and ");
            assertThatExceptionOfType(ShardMapException.class).isThrownBy(directory::refresh);
            assertThat(directory.current()).hasToString(MAP.toString());
            assertThat(engine.workers()).singleElement().matches((holding) -> holding.mine());

            this.database.execute("ALTER TABLE elsewhere RENAME TO shardedid_shard");
            until(() -> directory.problem().isEmpty());
            moveFirstShardTo("b");
            until(() -> directory.current().databaseOf(0).equals("b"));
        }
    }

    @Test
    void usesTheConnectionOfTheLease() {
        TestConnections connections = TestConnections.to(this.database);
        try (ShardDirectory directory = JdbcShardDirectory.open(engine(connections), MAP, Set.of(), SOON)) {
            for (int i = 0; i < 20; i++) {
                directory.refresh();
            }
            this.database.execute("ALTER TABLE shardedid_shard RENAME TO elsewhere");
            for (int i = 0; i < 5; i++) {
                assertThatExceptionOfType(ShardMapException.class).isThrownBy(directory::refresh);
            }
        }
        assertThat(connections.opened).hasValue(1);
    }

    @Test
    void withoutRoutingThereIsNoStatementAndNoTableMore() {
        Queue<String> prepared = new ConcurrentLinkedQueue<>();
        TestConnections connections = TestConnections.to(this.database).rewriting((sql) -> {
            prepared.add(sql);
            return sql;
        });
        ShardedIdEngine engine = engine(connections);
        engine.nextFor(7);
        int before = connections.executed.get();
        assertThat(engine.workers()).hasSize(1);
        assertThat(connections.executed.get() - before).isZero();
        assertThat(prepared).isNotEmpty()
            .noneMatch((sql) -> sql.contains("shardedid_shard") || sql.contains("shardedid_database"));
        assertThat(tables()).isEqualTo("1");

        JdbcShardDirectory.open(engine, MAP, Set.of(), SOON).close();
        assertThat(prepared).anyMatch((sql) -> sql.contains("SHARDEDID_SHARD"));
        assertThat(tables()).isEqualTo("3");
    }

    private String tables() {
        return this.database.query("SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME LIKE 'SHARDEDID%'");
    }

    @Test
    void refusesAnEngineWithoutALeaseTable() {
        try (ShardedIdEngine fixed = ShardedIds.builder().workers(WorkerLeases.fixed(0)).open()) {
            assertThatExceptionOfType(ShardMapException.class)
                .isThrownBy(() -> JdbcShardDirectory.open(fixed, MAP, Set.of(), SOON))
                .withMessageContainingAll("leases=FixedWorker", "set 'shardedid.worker.mode=lease'");
        }
    }

    @Test
    void refusesAMapThatNamesAnUnknownDatabase() {
        ShardedIdEngine engine = engine();
        JdbcShardDirectory.open(engine, MAP, Set.of(), SOON).close();
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> JdbcShardDirectory.open(engine, null, Set.of("a", "c"), SOON))
            .withMessageContainingAll("'b' of shards 1000-1999", "configured: 'a', 'c'", "correct");
    }

    /** An application may ask for its shards again and again. */
    @Test
    void leaseThreadForgetsADirectoryThatWasRefused() {
        TestConnections connections = TestConnections.to(this.database);
        ShardedIdEngine engine = engine(connections);
        JdbcShardDirectory.open(engine, MAP, Set.of(), SOON).close();
        int refused = 20;
        for (int i = 0; i < refused; i++) {
            assertThatExceptionOfType(ShardMapException.class)
                .isThrownBy(() -> JdbcShardDirectory.open(engine, null, Set.of("a", "c"), SOON));
        }
        int before = connections.executed.get();

        LockSupport.parkNanos(SOON.multipliedBy(3).toNanos());

        // the lease itself has its say every few seconds
        assertThat(connections.executed.get() - before).isLessThan(refused);
    }

    @Test
    void endsWithTheEngine() {
        ShardedIdEngine engine = engine();
        ShardDirectory directory = JdbcShardDirectory.open(engine, MAP, Set.of(), SOON);
        engine.close();
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(directory::refresh)
            .withMessage("Could not read the shard map: its directory is closed: namespace=default");
        directory.close();
    }

}
