package io.shardedid.zookeeper;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.shardedid.tck.LeaseFleet;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.worker.LeaseReply;
import io.shardedid.worker.LeaseRow;
import io.shardedid.worker.LeaseSettings;
import io.shardedid.worker.LeaseStatement;
import io.shardedid.worker.LeaseStore;
import io.shardedid.worker.WorkerLeases;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.curator.test.TestingZooKeeperServer;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Three servers, of which some end while processes make ids. */
@Tag("proof")
class ZooKeeperClusterIT {

    private static final int TICK_MILLIS = 300;

    /** Shorter than the pauses of a process, so that sessions expire. */
    private static final int SESSION_MILLIS = 1_500;

    @TempDir
    private Path folder;

    private TestingCluster cluster;

    @BeforeEach
    void startServers() throws Exception {
        List<InstanceSpec> servers = new ArrayList<>();
        for (int id = 1; id <= 3; id++) {
            servers.add(new InstanceSpec(null, -1, -1, -1, true, id, TICK_MILLIS, 200));
        }
        this.cluster = new TestingCluster(servers);
        this.cluster.start();
    }

    @AfterEach
    void stopServers() throws Exception {
        this.cluster.close();
    }

    private static CuratorFramework client(String servers) {
        CuratorFramework client = CuratorFrameworkFactory.newClient(servers, SESSION_MILLIS, 2_000,
                new RetryOneTime(100));
        client.start();
        return client;
    }

    /** A process of the fleet leases by this. */
    static final class Source implements LeaseFleet.Source {

        @Override
        public WorkerLeases open(String address, LeaseSettings.Builder settings) {
            return ZooKeeperWorkerLeases.leased(client(address), "/ids", Ids.OPEN_ACL_UNSAFE, settings.build(),
                    List.of());
        }

    }

    @Test
    void noFaultOfProcessOrServerMakesTwoEqualIds() throws Exception {
        Duration length = Duration.ofSeconds(Integer.getInteger("shardedid.proof.seconds", 6));
        LeaseFleet fleet = new LeaseFleet(Source.class, this.cluster.getConnectString(), this.folder);
        fleet.start(4);
        try (CuratorFramework client = client(this.cluster.getConnectString());
                LeaseStore store = ZooKeeperWorkerLeases.store(client, "/ids", Ids.OPEN_ACL_UNSAFE, "fleet")) {
            store.ensure();
            fleet.run(Duration.ofSeconds(4));
            fleet.disturb(length, 1);
            InstanceSpec leader = leader().getInstanceSpec();
            this.cluster.killServer(leader);
            Instant newLeader = answered(store);
            fleet.disturb(length, 2);
            this.cluster.restartServer(leader);
            List<TestingZooKeeperServer> minority = this.cluster.getServers().subList(0, 2);
            for (TestingZooKeeperServer server : minority) {
                server.stop();
            }
            fleet.run(Duration.ofSeconds(5));
            assertThat(store.execute(new LeaseStatement.ReadAll())).isInstanceOf(LeaseReply.Unknown.class);
            for (TestingZooKeeperServer server : minority) {
                server.restart();
            }
            Instant majority = answered(store);
            fleet.disturb(length, 3);

            LeaseFleet.Outcome outcome = fleet.end();

            System.out.printf("%,d ids, %d twice, %s after a new leader, %s after the majority was back%n",
                    outcome.ids(), outcome.duplicates(), outcome.until(newLeader), outcome.until(majority));
            assertThat(outcome.duplicates()).as("ids that were made twice").isZero();
            assertThat(outcome.ids()).isGreaterThan(50_000);
            assertThat(outcome.until(newLeader)).isLessThan(Duration.ofSeconds(2));
            assertThat(outcome.until(majority)).isLessThan(Duration.ofSeconds(2));
        }
    }

    private TestingZooKeeperServer leader() throws IOException {
        while (true) {
            for (TestingZooKeeperServer server : this.cluster.getServers()) {
                if (state(server).contains("Mode: leader")) {
                    return server;
                }
            }
        }
    }

    private static String state(TestingZooKeeperServer server) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", server.getInstanceSpec().getPort())) {
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
        catch (ConnectException ex) {
            return "";
        }
    }

    private static Instant answered(LeaseStore store) {
        while (!(store.execute(new LeaseStatement.ReadAll()) instanceof LeaseReply.Rows)) {
            Thread.onSpinWait();
        }
        return Instant.now();
    }

    /**
     * Two sessions on two servers, as a process has them one after the other when a
     * session expires. The second server is busy, so that it lags behind the first one.
     */
    @Test
    void aHealthyProcessLosesItsLeaseWithoutSync() throws Exception {
        String leader = "127.0.0.1:" + leader().getInstanceSpec().getPort();
        String follower = Stream.of(this.cluster.getConnectString().split(","))
            .filter((server) -> !server.equals(leader))
            .findFirst()
            .orElseThrow();
        try (CuratorFramework one = client(leader); CuratorFramework two = client(follower)) {
            one.create().forPath("/load");
            assertThat(losesItsLease(one, two, true, 200)).isFalse();
            assertThat(losesItsLease(one, two, false, 20_000)).isTrue();
        }
    }

    private static boolean losesItsLease(CuratorFramework one, CuratorFramework two, boolean sound, int renewals)
            throws Exception {
        LeaseStore before = new Moved(one, sound);
        LeaseStore after = new Moved(two, sound);
        before.ensure();
        String token = "token";
        before.execute(new LeaseStatement.Insert(new LeaseRow(sound ? 1 : 2, token, 0, 0, 0, null, null), null));
        for (int i = 0; i < renewals; i++) {
            for (int write = 0; write < 5; write++) {
                one.setData().inBackground().forPath("/load", new byte[100_000]);
            }
            String next = "token " + i;
            LeaseStatement renewal = new LeaseStatement.Update(sound ? 1 : 2, token, 0, next, 0, 0, 0, null, null);
            LeaseStatement again = new LeaseStatement.Update(sound ? 1 : 2, next, 0, next + "'", 0, 0, 0, null, null);
            LeaseStoreCheck.assertWritten(before.execute(renewal), 1);
            if (new LeaseReply.Written(0).equals(after.execute(again))) {
                return true;
            }
            token = next + "'";
            after.execute(new LeaseStatement.ReadOne(1));
            before.execute(new LeaseStatement.ReadOne(1));
        }
        return false;
    }

    /** A store of one session. */
    private static final class Moved extends ZooKeeperLeaseStore {

        private final boolean sound;

        Moved(CuratorFramework client, boolean sound) {
            super(client, "/moving", Ids.OPEN_ACL_UNSAFE, "default", false);
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
