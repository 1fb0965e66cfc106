package io.shardedid.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
import io.shardedid.config.LeaseEnvironment;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The keys name the store, and the starter finds the client in the context. */
@Tag("database")
class ZooKeeperStarterTest {

    private static final String NOT_NAMED = "'shardedid.worker.lease.store' must be set: "
            + "shardedid.worker.lease.store=null (stores on the class path: zookeeper; leases of two stores make equal "
            + "ids, so no artifact decides where leases live); add the line 'shardedid.worker.lease.store=zookeeper' or "
            + "'shardedid.worker.lease.store=database', with the value that all processes of the application have";

    private static TestingServer server;

    private static CuratorFramework client;

    private ApplicationContextRunner application;

    @BeforeAll
    static void startServer() throws Exception {
        server = new TestingServer();
        client = CuratorFrameworkFactory.newClient(server.getConnectString(), new RetryOneTime(100));
        client.start();
    }

    @AfterAll
    static void stopServer() throws Exception {
        client.close();
        server.close();
    }

    @BeforeEach
    void names() {
        this.application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                    "shardedid.worker.lease.store=zookeeper", "shardedid.worker.lease.namespace=" + UUID.randomUUID());
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void leasesFromTheClientOfTheApplicationAndSaysSo(CapturedOutput output) {
        this.application.withBean(CuratorFramework.class, () -> client, (bean) -> bean.setDestroyMethodName(""))
            .run((context) -> assertLeasedBelow("/shardedid", context));
        assertThat(client.getState().name()).isEqualTo("STARTED");
        assertThat(output).containsPattern("Sharded ids: .*, worker 0 \\(leased from store 'zookeeper'\\)");
    }

    @Test
    void leasesFromAUrlWithALogin() {
        this.application
            .withPropertyValues("shardedid.worker.lease.url=zookeeper://" + server.getConnectString() + "/apps/feed",
                    "shardedid.worker.lease.username=feed", "shardedid.worker.lease.password=secret")
            .run((context) -> {
                assertThat(context.getBean(ShardedIds.class).next(7)).isPositive();
                String node = node("/apps/feed", context);
                assertThatExceptionOfType(KeeperException.NoAuthException.class)
                    .isThrownBy(() -> client.getData().forPath(node));
                client.getZookeeperClient()
                    .getZooKeeper()
                    .addAuthInfo("digest", "feed:secret".getBytes(StandardCharsets.UTF_8));
                assertThat(client.getACL().forPath(node).toString()).contains("feed:").doesNotContain("world");
            });
    }

    /**
     * They are not even looked for, so a wrong address of another server does no harm.
     */
    @Test
    void clientsOfTheApplicationAreNotUsedBesideAUrl() {
        this.application
            .withPropertyValues("shardedid.worker.lease.url=zookeeper://" + server.getConnectString() + "/apps/cache",
                    "spring.data.redis.url=redis://feed:s3 cret@cache")
            .run((context) -> assertLeasedBelow("/apps/cache", context));
    }

    @Test
    void nodesOfAClientBelongToWhomItsRightsSay() {
        this.application.withBean(CuratorFramework.class, () -> client, (bean) -> bean.setDestroyMethodName(""))
            .withBean(ACLProvider.class, EverybodysAndMore::new)
            .run((context) -> {
                assertThat(context.getBean(ShardedIds.class).next(7)).isPositive();
                assertThat(client.getACL().forPath(node("/shardedid", context)).toString()).contains("someone")
                    .contains("world");
            });
    }

    private static final class EverybodysAndMore implements ACLProvider {

        @Override
        public List<ACL> getDefaultAcl() {
            return getAclForPath("/");
        }

        @Override
        public List<ACL> getAclForPath(String path) {
            return List.of(new ACL(Perms.ALL, Ids.ANYONE_ID_UNSAFE),
                    new ACL(Perms.READ, new Id("digest", "someone:else")));
        }

    }

