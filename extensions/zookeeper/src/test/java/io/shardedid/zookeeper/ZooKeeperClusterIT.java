package io.shardedid.zookeeper;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.shardedid.tck.LeaseFleet;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.tools.ProofLength;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.LeaseSettings;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.WorkerLeases;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingZooKeeperServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three servers, of which some end or are cut off while processes make ids. Each test
 * leaves all three running.
 */
@Tag("proof")
@Tag("nightly")
class ZooKeeperClusterIT {

    /** The window of a fleet. */
    private static final Duration WINDOW = Duration.ofSeconds(4);

    /**
     * Whoever makes no ids by then does not recover. How long it takes is printed, and no
     * assertion.
     */
    private static final Duration RECOVERED = Duration.ofSeconds(30);

    private static Ensemble servers;

    @TempDir
    private Path folder;

    private String path;

    private CuratorFramework client;

    private LeaseStore store;

    private LeaseFleet fleet;

    @BeforeAll
    static void startServers() throws Exception {
        servers = new Ensemble();
    }

    @AfterAll
    static void stopServers() throws Exception {
        servers.close();
    }

    @BeforeEach
    void connect(TestInfo test) throws Exception {
        this.path = "/" + test.getTestMethod().orElseThrow().getName();
        this.client = Ensemble.client(servers.addresses(servers.leader()));
        this.store = ZooKeeperWorkerLeases.store(this.client, this.path, Ids.OPEN_ACL_UNSAFE, "fleet");
        this.store.ensure();
    }

    @AfterEach
    void disconnect() {
        this.client.close();
        if (this.fleet != null) {
            this.fleet.close();
        }
    }

    /** A process of the fleet leases by this. */
    static final class Source implements LeaseFleet.Source {

        @Override
        public WorkerLeases open(String address, LeaseSettings.Builder settings) {
            String[] parts = address.split("/");
            CuratorFramework client = Ensemble.client(parts[0]);
            if (parts.length > 2) {
                client = connected(client, parts[0], parts[2]);
            }
            return ZooKeeperWorkerLeases.leased(client, "/" + parts[1], Ids.OPEN_ACL_UNSAFE, settings.build(),
                    List.of());
        }

        /** The client has the list of all servers, and chooses one by chance. */
        private static CuratorFramework connected(CuratorFramework first, String servers, String wanted) {
            CuratorFramework client = first;
            try {
                while (!client.getZookeeperClient().blockUntilConnectedOrTimedOut()
                        || !client.getZookeeperClient().getZooKeeper().toString().contains(wanted + " ")) {
                    client.close();
                    client = Ensemble.client(servers);
                }
                client.create().withMode(CreateMode.EPHEMERAL).forPath(alive(ProcessHandle.current().pid()));
                return client;
            }
            catch (Exception ex) {
                throw new IllegalStateException(ex);
            }
        }

    }

    /** A node that ends with the session of a process. */
    private static String alive(long pid) {
        return "/alive-" + pid;
    }

    private LeaseFleet fleet(String addresses) {
        this.fleet = new LeaseFleet(Source.class, addresses + this.path, this.folder);
        return this.fleet;
    }

    /** A process that has the addresses of all servers, and begins with this one. */
    private String beginningWith(TestingZooKeeperServer server) {
        return servers.addresses() + this.path + "/" + Ensemble.address(server);
    }

    /** The session of this test expires, too. */
    private LeaseReply.Rows read() throws Exception {
        List<LeaseReply.Rows> read = new ArrayList<>();
        Ensemble.await("an answer",
                () -> this.store.execute(new LeaseStatement.ReadAll()) instanceof LeaseReply.Rows rows
                        && read.add(rows));
        return read.get(0);
    }

    private LeaseRow rowOf(long pid) throws Exception {
        return read().rows()
            .stream()
            .filter((row) -> String.valueOf(row.owner()).endsWith("pid " + pid))
            .findFirst()
            .orElseThrow();
    }

