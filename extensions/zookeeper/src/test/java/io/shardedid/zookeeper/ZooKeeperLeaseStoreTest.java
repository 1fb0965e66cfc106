package io.shardedid.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.tck.LeaseRace;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.tck.LeaseStoreContract;
import io.shardedid.internal.config.LeaseEnvironment;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.tools.FreePort;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The contract on a real server of ZooKeeper. */
@Tag("database")
class ZooKeeperLeaseStoreTest extends LeaseStoreContract {

    private static TestingServer server;

    private CuratorFramework client;

    @BeforeAll
    static void startServer() throws Exception {
        server = new TestingServer(FreePort.find());
    }

    @AfterAll
    static void stopServer() throws Exception {
        server.close();
    }

    @BeforeEach
    void connect() {
        this.client = client("me:secret");
    }

    private static CuratorFramework client(String login) {
        CuratorFramework client = CuratorFrameworkFactory.builder()
            .connectString(server.getConnectString())
            .retryPolicy(new RetryOneTime(100))
            .authorization("digest", login.getBytes(StandardCharsets.UTF_8))
            .build();
        client.start();
        return client;
    }

    @AfterEach
    void disconnect() {
        this.client.close();
    }

    @Override
    protected LeaseStore open(String namespace) {
        return ZooKeeperWorkerLeases.store(this.client, "/ids/leases", Ids.OPEN_ACL_UNSAFE, namespace);
    }

    @Test
    void anotherLoginIsRefused() {
        String namespace = freshNamespace();
        store("/mine", Ids.CREATOR_ALL_ACL, namespace).ensure();
        try (CuratorFramework other = client("other:secret")) {
            LeaseStore store = ZooKeeperWorkerLeases.store(other, "/mine", Ids.CREATOR_ALL_ACL, namespace);
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(store::ensure)
                .satisfies((ex) -> assertThat(store.isTransient(ex)).isFalse())
                .withMessageContainingAll("store=zookeeper", "node=/mine/" + namespace + "/clock", "addauth");
        }
    }

    /** Whoever prepares the nodes for an application locks what is above them. */
    @Test
    void nodesThatExistNeedNoRightToCreateThem() throws Exception {
        String locked = "/" + freshNamespace();
        this.client.create().withACL(Ids.CREATOR_ALL_ACL).forPath(locked);
        this.client.create().withACL(Ids.OPEN_ACL_UNSAFE).forPath(locked + "/feed");
        try (CuratorFramework other = client("other:secret")) {
            LeaseStore store = ZooKeeperWorkerLeases.store(other, locked + "/feed", Ids.CREATOR_ALL_ACL, "default");
            store.ensure();
            assertThat(LeaseStoreCheck.read(store).rows()).isEmpty();
        }
    }

