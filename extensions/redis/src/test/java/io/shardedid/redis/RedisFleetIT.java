package io.shardedid.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.lettuce.core.RedisURI;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.Durability;
import io.shardedid.internal.lease.LeasedWorker;
import io.shardedid.tck.LeaseFleet;
import io.shardedid.tck.OldNamespace;
import io.shardedid.tools.Needs;
import io.shardedid.tools.ProofLength;
import io.shardedid.tools.Tool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A Redis that loses writes while processes make ids. */
@Tag("proof")
@Needs(Tool.REDIS)
class RedisFleetIT {

    private static final String[] EVERY_SECOND = { "--appendonly", "yes", "--appendfsync", "everysec" };

    /** A master that was cut off from its replicas writes nothing. */
    private static final String[] CAREFUL = { "--appendonly", "yes", "--appendfsync", "everysec",
            "--min-replicas-to-write", "1", "--min-replicas-max-lag", "2" };

    /** The window of a fleet. */
    private static final Duration WINDOW = Duration.ofSeconds(4);

    /** Whoever makes no ids by then does not recover. How long it takes is printed. */
    private static final Duration RECOVERED = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private LeaseFleet fleet;

    private final Duration length = Duration.ofSeconds(ProofLength.of(6, 45));

    /** A process of the fleet leases by this. */
    static final class Source implements LeaseFleet.Source {

        @Override
        public WorkerLeases open(String address, LeaseSettings.Builder settings) {
            return RedisWorkerLeases.leased(RedisURI.create(address), "ids:",
                    settings.tolerateLostCommits(true).promotedClockBehind(Duration.ZERO).build(), List.of());
        }

    }

    @Test
    void aRestartThatLostASecondOfWritesMakesNoTwoDuplicateIds() throws Exception {
        try (RedisServer server = new RedisServer(this.folder.resolve("server"), EVERY_SECOND).start()) {
            LeaseFleet fleet = fleet("redis://127.0.0.1:" + server.port());
            fleet.awaitIds();
            fleet.disturb(this.length, 1);
            fleet.awaitIds();
            copy(server.folder(), this.folder.resolve("before"));
            fleet.run(Duration.ofSeconds(1));
            server.kill();
            delete(server.folder());
            copy(this.folder.resolve("before"), server.folder());
            server.start();
            Instant restarted = Instant.now();
            fleet.awaitIds();
            fleet.disturb(this.length, 2);
            assertUnique(fleet.end(), restarted);
        }
    }

    /** The sentinel waits so long that the leases run out. */
    @Test
    void aPromotedReplicaMakesNoTwoDuplicateIds() throws Exception {
        try (RedisServer master = new RedisServer(this.folder.resolve("master"), CAREFUL).start();
                RedisServer first = replica("first", master);
                RedisServer second = replica("second", master)) {
            Path settings = Files.writeString(this.folder.resolve("sentinel.conf"), """
                    sentinel monitor m 127.0.0.1 %s 1
                    sentinel down-after-milliseconds m %s
                    sentinel failover-timeout m 5000
                    """.formatted(master.port(), WINDOW.plusSeconds(2).toMillis()));
            try (RedisServer sentinel = new RedisServer(this.folder.resolve("sentinel"), settings).start()) {
                String address = "redis-sentinel://127.0.0.1:" + sentinel.port() + "#m";
                awaitReplicas(address);
                LeaseFleet fleet = fleet(address);
                fleet.awaitIds();
                fleet.disturb(this.length, 1);
                fleet.awaitIds();
                master.kill();
                Instant killed = Instant.now();
                Instant promoted = answered(address);
                fleet.awaitIds();
                fleet.disturb(this.length, 2);
                LeaseFleet.Outcome outcome = fleet.end();
                assertUnique(outcome, promoted);
                assertThat(outcome.madeIds(killed.plus(WINDOW).plusSeconds(1), promoted.minusSeconds(1)))
                    .as("ids without a lease")
                    .isFalse();
            }
        }
    }

    private RedisServer replica(String name, RedisServer master) {
        List<String> settings = new ArrayList<>(List.of(CAREFUL));
        settings.addAll(List.of("--replicaof", "127.0.0.1 " + master.port()));
        return new RedisServer(this.folder.resolve(name), settings.toArray(String[]::new)).start();
    }