    @Test
    void noFaultOfProcessOrServerMakesTwoDuplicateIds() throws Exception {
        Duration length = Duration.ofSeconds(ProofLength.of(3, 45));
        LeaseFleet fleet = fleet(servers.addresses());
        fleet.start(4);
        fleet.awaitIds();
        fleet.disturb(length, 1);
        fleet.awaitIds();

        TestingZooKeeperServer first = servers.leader();
        first.kill();
        servers.leader(first);
        Instant second = Instant.now();
        fleet.awaitIds();
        fleet.disturb(length, 2);
        first.restart();
        fleet.awaitIds();

        TestingZooKeeperServer leader = servers.leader();
        TestingZooKeeperServer follower = servers.follower();
        leader.stop();
        follower.stop();
        Instant lost = Instant.now();
        fleet.run(WINDOW.plusSeconds(2));
        assertThat(this.store.execute(new LeaseStatement.ReadAll())).isInstanceOf(LeaseReply.Unknown.class);
        Instant back = Instant.now();
        follower.restart();
        servers.leader(leader);
        Instant third = Instant.now();
        fleet.awaitIds();
        leader.restart();
        fleet.disturb(length, 3);

        LeaseFleet.Outcome outcome = fleet.end();

        System.out.printf("%,d ids, %s twice; each process after a new leader: %s; with leases that had run out: %s%n",
                outcome.ids(), outcome.duplicates(), outcome.until(second), outcome.until(third));
        assertThat(outcome.duplicates()).as("ids that were made twice").isZero();
        assertThat(outcome.ids()).isGreaterThan(50_000);
        assertThat(outcome.madeIds(lost.plus(WINDOW).plusSeconds(1), back)).as("ids without a lease").isFalse();
        assertThat(outcome.until(second)).allMatch((time) -> time.compareTo(RECOVERED) < 0);
        assertThat(outcome.until(third)).allMatch((time) -> time.compareTo(RECOVERED) < 0);
    }

    /** No process starts meanwhile: the running ones make their nodes again. */
    @Test
    void processesMakeDeletedNodesAgainAndNoIdTwice() throws Exception {
        LeaseFleet fleet = fleet(servers.addresses());
        fleet.start(3);
        fleet.awaitIds();
        for (String gone : List.of(this.path, this.path + "/fleet/workers", this.path + "/fleet/clock", this.path)) {
            long highest = read().rows().stream().mapToLong(LeaseRow::hwmTick).max().orElseThrow();
            this.client.delete().guaranteed().deletingChildrenIfNeeded().forPath(gone);
            // each has asked for its row by then, and lost its lease
            fleet.run(WINDOW);
            fleet.awaitIds();
            List<LeaseRow> rows = read().rows();
            assertThat(rows).as(gone).hasSizeGreaterThanOrEqualTo(4);
            assertThat(rows).filteredOn((row) -> row.worker() != LeaseRow.LAYOUT && row.leaseUntilMillis() != 0)
                .as("%s: leased from above all before", gone)
                .allMatch((row) -> row.hwmTick() > highest);
        }
        LeaseFleet.Outcome outcome = fleet.end();
        System.out.printf("Deleted nodes: %,d ids, %s twice%n", outcome.ids(), outcome.duplicates());
        assertThat(outcome.duplicates()).as("ids that were made twice").isZero();
    }

    /**
     * The server is cut off twice: while it leads, and while it follows the leader that
     * the others have elected.
     */
    @Test
    void aMinorityRenewsNothingAndItsProcessGoesToAnotherServer() throws Exception {
        TestingZooKeeperServer minority = servers.leader();
        LeaseFleet fleet = fleet(servers.addresses(minority));
        fleet.start(1);
        fleet.start(Ensemble.address(minority) + this.path);
        fleet.start(beginningWith(minority));
        fleet.awaitIds();
        Partition asLeader = cutOff(minority, fleet);
        Partition asFollower = cutOff(minority, fleet);

        LeaseFleet.Outcome outcome = fleet.end();

        System.out.printf("%,d ids, %s twice%n", outcome.ids(), outcome.duplicates());
        assertThat(outcome.duplicates()).as("ids that were made twice").isZero();
        for (Partition partition : List.of(asLeader, asFollower)) {
            Instant from = partition.cut().plus(WINDOW).plusSeconds(1);
            System.out.printf(
                    "Last ids of the process that stays with the minority: %s after the cut; again: %s after "
                            + "the end%n",
                    partition.last(outcome.processes().get(1)), outcome.processes().get(1).until(partition.healed()));
            assertThat(outcome.processes()).extracting((run) -> run.madeIds(from, partition.healed()))
                .as("ids after the window")
                .containsExactly(true, false, true);
        }
    }