    /**
     * The wait for a first connection ends at once; the answers to requests are bounded
     * anyway.
     */
    @Test
    void startThatIsInterruptedStaysInterrupted() throws Exception {
        try (CuratorFramework nowhere = CuratorFrameworkFactory.newClient("127.0.0.1:1", new RetryOneTime(100))) {
            nowhere.start();
            LeaseStore store = ZooKeeperWorkerLeases.store(nowhere, "/ids", Ids.OPEN_ACL_UNSAFE, "default");
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(store::ensure)
                .withCauseInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
        this.client.blockUntilConnected();
        Thread.currentThread().interrupt();
        LeaseStore store = open(freshNamespace());
        store.ensure();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(LeaseStoreCheck.read(store).rows()).isEmpty();
    }

    @Test
    void aLeaseThatMayNotBeReadIsNotMissing() throws Exception {
        String namespace = freshNamespace();
        LeaseStore store = open(namespace);
        store.ensure();
        store.execute(new LeaseStatement.Insert(new LeaseRow(3, "one", 1, 0, 0, "me", null), null));
        this.client.setACL()
            .withACL(List.of(new ACL(Perms.ALL & ~Perms.READ, Ids.ANYONE_ID_UNSAFE)))
            .forPath("/ids/leases/" + namespace + "/workers/3");

        assertThat(Stream.of(new LeaseStatement.ReadAll(), new LeaseStatement.ReadOne(3),
                new LeaseStatement.Update(3, "one", 0, "two", 1, 0, 0, "me", null, null)))
            .map(store::execute)
            .allMatch(LeaseReply.Unknown.class::isInstance);
    }

    private LeaseStore store(String path, List<ACL> rights, String namespace) {
        return ZooKeeperWorkerLeases.store(this.client, path, rights, namespace);
    }

    @Test
    void aNodeThatIsNoLeaseIsRefused() throws Exception {
        String namespace = freshNamespace();
        LeaseStore store = ready(namespace);
        String node = "/ids/leases/" + namespace + "/workers/3";
        this.client.create().forPath(node);
        Map<String, String> noLeases = Map.of("a lock", "it does not begin with 'shardedid-lease=1'",
                "shardedid-lease=1\nfence=1", "it has no token", "shardedid-lease=1\ntoken=a\nfence=one",
                "'fence=one' is no number", "shardedid-lease=1\ntoken=a\nfence=1\nlease_until=2", "it has no hwm_tick");
        for (Map.Entry<String, String> noLease : noLeases.entrySet()) {
            this.client.setData().forPath(node, noLease.getKey().getBytes(StandardCharsets.UTF_8));
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(store::ensure)
                .withMessageContainingAll("node=" + node, "correct");
        }
        this.client.delete().forPath(node);
    }

    /** Neither do they keep a process from starting, nor are they worker 7. */
    @ParameterizedTest
    @ValueSource(strings = { "007", "+7", " 7", "-0", "99999999999", "-2", "lock-1" })
    void aNodeThatIsNoWorkerIdIsLeftAlone(String name) throws Exception {
        String namespace = freshNamespace();
        LeaseRow row = new LeaseRow(7, "a", 1, 0, 77, null, null);
        LeaseStore store = ready(namespace);
        this.client.create()
            .forPath("/ids/leases/" + namespace + "/workers/" + name,
                    LeaseNode.write(new LeaseRow(7, "x", 1, 9_999_999_999_999L, 99, null, null)));
        store.ensure();
        store.execute(new LeaseStatement.Insert(row, null));
        assertThat(LeaseStoreCheck.read(store).rows()).containsExactly(row);
    }

    /** Whoever only reads makes nothing. */
    @Test
    void nodesThatWereDeletedAreMadeAgainByAStoreThatWasStarted() throws Exception {
        String namespace = freshNamespace();
        String path = "/ids/leases/" + namespace;
        LeaseStore store = ready(namespace);
        LeaseRow row = new LeaseRow(1, "a", 1, 0, 77, null, null);
        for (String gone : List.of(path, path + "/clock", path + "/workers")) {
            store.execute(new LeaseStatement.Insert(row, null));
            this.client.delete().deletingChildrenIfNeeded().forPath(gone);
            assertThat(open(namespace).execute(new LeaseStatement.ReadAll())).isInstanceOf(LeaseReply.Unknown.class);
            assertThat(store.execute(new LeaseStatement.Update(1, "b", 77, "c", 0, 0, 78, null, null, null)))
                .isEqualTo(new LeaseReply.Written(0));
            assertThat(LeaseStoreCheck.read(store).rows()).as(gone).hasSize(gone.endsWith("clock") ? 1 : 0);
            assertThat(LeaseStoreCheck.read(open(namespace)).databaseMillis()).isPositive();
        }
        this.client.delete().deletingChildrenIfNeeded().forPath(path);
        assertThat(store.execute(new LeaseStatement.Insert(row, null))).isEqualTo(new LeaseReply.Written(1));
        assertThat(LeaseStoreCheck.read(store).rows()).containsExactly(row);
    }

    /** Each waits for 12 s, so both wait at once. */
    @Test
    @Tag("proof")
    void aServerThatIsNotThereMayComeBack() {
        List<String> messages = Stream.of("127.0.0.1:1", "nobody.invalid:2181").parallel().map((address) -> {
            try (CuratorFramework nobody = CuratorFrameworkFactory.newClient(address, new RetryOneTime(1))) {
                nobody.start();
                LeaseStore store = ZooKeeperWorkerLeases.store(nobody, "/ids", Ids.OPEN_ACL_UNSAFE, "default");
                return assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(store::ensure)
                    .satisfies((ex) -> assertThat(store.isTransient(ex)).isTrue())
                    .actual()
                    .getMessage();
            }
        }).toList();
        assertThat(messages).satisfiesExactly(
                (first) -> assertThat(first).contains("store=zookeeper 127.0.0.1:1/ids ", "12s", "start"),
                (second) -> assertThat(second).contains("store=zookeeper nobody.invalid:2181/ids ", "12s", "start"));
    }

    @Test
    void aRowIsReadableByPeople() throws Exception {
        String namespace = freshNamespace();
        try (LeaseStore store = ready(namespace)) {
            store.execute(new LeaseStatement.Insert(
                    new LeaseRow(3, "t", 1, 2, 5, "feed on web-1, pid 7", "mode=plain window=30000"), null));
        }
        Stat stat = new Stat();
        assertThat(
                new String(this.client.getData().storingStatIn(stat).forPath("/ids/leases/" + namespace + "/workers/3"),
                        StandardCharsets.UTF_8))
            .isEqualTo("shardedid-lease=1\ntoken=t\nfence=1\nlease_until=2\nhwm_tick=5\nowner=feed on web-1%2C pid 7\n"
                    + "layout=mode%3Dplain window%3D30000");
        assertThat(stat.getEphemeralOwner()).isZero();
    }

    /** What was leased under the worker id is forgotten with the session. */
    @Test
    void anEphemeralNodeForgetsItsMark() {
        String namespace = freshNamespace();
        CuratorFramework mortal = client("me:secret");
        LeaseStore store = new ZooKeeperLeaseStore(mortal, "/ids/leases", Ids.OPEN_ACL_UNSAFE, namespace) {
            @Override
            CreateMode mode() {
                return CreateMode.EPHEMERAL;
            }
        };
        store.ensure();
        store.execute(new LeaseStatement.Insert(new LeaseRow(1, "a", 1, 0, 77, null, null), null));
        try (LeaseStore sound = ready(namespace)) {
            assertThat(LeaseStoreCheck.read(sound).rows()).hasSize(1);
            mortal.close();
            assertThat(LeaseStoreCheck.read(sound).rows()).isEmpty();
            sound.execute(new LeaseStatement.Insert(new LeaseRow(1, "a", 1, 0, 77, null, null), null));
            this.client.close();
            this.client = client("me:secret");
            assertThat(LeaseStoreCheck.read(ready(namespace)).rows()).hasSize(1);
        }
    }

    /** As of a server that lags: what others wrote arrives with the sync. */
    @Test
    void whatOthersHaveWrittenIsSeenByReadsAndCompared() {
        String namespace = freshNamespace();
        try (LeaseStore other = ready(namespace)) {
            other.execute(new LeaseStatement.Insert(new LeaseRow(1, "a", 1, 0, 77, null, null), null));
            Deque<String> arriving = new ArrayDeque<>(List.of("b", "c"));
            AtomicReference<String> shown = new AtomicReference<>("a");
            LeaseStore lagging = new ZooKeeperLeaseStore(this.client, "/ids/leases", Ids.OPEN_ACL_UNSAFE, namespace) {
                @Override
                void catchUp(String node) throws Exception {
                    String token = arriving.poll();
                    if (token != null) {
                        assertThat(other.execute(write(shown.getAndSet(token), token)))
                            .isEqualTo(new LeaseReply.Written(1));
                    }
                    super.catchUp(node);
                }
            };

            assertThat(LeaseStoreCheck.read(lagging).rows()).extracting(LeaseRow::token).containsExactly("b");
            assertThat(lagging.execute(write("b", "ours"))).as("it is overtaken by c")
                .isEqualTo(new LeaseReply.Written(0));
            assertThat(lagging.execute(write("c", "ours"))).isEqualTo(new LeaseReply.Written(1));
        }
    }

    private static LeaseStatement write(String seen, String token) {
        return new LeaseStatement.Update(1, seen, 77, token, 0, 0, 77, null, null, null);
    }

    @Test
    void lostSessionAndConnectionMayComeBackAndALoginMayNot() {
        try (LeaseStore store = open(freshNamespace())) {
            for (Code code : List.of(Code.SESSIONEXPIRED, Code.CONNECTIONLOSS, Code.OPERATIONTIMEOUT)) {
                assertThat(store.isTransient(failed(KeeperException.create(code)))).as(code.name()).isTrue();
            }
            assertThat(store.isTransient(failed(new TimeoutException()))).isTrue();
            for (Code code : List.of(Code.NOAUTH, Code.AUTHFAILED, Code.INVALIDACL, Code.NONODE)) {
                assertThat(store.isTransient(failed(KeeperException.create(code)))).as(code.name()).isFalse();
            }
        }
    }

    private static WorkerLeaseException failed(Exception cause) {
        return new WorkerLeaseException("Could not reach the store of the leases", cause);
    }

    @Test
    void twoRacersWinWithoutAVersion() {
        String namespace = freshNamespace();
        ready(namespace).close();
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> LeaseRace.run(50,
                () -> new ZooKeeperLeaseStore(this.client, "/ids/leases", Ids.OPEN_ACL_UNSAFE, namespace) {
                    @Override
                    int expectedVersion(Stat read) {
                        return -1;
                    }
                }))
            .withMessageContaining("round");
    }

