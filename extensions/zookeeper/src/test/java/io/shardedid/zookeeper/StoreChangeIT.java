package io.shardedid.zookeeper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerLeases;
import io.shardedid.config.LeaseEnvironment;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.tck.LeaseFleet;
import io.shardedid.tools.ProofLength;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Leases that move between ZooKeeper and PostgreSQL, where the clock of the new store is
 * behind.
 */
@Tag("proof")
@Tag("nightly")
class StoreChangeIT {

    private static final int RUNS = ProofLength.of(1, 10);

    private static final Duration BEHIND = Duration.ofSeconds(15);

    /**
     * On a busy machine, processes begin before the new store comes to the ids of the old
     * one.
     */
    private static final Duration FAR_BEHIND = Duration.ofSeconds(25);

    /** The window of a fleet, and a second. */
    private static final Duration RAN_OUT = Duration.ofSeconds(5);

    private static EmbeddedPostgres postgres;

    @TempDir
    private Path folder;

    private LeaseFleet fleet;

    /** When the processes on the old store had ids. */
    private long oldNanos;

    @BeforeAll
    static void startDatabase() throws IOException {
        postgres = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofSeconds(90)).start();
    }

    @AfterAll
    static void stopDatabase() throws IOException {
        postgres.close();
    }

    /** A process of the fleet leases by this. */
    static final class Source implements LeaseFleet.Source {

        @Override
        public WorkerLeases open(String address, LeaseSettings.Builder settings) {
            if (address.startsWith("jdbc:")) {
                return JdbcLeases.leased(settings.build(), LeaseConnections.url(address, "postgres", ""),
                        JdbcLeases.DEFAULT_TABLE, SchemaInitialization.ALWAYS, List.of());
            }
            CuratorFramework client = Ensemble.client(address.substring("zookeeper://".length()));
            return ZooKeeperWorkerLeases.leased(client, ZooKeeperWorkerLeases.DEFAULT_PATH, Ids.OPEN_ACL_UNSAFE,
                    settings.build(), List.of());
        }

    }

    /**
     * A database of its own, whose clock is another one: a function before that of the
     * server is what the statements call.
     */
    private static String freshDatabase(Duration ahead) throws Exception {
        String name = "t" + UUID.randomUUID().toString().replace("-", "");
        try (var connection = postgres.getPostgresDatabase().getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
            statement.execute("ALTER DATABASE " + name + " SET search_path = shifted, pg_catalog, public");
        }
        try (var connection = postgres.getDatabase("postgres", name).getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA shifted");
            statement.execute("CREATE FUNCTION shifted.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS "
                    + "$$ SELECT pg_catalog.clock_timestamp() + interval '%s s' $$".formatted(ahead.toSeconds()));
        }
        return "jdbc:postgresql://127.0.0.1:%s/%s".formatted(postgres.getPort(), name);
    }

    private static String address(TestingServer server) {
        return "zookeeper://" + server.getConnectString();
    }

    /** Processes on the old store end, and their leases run out. */
    private void runOnOld(String address) throws IOException {
        this.fleet = new LeaseFleet(Source.class, address,
                Files.createDirectories(this.folder.resolve(UUID.randomUUID().toString())));
        this.fleet.start(3);
        this.fleet.awaitIds();
        this.oldNanos = System.nanoTime();
        this.fleet.run(Duration.ofSeconds(1));
        for (int process = 0; process < 3; process++) {
            this.fleet.stop(process);
        }
        this.fleet.run(RAN_OUT);
    }

    private LeaseFleet.Outcome runOnNew(String address, Supplier<Duration> length) throws IOException {
        for (int process = 3; process < 6; process++) {
            this.fleet.start(address);
        }
        this.fleet.awaitIds(3, 4, 5);
        this.fleet.run(length.get());
        return this.fleet.end();
    }

    /** Until the clock of the new store has passed the ids of the old one. */
    private Duration overOld() {
        return FAR_BEHIND.plusSeconds(2).minusNanos(System.nanoTime() - this.oldNanos);
    }

    @AfterEach
    void endProcesses() {
        if (this.fleet != null) {
            this.fleet.close();
        }
    }

    /** So the command is needed. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void theWindowAloneMakesDuplicateIdsInTheDatabase() throws Exception {
        for (int run = 1; run <= RUNS; run++) {
            try (TestingServer server = new TestingServer()) {
                runOnOld(address(server));
                LeaseFleet.Outcome outcome = runOnNew(freshDatabase(FAR_BEHIND.negated()), this::overOld);
                show("zookeeper to database, without the command", outcome);
                assertThat(outcome.duplicates()).isPositive();
            }
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void theCommandMakesNoTwoDuplicateIdsInTheDatabase() throws Exception {
        for (int run = 1; run <= RUNS; run++) {
            try (TestingServer server = new TestingServer()) {
                String database = freshDatabase(BEHIND.negated());
                runOnOld(address(server));
                move(keys(address(server)), keys(database));
                LeaseFleet.Outcome outcome = runOnNew(database, () -> Duration.ofSeconds(3));
                show("zookeeper to database, with the command", outcome);
                assertThat(outcome.duplicates()).isZero();
            }
        }
    }

    /** These processes do not look into the database, as a start by keys does. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void theWindowAloneMakesDuplicateIdsInZooKeeper() throws Exception {
        for (int run = 1; run <= RUNS; run++) {
            try (TestingServer server = new TestingServer()) {
                runOnOld(freshDatabase(FAR_BEHIND));
                LeaseFleet.Outcome outcome = runOnNew(address(server), this::overOld);
                show("database to zookeeper, without the command", outcome);
                assertThat(outcome.duplicates()).isPositive();
            }
        }
    }

    /** Without the command no process starts beside the rows of the database. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void theCommandMakesNoTwoDuplicateIdsInZooKeeper() throws Exception {
        for (int run = 1; run <= RUNS; run++) {
            try (TestingServer server = new TestingServer()) {
                String database = freshDatabase(BEHIND);
                runOnOld(database);
                LeaseEnvironment application = new LeaseEnvironment(LeaseConnections.url(database, "postgres", ""),
                        false, "", List.of());
                assertThatExceptionOfType(ShardedIdConfigurationException.class)
                    .isThrownBy(() -> open(keys(address(server)), application))
                    .withMessageContaining(
                            " has no rows of namespace 'fleet', while the lease table of the application's "
                                    + "database has some: table=shardedid_worker, connection=jdbc:postgresql:")
                    .withMessageEndingWith("move the leases: java -cp CLASSPATH io.shardedid.cli.Inspector move-leases "
                            + "--old=OLD.properties --config=NEW.properties");
                move(keys(database), keys(address(server)));
                LeaseFleet.Outcome outcome = runOnNew(address(server), () -> Duration.ofSeconds(3));
                show("database to zookeeper, with the command", outcome);
                assertThat(outcome.duplicates()).isZero();
                open(keys(address(server)), application);
            }
        }
    }

    private static void open(Map<String, String> keys, LeaseEnvironment application) {
        ShardedIdSettings settings = ShardedIdSettings.from(keys);
        settings.builder().workers(settings.workers(application)).open().close();
    }

    private static Map<String, String> keys(String address) {
        String lease = "shardedid.worker.lease.";
        return address.startsWith("zookeeper:")
                ? Map.of(lease + "store", "zookeeper", lease + "url", address, lease + "namespace", "fleet",
                        lease + "window", "4s")
                : Map.of(lease + "store", "database", lease + "url", address, lease + "username", "postgres",
                        lease + "namespace", "fleet", lease + "window", "4s", lease + "initialize-schema", "always");
    }

    /** As an operator does it. */
    private void move(Map<String, String> old, Map<String, String> fresh) throws Exception {
        Process command = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), "io.shardedid.cli.Inspector", "move-leases",
                "--old=" + write(old), "--config=" + write(fresh))
            .redirectErrorStream(true)
            .redirectOutput(this.folder.resolve("move.log").toFile())
            .start();
        assertThat(command.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(command.exitValue()).as(Files.readString(this.folder.resolve("move.log"))).isZero();
    }

    private Path write(Map<String, String> keys) throws IOException {
        return Files.write(this.folder.resolve(UUID.randomUUID() + ".properties"),
                keys.entrySet().stream().map((entry) -> entry.getKey() + "=" + entry.getValue()).toList());
    }

    private static void show(String what, LeaseFleet.Outcome outcome) {
        System.out.printf("%s: %,d ids, %,d equal%n", what, outcome.ids(), outcome.duplicates());
    }

}
