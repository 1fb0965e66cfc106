package io.shardedid.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.tck.LeaseStoreContract;
import io.shardedid.tools.Needs;
import io.shardedid.tools.Tool;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** The contract on a real redis-server. */
@Tag("database")
@Needs(Tool.REDIS)
class RedisLeaseStoreIT extends LeaseStoreContract {

    @TempDir
    private static Path folder;

    private static RedisServer server;

    @BeforeAll
    static void startServer() {
        server = new RedisServer(folder.resolve("shared"), "--appendonly", "yes", "--appendfsync", "always").start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected LeaseStore open(String namespace) {
        return RedisWorkerLeases.store(server.uri(), "ids:", namespace);
    }

    private static RedisServer fresh(String... settings) {
        return new RedisServer(folder.resolve(UUID.randomUUID().toString()), settings).start();
    }

    /** Threads of Lettuce belong to the group of the thread that opens the store. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void closeEndsTheThreadsOfTheClient(boolean reached) throws InterruptedException {
        ThreadGroup group = new ThreadGroup("client");
        Thread[] threads = new Thread[100];
        Thread opener = new Thread(group, () -> {
            try (LeaseStore store = reached ? open("closed")
                    : RedisWorkerLeases.store(RedisURI.create("127.0.0.1", 1), "ids:", "closed")) {
                for (int attempt = 0; attempt < 3; attempt++) {
                    assertThat(catchThrowable(store::ensure) == null).isEqualTo(reached);
                }
                group.enumerate(threads);
            }
        });
        opener.start();
        opener.join();
        List<Thread> clients = Stream.of(threads).filter((thread) -> thread != null && thread != opener).toList();
        assertThat(clients).isNotEmpty();
        for (Thread client : clients) {
            client.join(30_000);
            assertThat(client.isAlive()).as(client.getName()).isFalse();
        }
    }

    /** The URI of an application allows a minute, unless it says otherwise. */
    @Test
    void aServerThatTakesConnectionsAndNeverAnswersIsNotWaitedForLong() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                LeaseStore store = RedisWorkerLeases.store(RedisURI.create("127.0.0.1", silent.getLocalPort()), "ids:",
                        "default")) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(store::ensure)
                .satisfies((ex) -> assertThat(store.isTransient(ex)).isTrue())
                .satisfies((ex) -> assertThat(ex).hasStackTraceContaining("after 3 second"));
        }
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '#', delimiter = '|',
            value = { "--appendonly no | aof_enabled=0 | 'appendonly yes'",
                    "--appendonly yes --maxmemory-policy allkeys-lru | maxmemory_policy=allkeys-lru | noeviction",
                    "--appendonly yes --cluster-enabled yes | cluster_enabled=1 | Sentinel" })
    void aServerThatForgetsIsRefused(String settings, String why, String remedy) {
        try (RedisServer forgetful = fresh(settings.split(" "));
                LeaseStore store = RedisWorkerLeases.store(forgetful.uri(), "ids:", "default")) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(store::ensure)
                .withMessageContainingAll("store=redis", "ids:default", why, remedy);
        }
    }

    @Test
    void aReplicaIsRefusedUntilItIsPromoted() {
        try (RedisServer replica = fresh("--appendonly", "yes", "--replicaof", "127.0.0.1 " + server.port());
                LeaseStore store = RedisWorkerLeases.store(replica.uri(), "ids:", "default")) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(store::ensure)
                .satisfies((ex) -> assertThat(store.isTransient(ex)).isTrue())
                .withMessageContainingAll("store=redis", "role=slave", "sentinels");
            assertThat(store.execute(new LeaseStatement.Insert(new LeaseRow(1, "a", 0, 0, 0, null, null), null)))
                .isInstanceOf(LeaseReply.Unknown.class);
        }
    }

    @Test
    void aWrongPasswordIsRefusedForGood() {
        try (RedisServer closed = fresh("--appendonly", "yes", "--requirepass", "right")) {
            assertRefusedForGood(RedisURI.builder(closed.uri()).withPassword("wrong".toCharArray()).build(),
                    "WRONGPASS", "password");
            assertRefusedForGood(closed.uri(), "NOAUTH", "password");
        }
    }

    private static void assertRefusedForGood(RedisURI uri, String... fields) {
        try (LeaseStore store = RedisWorkerLeases.store(uri, "ids:", "default")) {
            assertThat(refusal(store))
                .hasMessageContainingAll("store=redis 127.0.0.1:" + uri.getPort(), "'ids:default'")
                .hasMessageContainingAll(fields);
        }
    }

    /**
     * Lettuce closes the connection that was refused, and sometimes tells of the closing
     * before it tells of the reason. The start tries again then.
     */
    private static WorkerLeaseException refusal(LeaseStore store) {
        while (true) {
            WorkerLeaseException refusal = catchThrowableOfType(WorkerLeaseException.class, store::ensure);
            if (!store.isTransient(refusal)) {
                return refusal;
            }
            assertThat(refusal).message()
                .containsAnyOf("Connection closed prematurely", "RedisHandshakeHandler not registered");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "~other:* +@all", "~ids:* +@all -hset", "~ids:* +@all -hsetnx", "~ids:* +@all -hdel" })
    void aMissingRightIsNamed(String rights) {
        List<String> user = new ArrayList<>(List.of("--appendonly", "yes", "--user", "keeper", "on", ">k"));
        user.addAll(List.of(rights.split(" ")));
        try (RedisServer strict = fresh(user.toArray(String[]::new))) {
            assertRefusedForGood(RedisURI.builder(strict.uri()).withAuthentication("keeper", "k".toCharArray()).build(),
                    "'ACL SETUSER <user> ~ids:default +info +pttl +eval +time +hget +hgetall +hset +hsetnx +hdel'");
            assertThat(strict.execute("return redis.call('EXISTS', 'ids:default') == 0 and 'OK' or 'there'"))
                .isEqualTo("OK");
        }
    }

    @Test
    void sentinelsOfServersThatWriteAloneAreRefused() throws Exception {
        Path settings = Files.writeString(folder.resolve("sentinel.conf"),
                "sentinel monitor m 127.0.0.1 %s 1%n".formatted(server.port()));
        try (RedisServer sentinel = new RedisServer(folder.resolve("sentinel"), settings).start();
                LeaseStore store = RedisWorkerLeases.store(
                        RedisURI.create("redis-sentinel://127.0.0.1:" + sentinel.port() + "#m"), "ids:", "default")) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(store::ensure)
                .withMessageContainingAll("store=redis", "min-replicas-to-write=0");
        }
    }

    /** Otherwise it would lease beside the one that was promoted. */
    @Test
    void aMasterThatWasCutOffWritesNothing() {
        String[] careful = { "--appendonly", "yes", "--min-replicas-to-write", "1", "--min-replicas-max-lag", "1" };
        try (RedisServer master = fresh(careful);
                RedisServer replica = fresh("--appendonly", "yes", "--replicaof", "127.0.0.1 " + master.port());
                LeaseStore store = RedisWorkerLeases.store(master.uri(), "ids:", "default")) {
            awaitReady(store);
            replica.promote();
            int worker = 0;
            while (store.execute(new LeaseStatement.Insert(new LeaseRow(++worker, "a", 0, 0, 0, null, null),
                    null)) instanceof LeaseReply.Written) {
                Thread.onSpinWait();
            }
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(store::ensure)
                .satisfies((ex) -> assertThat(store.isTransient(ex)).isTrue())
                .withMessageContainingAll("store=redis 127.0.0.1:" + master.port(), "'ids:default'", "NOREPLICAS",
                        "replicas");
        }
    }

    private static void awaitReady(LeaseStore store) {
        while (true) {
            try {
                store.ensure();
                return;
            }
            catch (WorkerLeaseException ex) {
                assertThat(store.isTransient(ex)).as(ex.getMessage()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "127.0.0.1", "nobody.invalid" })
    void aServerThatIsNotThereMayComeBack(String host) {
        try (LeaseStore store = RedisWorkerLeases.store(RedisURI.create(host, 1), "ids:", "default")) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(store::ensure)
                .satisfies((ex) -> assertThat(store.isTransient(ex)).isTrue())
                .withMessageContainingAll("store=redis " + host + ":1", "'ids:default'", "start");
        }
    }

    @Test
    void aKeyThatIsNoHashIsRefused() {
        String namespace = freshNamespace();
        server.execute("return redis.call('SET', 'ids:" + namespace + "', 'a lock')");
        try (LeaseStore store = open(namespace)) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(store::ensure)
                .withMessageContainingAll("store=redis", "key=no", "DEL");
        }
    }

    @Test
    void aFieldThatIsNoLeaseIsRefused() {
        String namespace = freshNamespace();
        server.execute("return redis.call('HSET', 'ids:" + namespace + "', '3', 'a lock') and 'OK'");
        try (LeaseStore store = open(namespace)) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(store::ensure)
                .withMessageContainingAll("store=redis", "field='3'", "HDEL");
            assertThat(store.execute(new LeaseStatement.Update(3, "a lock", 0, "b", 0, 0, 0, null, null, null)))
                .isInstanceOf(LeaseReply.Unknown.class);
        }
    }

    /** Neither do they keep a process from starting, nor are they worker 7. */
    @ParameterizedTest
    @ValueSource(strings = { "007", "+7", " 7", "7 ", "-0", "\u0667", "99999999999", "-2", "lock" })
    void aFieldThatIsNoWorkerIdIsLeftAlone(String field) {
        String namespace = freshNamespace();
        LeaseRow row = new LeaseRow(7, "a", 1, 0, 77, null, null);
        try (LeaseStore store = open(namespace)) {
            server.execute("return redis.call('HSET', 'ids:" + namespace + "', '" + field
                    + "', 'x\\n1\\n9999999999999\\n99\\n\\n') and 'OK'");
            store.ensure();
            store.execute(new LeaseStatement.Insert(row, null));
            assertThat(LeaseStoreCheck.read(store).rows()).containsExactly(row);
        }
    }

    /**
     * The acquisitions of a renewal stay as they are, also where Lua's numbers are not
     * exact.
     */
    @Test
    void aFenceBeyondTheNumbersOfLuaIsKept() {
        String namespace = freshNamespace();
        try (LeaseStore store = ready(namespace)) {
            long acquisitions = (1L << 53) + 1;
            store.execute(new LeaseStatement.Insert(new LeaseRow(1, "a", acquisitions, 0, 0, null, null), null));
            store.execute(new LeaseStatement.Update(1, "a", 0, "b", 0, 1, 1, null, null, null));
            assertThat(LeaseStoreCheck.read(store).row(1).orElseThrow().acquisitions()).isEqualTo(acquisitions);
        }
    }

    /** What a logger says. */
    @Test
    void aKeyThatExpiresForgetsItsMarkAndIsRefused() {
        String namespace = freshNamespace();
        ready(namespace).close();
        try (LeaseStore mortal = new RedisLeaseStore(server.uri(), "ids:" + namespace) {
            @Override
            String script(String sound) {
                return "redis.call('PEXPIRE', KEYS[1], 600000)\n" + sound;
            }
        }; LeaseStore sound = open(namespace)) {
            mortal.execute(new LeaseStatement.Insert(new LeaseRow(1, "a", 1, 0, 77, null, null), null));
            mortal.execute(new LeaseStatement.ReadAll());
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(sound::ensure)
                .withMessageContainingAll("store=redis 127.0.0.1:", "expiry of the key=5",
                        "'PERSIST ids:" + namespace + "'");
            server.execute("return redis.call('PEXPIRE', 'ids:" + namespace + "', 1) and 'OK'");
            while (!LeaseStoreCheck.read(sound).rows().isEmpty()) {
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Sent again, it would find the row changed by itself, and the lease would be lost.
     */
    @Test
    void aWriteWhoseConnectionBreaksIsNotSentAgain() throws Exception {
        ExecutorService keeper = Executors.newSingleThreadExecutor();
        try (RedisClient client = RedisClient.create(server.uri());
                StatefulRedisConnection<String, String> admin = client.connect();
                LeaseStore store = open("broken")) {
            store.ensure();
            store.execute(new LeaseStatement.Insert(new LeaseRow(1, "a", 1, 10, 20, "me", null), null));
            admin.sync()
                .dispatch(CommandType.CLIENT, new StatusOutput<>(StringCodec.UTF8),
                        new CommandArgs<>(StringCodec.UTF8).add("PAUSE").add(60_000).add("WRITE"));
            Future<LeaseReply> reply = keeper
                .submit(() -> store.execute(new LeaseStatement.Update(1, "a", 20, "b", 1, 11, 21, "me", null, null)));
            while (!admin.sync().clientList().contains("cmd=eval")) {
                assertThat(reply).isNotDone();
            }
            admin.sync().clientKill(KillArgs.Builder.typeNormal().skipme());
            admin.sync()
                .dispatch(CommandType.CLIENT, new StatusOutput<>(StringCodec.UTF8),
                        new CommandArgs<>(StringCodec.UTF8).add("UNPAUSE"));

            assertThat(reply.get(60, TimeUnit.SECONDS)).isInstanceOf(LeaseReply.Unknown.class);
            assertThat(((LeaseReply.Rows) store.execute(new LeaseStatement.ReadAll())).row(1)).get()
                .extracting(LeaseRow::token)
                .isEqualTo("a");
        }
        finally {
            keeper.shutdownNow();
        }
    }

    @Test
    void aServerThatWasKilledKeepsWhatIsOnItsDisk() {
        try (RedisServer mortal = fresh("--appendonly", "yes", "--appendfsync", "always");
                LeaseStore store = RedisWorkerLeases.store(mortal.uri(), "ids:", "default")) {
            store.ensure();
            LeaseRow row = new LeaseRow(1, "a", 1, 2, 77, "me", "mode");
            store.execute(new LeaseStatement.Insert(row, null));
            mortal.kill();
            assertThat(store.execute(new LeaseStatement.ReadAll())).isInstanceOf(LeaseReply.Unknown.class);
            mortal.start();
            assertThat(LeaseStoreCheck.read(store).rows()).containsExactly(row);
        }
    }

}