    @Test
    void aServerThatEndsIsNoAnswer() throws Exception {
        try (TestingServer mortal = new TestingServer(FreePort.find());
                CuratorFramework lost = CuratorFrameworkFactory.newClient(mortal.getConnectString(),
                        new RetryOneTime(1))) {
            lost.start();
            LeaseStore store = ZooKeeperWorkerLeases.store(lost, "/ids", Ids.OPEN_ACL_UNSAFE, "default");
            store.ensure();
            mortal.stop();
            assertThat(store.execute(new LeaseStatement.ReadAll())).isInstanceOf(LeaseReply.Unknown.class);
            mortal.restart();
            lost.blockUntilConnected();
            assertThat(LeaseStoreCheck.read(store).rows()).isEmpty();
        }
    }

    /**
     * The program of the page on changes, which waits for real; the contract changes
     * stores in time that is set. The table that is left is closed for good.
     */
    @Test
    @Tag("proof")
    void leasesMoveHereFromADatabase() throws Exception {
        Map<String, String> keys = Map.of("shardedid.worker.lease.url",
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        ShardedIdSettings application = ShardedIdSettings.from(keys);
        application.builder().workers(application.workers(LeaseEnvironment.UNKNOWN)).open().close();

        LeasesToZooKeeper.change(this.client, keys);

        assertThat(this.client.checkExists().forPath("/shardedid/default/workers/126")).isNotNull();
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(
                    () -> application.builder().workers(application.workers(LeaseEnvironment.UNKNOWN)).open().close())
            .withMessageContaining("closed");
    }

}