    @Test
    void aLoginBesideAClientIsRefused() {
        this.application.withBean(CuratorFramework.class, () -> client, (bean) -> bean.setDestroyMethodName(""))
            .withPropertyValues("shardedid.worker.lease.username=feed")
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessage("'shardedid.worker.lease.username' needs 'shardedid.worker.lease.url': the "
                        + "'CuratorFramework' of the application has its own login (shardedid.worker.lease.store="
                        + "zookeeper); remove it, and declare a bean of type 'ACLProvider', which says whose the nodes "
                        + "are"));
    }

    @Test
    void anotherLayoutReplacesTheNamespace() {
        ApplicationContextRunner byUrl = this.application
            .withPropertyValues("shardedid.worker.lease.url=zookeeper://" + server.getConnectString());
        byUrl.withPropertyValues("shardedid.worker.lease.namespace=before")
            .run((context) -> assertThat(context.getBean(ShardedIds.class).next(7)).isPositive());
        byUrl
            .withPropertyValues("shardedid.worker.lease.namespace=after",
                    "shardedid.worker.lease.replaces-namespace=before", "shardedid.layout.preset=many-shards")
            .run((context) -> assertThat(context.getBean(ShardedIds.class).next(7)).isPositive());
    }

    private static void assertLeasedBelow(String path, ApplicationContext context) throws Exception {
        assertThat(context.getBean(ShardedIds.class).next(7)).isPositive();
        assertThat(client.checkExists().forPath(node(path, context))).isNotNull();
    }

    private static String node(String path, ApplicationContext context) {
        return path + "/" + context.getEnvironment().getProperty("shardedid.worker.lease.namespace") + "/workers/0";
    }

    @Test
    void leasesFromTheDatabaseIfThatIsSaid() {
        this.application.withPropertyValues("shardedid.worker.lease.store=database").run((context) -> {
            assertThat(context.getBean(ShardedIds.class).next(7)).isPositive();
            assertThat(JdbcClient.create(context.getBean(javax.sql.DataSource.class))
                .sql("SELECT COUNT(*) FROM shardedid_worker WHERE worker_id = 0")
                .query(Integer.class)
                .single()).isEqualTo(1);
        });
    }

    @Test
    void anotherLayoutIsRefused() {
        ApplicationContextRunner fleet = this.application
            .withPropertyValues("shardedid.worker.lease.url=zookeeper://" + server.getConnectString());
        fleet.run((context) -> assertThat(context).hasNotFailed());
        fleet.withPropertyValues("shardedid.shards=1000")
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageMatching("Could not lease a worker id: this process and namespace '\\S+' make ids by "
                        + "different layouts: here=\\[\\S+,shards=1000,\\S+], there=\\[\\S+,shards=2000,\\S+]; give every "
                        + "process the same 'shardedid\\.\\*' settings, or change the layout as \\S*docs/choosing\\.md#\\S+ says"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "spring.datasource.url=jdbc:h2:mem:unnamed", "shardedid.shards=2000" })
    void aStoreThatIsNotNamedIsRefused(String setting) {
        new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    setting.startsWith("spring") ? DataSourceAutoConfiguration.class : ShardedIdAutoConfiguration.class,
                    ShardedIdAutoConfiguration.class))
            .withPropertyValues(setting)
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessage(NOT_NAMED));
    }

    /** As the settings of a persistence unit and plain Java do. */
    @Test
    void aStoreThatIsNotNamedIsRefusedWithoutSpring() {
        LeaseEnvironment database = new LeaseEnvironment(LeaseConnections.url("jdbc:h2:mem:plain", "sa", ""), true, "",
                List.of());
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ShardedIdSettings.from(Map.of()).workers(database))
            .withMessage(NOT_NAMED);
        assertThat(ShardedIdSettings.from(Map.of("shardedid.worker.mode", "none")).workers(database)).isNotNull();
    }

    @Test
    void aLeaseInTheTableOfTheApplicationEndsTheStart() {
        this.application.withPropertyValues("shardedid.worker.lease.store=database").run((running) -> {
            String url = running.getEnvironment().getProperty("spring.datasource.url");
            String namespace = running.getEnvironment().getProperty("shardedid.worker.lease.namespace");
            this.application.withBean(CuratorFramework.class, () -> client, (bean) -> bean.setDestroyMethodName(""))
                .withPropertyValues("spring.datasource.url=" + url, "shardedid.worker.lease.namespace=" + namespace)
                .run((context) -> assertThat(context).getFailure()
                    .rootCause()
                    .isInstanceOf(WorkerLeaseException.class)
                    .hasMessageMatching(
                            "Could not use the store of the leases: store=zookeeper \\S+/shardedid, while the "
                                    + "lease table of the application's database shows a lease that has not run out: "
                                    + "table=shardedid_worker, connection=\\S+, namespace='" + namespace
                                    + "', worker id=0, "
                                    + "owner=.*, until=\\S+Z \\(leases of two stores make duplicate ids\\); give all processes the same "
                                    + "'shardedid.worker.lease.store', or stop that one and move the leases: java -cp CLASSPATH "
                                    + "io.shardedid.cli.Inspector move-leases --old=OLD.properties --config=NEW.properties"));
        });
    }

    @Test
    void anUnknownStoreIsRefused() {
        assertRefused("'shardedid.worker.lease.store' must be 'database' or a store on the class path: "
                + "shardedid.worker.lease.store='redis' (stores on the class path: zookeeper); add the artifact "
                + "'shardedid-redis'", "shardedid.worker.lease.store=redis");
    }

    @Test
    void aTableIsRefused() {
        assertRefused("'shardedid.worker.lease.table' needs 'shardedid.worker.lease.store=database': "
                + "shardedid.worker.lease.table='ids', store='zookeeper' (it has no table); remove "
                + "'shardedid.worker.lease.table'", "shardedid.worker.lease.table=ids");
    }

    @Test
    void nowhereToLeaseIsRefused() {
        assertRefused("Could not lease a worker id: no ZooKeeper is known (shardedid.worker.lease.store=zookeeper, "
                + "shardedid.worker.lease.url=null); set 'shardedid.worker.lease.url' to 'zookeeper://host:2181', or "
                + "declare a bean of type 'CuratorFramework'", "shardedid.shards=2000");
    }

    @ParameterizedTest
    @ValueSource(strings = { "me:secret@host:2181", "host:2181/ids/", "host:2181//", "host:2181/ids/../x" })
    void aUrlThatIsNotUnderstoodIsRefusedAndNotShown(String place) {
        assertRefused(
                "'shardedid.worker.lease.url' must be 'zookeeper://host:port,host:port/path' without a login and "
                        + "without a slash at its end (shardedid.worker.lease.store=zookeeper); correct it, and set "
                        + "'shardedid.worker.lease.username' and '-password' beside it",
                "shardedid.worker.lease.url=zookeeper://" + place);
    }

    private void assertRefused(String message, String setting) {
        this.application.withPropertyValues(setting)
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessage(message));
    }

}