    private LeaseFleet fleet(String address) throws IOException {
        OldNamespace.make(RedisWorkerLeases.store(RedisURI.create(address), "ids:", "fleet"), IdLayout.standard(),
                2000);
        this.fleet = new LeaseFleet(Source.class, address, Files.createDirectories(this.folder.resolve("ids")));
        this.fleet.start(3);
        return this.fleet;
    }

    @AfterEach
    void endProcesses() {
        if (this.fleet != null) {
            this.fleet.close();
        }
    }

    /** A careful master writes nothing before a replica has found it. */
    private static void awaitReplicas(String address) throws InterruptedException {
        Instant until = Instant.now().plus(RECOVERED);
        try (LeaseStore store = RedisWorkerLeases.store(RedisURI.create(address), "ids:", "fleet")) {
            while (true) {
                try {
                    store.ensure();
                    return;
                }
                catch (WorkerLeaseException ex) {
                    assertThat(Instant.now()).as("%s", ex).isBefore(until);
                    Thread.sleep(100);
                }
            }
        }
    }

    private static Instant answered(String address) {
        try (LeaseStore store = RedisWorkerLeases.store(RedisURI.create(address), "ids:", "promoted")) {
            while (!(store.execute(new LeaseStatement.Update(0, "a", 0, "b", 0, 0, 0, null, null,
                    null)) instanceof LeaseReply.Written)) {
                Thread.onSpinWait();
            }
            return Instant.now();
        }
    }

    private static void assertUnique(LeaseFleet.Outcome outcome, Instant again) {
        System.out.printf("%,d ids, %s twice; each process after the server was back: %s%n", outcome.ids(),
                outcome.duplicates(), outcome.until(again));
        assertThat(outcome.duplicates()).as("ids that were made twice").isZero();
        assertThat(outcome.ids()).isGreaterThan(30_000);
        assertThat(outcome.until(again)).allMatch((time) -> time.compareTo(RECOVERED) < 0);
    }

    /** What a process that is refused would do. */
    @Test
    void thePlainModeMakesDuplicateIdsWhenWritesAreLost() throws Exception {
        try (RedisServer server = new RedisServer(this.folder.resolve("server"), EVERY_SECOND).start()) {
            Set<Long> ids = new HashSet<>();
            try (ShardedIdEngine first = plain(server)) {
                server.kill();
                delete(server.folder());
                server.start();
                try (ShardedIdEngine second = plain(server)) {
                    boolean twice = false;
                    for (int i = 0; i < 200_000 && !twice; i++) {
                        twice = !ids.add(first.next(5)) || !ids.add(second.next(5));
                    }
                    assertThat(twice).isTrue();
                }
            }
        }
    }

    /** What servers do that write without their replicas. */
    @Test
    void twoMastersMakeDuplicateIds() {
        try (RedisServer master = new RedisServer(this.folder.resolve("master"), EVERY_SECOND).start();
                RedisServer promoted = replica("promoted", master)) {
            promoted.promote();
            promoted.configure("min-replicas-to-write", "0");
            Set<Long> ids = new HashSet<>();
            try (ShardedIdEngine first = tolerant(master); ShardedIdEngine second = tolerant(promoted)) {
                boolean twice = false;
                for (int i = 0; i < 200_000 && !twice; i++) {
                    twice = !ids.add(first.next(5)) || !ids.add(second.next(5));
                }
                assertThat(twice).isTrue();
            }
        }
    }

    private static ShardedIdEngine tolerant(RedisServer server) {
        return ShardedIds.builder()
            .workers(RedisWorkerLeases.leased(server.uri(), "ids:",
                    LeaseSettings.builder()
                        .window(Duration.ofSeconds(10))
                        .tolerateLostCommits(true)
                        .promotedClockBehind(Duration.ZERO)
                        .build(),
                    List.of()))
            .maxWait(Duration.ofMinutes(1))
            .open();
    }

    private static ShardedIdEngine plain(RedisServer server) {
        LeaseStore store = new RedisLeaseStore(server.uri(), "ids:plain") {
            @Override
            public Durability durability() {
                return Durability.CONFIGURED;
            }
        };
        return ShardedIds.builder().workers(new LeasedWorker(LeaseSettings.builder().build(), store, List.of())).open();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

}
