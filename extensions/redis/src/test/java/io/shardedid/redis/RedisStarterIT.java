package io.shardedid.redis;

import java.nio.file.Path;
import java.util.UUID;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import io.shardedid.tools.Needs;
import io.shardedid.tools.Tool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/** The keys name the store, and the starter finds the server in the configuration. */
@Tag("database")
@Needs(Tool.REDIS)
class RedisStarterIT {

    @TempDir
    private static Path folder;

    private static RedisServer server;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
        .withPropertyValues("shardedid.worker.lease.store=redis",
                "shardedid.worker.lease.namespace=" + UUID.randomUUID(),
                "shardedid.worker.lease.promoted-clock-behind=0s");

    @BeforeAll
    static void startServer() {
        server = new RedisServer(folder, "--appendonly", "yes", "--user", "feed", "on", ">s/e:c", "~shardedid:*",
                "+@all")
            .start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "spring.data.redis.host=127.0.0.1;spring.data.redis.port=PORT;spring.data.redis.username=feed;spring.data.redis.password=s/e:c",
            "spring.data.redis.url=redis://feed:s%2Fe%3Ac@127.0.0.1:PORT/0",
            "shardedid.worker.lease.url=redis://127.0.0.1:PORT;shardedid.worker.lease.username=feed;shardedid.worker.lease.password=s/e:c" })
    void leasesFromTheServerOfTheApplication(String settings) {
        this.application.withPropertyValues("shardedid.worker.lease.tolerate-lost-commits=true")
            .withPropertyValues(settings.replace("PORT", String.valueOf(server.port())).split(";"))
            .run((context) -> {
                assertThat(context.getBean(ShardedIds.class).next(7)).isPositive();
                assertThat(server.execute("return redis.call('HGET', 'shardedid:"
                        + context.getEnvironment().getProperty("shardedid.worker.lease.namespace") + "', '0')"))
                    .asString()
                    .contains("mode%3Dtolerant");
            });
    }

    @Test
    void anotherLayoutIsRefused() {
        ApplicationContextRunner fleet = this.application.withPropertyValues(
                "shardedid.worker.lease.tolerate-lost-commits=true",
                "shardedid.worker.lease.url=redis://feed:s%2Fe%3Ac@127.0.0.1:" + server.port());
        fleet.run((context) -> assertThat(context).hasNotFailed());
        fleet.withPropertyValues("shardedid.shards=1000")
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageMatching("Could not lease a worker id: this process and namespace '\\S+' make ids by "
                        + "different layouts: here=\\[\\S+,shards=1000,\\S+], there=\\[\\S+,shards=2000,\\S+]; give every "
                        + "process the same 'shardedid\\.\\*' settings, or change the layout as \\S*docs/choosing\\.md#\\S+ says"));
    }

    @Test
    void thePlainModeIsRefused() {
        this.application
            .withPropertyValues("shardedid.worker.lease.url=redis://feed:s%2Fe%3Ac@127.0.0.1:" + server.port())
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageStartingWith("Could not use the store of the leases: store=redis 127.0.0.1:" + server.port()
                        + " key 'shardedid:")
                .hasMessageEndingWith(
                        "', shardedid.worker.lease.tolerate-lost-commits=false (this store may lose writes "
                                + "that it has acknowledged, and the plain mode would make duplicate ids then); set "
                                + "'shardedid.worker.lease.tolerate-lost-commits=true'"));
    }

    @Test
    void aStoreThatIsNotNamedIsRefused() {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
            .withPropertyValues("shardedid.worker.lease.url=redis://feed:s%2Fe%3Ac@127.0.0.1:" + server.port())
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessage("'shardedid.worker.lease.store' must be set: shardedid.worker.lease.store=null (stores on "
                        + "the class path: redis; leases of two stores make duplicate ids, so no artifact decides where "
                        + "leases live); add the line 'shardedid.worker.lease.store=redis' or "
                        + "'shardedid.worker.lease.store=database', with the value that all processes of the "
                        + "application have"));
    }

    @Test
    void aUrlThatIsNoneIsRefusedAndNotShown() {
        this.application.withPropertyValues("shardedid.worker.lease.url=jdbc:redis:secret@x")
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessage("'shardedid.worker.lease.url' must be 'redis://host:port', 'rediss://host:port' or "
                        + "'redis-sentinel://host:port,host:port#master' (shardedid.worker.lease.store=redis); correct "
                        + "it"));
    }

}
