package io.shardedid.redis;

import java.nio.file.Path;

import io.lettuce.core.RedisURI;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import io.shardedid.tck.OldNamespace;
import io.shardedid.tools.Needs;
import io.shardedid.tools.Tool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The programs of the page on stores, one with Spring and one without. */
@Tag("database")
@Needs(Tool.REDIS)
class RedisStarterIT {

    @TempDir
    private Path folder;

    private RedisServer server;

    private String servers;

    private ApplicationContextRunner application;

    @BeforeEach
    void startServer() {
        this.server = new RedisServer(this.folder, "--appendonly", "yes", "--user", "feed", "on", ">s/e:c",
                "~shardedid:*", "+@all")
            .start();
        this.servers = "redis://feed:s%2Fe%3Ac@127.0.0.1:" + this.server.port();
        OldNamespace.make(RedisWorkerLeases.store(RedisURI.create(this.servers), "shardedid:", "default"),
                IdLayout.standard(), 2000);
        this.application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
            .withUserConfiguration(LeasesInRedis.class)
            .withPropertyValues("feed.redis=" + this.servers);
    }

    @AfterEach
    void stopServer() {
        this.server.close();
    }

    @Test
    void aBeanLeasesFromTheServer() {
        this.application.run((context) -> {
            assertThat(context.getBean(ShardedIds.class).next(7)).isPositive();
            assertThat(row()).contains("window%3D30000");
        });
    }

    @Test
    @Tag("proof")
    void theBuilderLeasesFromTheServer() {
        try (ShardedIdEngine ids = PlainRedis.open(this.servers)) {
            assertThat(ids.next(7)).isPositive();
            assertThat(row()).contains("window%3D30000");
        }
    }

    private String row() {
        return String.valueOf(this.server.execute("return redis.call('HGET', 'shardedid:default', '0')"));
    }

    @Test
    void thePlainModeIsRefused() {
        LeaseSettings plain = LeaseSettings.builder().build();
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ShardedIds.builder()
                .workers(RedisWorkerLeases.leased(RedisURI.create(this.servers), "shardedid:", plain,
                        java.util.List.of()))
                .open())
            .satisfies((refused) -> assertThat(refused.problem().keys())
                .containsExactly("shardedid.worker.lease.tolerate-lost-commits"));
    }

}