    private Partition cutOff(TestingZooKeeperServer minority, LeaseFleet fleet) throws Exception {
        servers.cutOff(minority);
        Instant cut = Instant.now();
        servers.leader(minority);
        fleet.run(Duration.ofSeconds(1));
        LeaseRow held = rowOf(fleet.pid(1));
        fleet.run(WINDOW.plusSeconds(2));
        assertThat(rowOf(fleet.pid(1))).isEqualTo(held);
        Instant healed = Instant.now();
        servers.heal();
        fleet.awaitIds();
        return new Partition(cut, healed);
    }

    private record Partition(Instant cut, Instant healed) {

        Duration last(LeaseFleet.Run run) {
            return run.batches()
                .stream()
                .filter((batch) -> batch.isBefore(this.healed))
                .reduce((one, next) -> next)
                .map((batch) -> Duration.between(this.cut, batch))
                .orElseThrow();
        }

    }

    @Test
    void aProcessThatWasStoppedLosesItsSessionAndUsesItsOldLeaseNoMore() throws Exception {
        LeaseFleet fleet = fleet(servers.addresses());
        fleet.start(beginningWith(servers.leader()));
        fleet.awaitIds();
        long stopped = fleet.pid(0);
        fleet.stop(0);
        Ensemble.await("the end of the session", () -> this.client.checkExists().forPath(alive(stopped)) == null);
        int worker = rowOf(stopped).worker();
        Ensemble.await("the end of the lease", () -> rowOf(stopped).leaseUntilMillis() < read().databaseMillis());
        fleet.start(1);
        fleet.awaitIds(1);
        assertThat(rowOf(fleet.pid(1)).worker()).isEqualTo(worker);
        Instant resumed = Instant.now();
        fleet.resume(0);
        fleet.awaitIds();

        LeaseFleet.Outcome outcome = fleet.end();

        System.out.printf("%,d ids, %s twice; after a session that had expired: %s%n", outcome.ids(),
                outcome.duplicates(), outcome.processes().get(0).until(resumed));
        assertThat(outcome.duplicates()).as("ids that were made twice").isZero();
    }

    /**
     * Two sessions on two servers, as a process has them one after the other when a
     * session expires. The second server lags behind the first one.
     */
    @Test
    void aHealthyProcessLosesItsLeaseWithoutSync() throws Exception {
        TestingZooKeeperServer late = servers.follower();
        try (CuratorFramework one = Ensemble.client(servers.addresses(late));
                CuratorFramework two = Ensemble.client(Ensemble.address(late))) {
            assertThat(renewedByTheSecond(one, two, late, true)).isEqualTo(new LeaseReply.Written(1));
            assertThat(renewedByTheSecond(one, two, late, false)).isEqualTo(new LeaseReply.Written(0));
        }
    }

    /**
     * The second session renews what the first one has just renewed. Its server must not
     * be away so long that it gives up, which a busy machine may do to it.
     */
    private LeaseReply renewedByTheSecond(CuratorFramework one, CuratorFramework two, TestingZooKeeperServer late,
            boolean sound) throws Exception {
        LeaseStore before = new Moved(one, this.path, true);
        LeaseStore after = new Moved(two, this.path, sound);
        before.ensure();
        LeaseReply reply = new LeaseReply.Unknown(new IllegalStateException("no attempt"));
        for (int attempt = 0; attempt < 10 && reply instanceof LeaseReply.Unknown; attempt++) {
            int worker = 2 * attempt + (sound ? 1 : 0);
            before.execute(new LeaseStatement.Insert(new LeaseRow(worker, "a", 0, 0, 0, null, null), null));
            new Moved(two, this.path, true).ensure();
            servers.cutOff(late);
            LeaseStoreCheck.assertWritten(before.execute(renewal(worker, "a", "b")), 1);
            CompletableFuture<LeaseReply> answer = CompletableFuture
                .supplyAsync(() -> after.execute(renewal(worker, "b", "c")));
            if (sound) {
                servers.heal();
            }
            reply = answer.get();
            servers.heal();
        }
        return reply;
    }

    private static LeaseStatement renewal(int worker, String seen, String token) {
        return new LeaseStatement.Update(worker, seen, 0, token, 0, 0, 0, null, null, null);
    }

    /** A store of one session. */
    private static final class Moved extends ZooKeeperLeaseStore {

        private final boolean sound;

        Moved(CuratorFramework client, String path, boolean sound) {
            super(client, path, Ids.OPEN_ACL_UNSAFE, "moved");
            this.sound = sound;
        }

        @Override
        void catchUp(String node) throws Exception {
            if (this.sound) {
                super.catchUp(node);
            }
        }

    }

}
