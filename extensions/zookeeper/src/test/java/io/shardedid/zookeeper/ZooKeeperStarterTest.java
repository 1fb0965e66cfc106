package io.shardedid.zookeeper;

import java.util.UUID;

import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import io.shardedid.tools.FreePort;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/** The programs of the page on stores, one with Spring and one without. */
@Tag("database")
class ZooKeeperStarterTest {

    private static final String NODE = "/shardedid/default/workers/0";

    private TestingServer server;

    private CuratorFramework client;

    private ApplicationContextRunner application;

    @BeforeEach
    void startServer() throws Exception {
        this.server = new TestingServer(FreePort.find());
        this.client = CuratorFrameworkFactory.newClient(this.server.getConnectString(), new RetryOneTime(100));
        this.client.start();
        this.application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID())
            .withBean(CuratorFramework.class, () -> this.client, (bean) -> bean.setDestroyMethodName(""));
    }

    @AfterEach
    void stopServer() throws Exception {
        this.client.close();
        this.server.close();
    }

    @Test
    void aBeanLeasesFromTheClientOfTheApplicationAndLeavesItOpen() {
        this.application.withUserConfiguration(LeasesInZooKeeper.class).run((context) -> {
            assertThat(context.getBean(ShardedIds.class).next(7)).isPositive();
            assertThat(this.client.checkExists().forPath(NODE)).isNotNull();
        });
        assertThat(this.client.getState().name()).isEqualTo("STARTED");
    }

    @Test
    void theBuilderLeasesFromAClient() throws Exception {
        try (ShardedIdEngine ids = PlainZooKeeper.open(this.client)) {
            assertThat(ids.next(7)).isPositive();
            assertThat(this.client.checkExists().forPath(NODE)).isNotNull();
        }
    }

    /** The jar alone decides nothing. */
    @Test
    void withoutTheBeanLeasesComeFromTheDatabase() {
        this.application.run((context) -> {
            assertThat(context.getBean(ShardedIds.class).next(7)).isPositive();
            assertThat(JdbcClient.create(context.getBean(javax.sql.DataSource.class))
                .sql("SELECT COUNT(*) FROM shardedid_worker WHERE worker_id = 0")
                .query(Integer.class)
                .single()).isEqualTo(1);
            assertThat(this.client.checkExists().forPath(NODE)).isNull();
        });
    }

}
