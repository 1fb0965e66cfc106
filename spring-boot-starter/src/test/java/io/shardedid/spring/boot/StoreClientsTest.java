package io.shardedid.spring.boot;

import java.net.URI;
import java.util.List;
import java.util.UUID;

import io.shardedid.ShardedIdConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class StoreClientsTest {

    private final MockEnvironment environment = new MockEnvironment();

    /** What the application has for its cache is none of our business. */
    @ParameterizedTest
    @ValueSource(strings = { "spring.data.redis.url=redis://feed:s3 cret@cache", "spring.data.redis.url=my cache",
            "spring.data.redis.host=my cache" })
    void leasesInADatabaseDoNotAskForRedis(String cache) {
        new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", cache)
            .run((context) -> assertThat(context).hasNotFailed());
    }

    @Test
    void addressHasEachPartInItsPlace() {
        this.environment.setProperty("spring.data.redis.host", "fe80::1");
        this.environment.setProperty("spring.data.redis.port", "6380");
        this.environment.setProperty("spring.data.redis.username", "feed");
        this.environment.setProperty("spring.data.redis.password", "secret");
        this.environment.setProperty("spring.data.redis.database", "3");
        this.environment.setProperty("spring.data.redis.ssl.enabled", "true");
        assertThat(clients()).containsExactly(URI.create("rediss://feed:secret@[fe80::1]:6380/3"));

        this.environment.setProperty("spring.data.redis.host", "[fe80::1]");
        assertThat(clients()).containsExactly(URI.create("rediss://feed:secret@[fe80::1]:6380/3"));
    }

    @Test
    void hostOfAComposeFileMayHaveAnUnderscore() {
        this.environment.setProperty("spring.data.redis.host", "my_redis");
        this.environment.setProperty("spring.data.redis.password", "s/e:c");

        assertThat(clients()).containsExactly(URI.create("redis://:s%2Fe:c@my_redis/0"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "spring.data.redis.url=redis://feed:s3 cret@cache", "spring.data.redis.host=s3 cret" })
    void addressThatIsNoneIsRefusedWithoutAPassword(String cache) {
        this.environment.setProperty(cache.substring(0, cache.indexOf('=')), cache.substring(cache.indexOf('=') + 1));

        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(this::clients)
            .withMessage("Could not make the address of the leases of 'spring.data.redis.*' (a URL, or a host, or a "
                    + "master with its sentinels); correct them, or set 'shardedid.worker.lease.url'")
            .withNoCause();
    }

    @Test
    void sentinelsMayBeAList() {
        this.environment.setProperty("spring.data.redis.sentinel.master", "feed");
        this.environment.setProperty("spring.data.redis.sentinel.nodes[0]", "one:26379");
        this.environment.setProperty("spring.data.redis.sentinel.nodes[1]", "two:26379");

        assertThat(clients()).containsExactly(URI.create("redis-sentinel://one:26379,two:26379#feed"));
    }

    @Test
    void sentinelsMayBeSeparatedByCommas() {
        this.environment.setProperty("spring.data.redis.sentinel.master", "feed");
        this.environment.setProperty("spring.data.redis.sentinel.nodes", "one:26379,two:26379");

        assertThat(clients()).containsExactly(URI.create("redis-sentinel://one:26379,two:26379#feed"));
    }

    private List<Object> clients() {
        return StoreClients.of(new StaticListableBeanFactory(), this.environment);
    }

}
