package io.shardedid.spring.actuate;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class ShardedIdSanitizingTest {

    private final SanitizingFunction function = new ShardedIdSanitizingAutoConfiguration().shardedIdSanitizingFunction(
            new MockEnvironment().withProperty("shardedid.worker.lease.url", "jdbc:postgresql://h/ids?password=s3cret")
                .withProperty("shardedid.worker.lease.password", "p\"a\\ss"));

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = { "shardedid.worker.lease.password | x",
            "SHARDEDID_WORKER_LEASE_PASSWORD | x", "shardedid.worker.lease.url | jdbc:x", "some.text | p\"a\\ss",
            "sun.java.command | app.jar --shardedid.worker.lease.password=p\"a\\ss",
            "SPRING_APPLICATION_JSON | {\"shardedid\":{\"worker\":{\"lease\":{\"password\":\"p\\\"a\\\\ss\"}}}}",
            "sun.java.command | app.jar --shardedid.worker.lease.url=jdbc:postgresql://h/ids?password=s3cret" })
    void hidesWhatOpensTheLeaseTable(String key, String value) {
        assertThat(sanitized(key, value)).isEqualTo(SanitizableData.SANITIZED_VALUE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = { "shardedid.worker.lease.username | app",
            "shardedid.worker.lease.window | 30s", "some.text | a p\"a\\ss in its midst" })
    void showsTheRest(String key, String value) {
        assertThat(sanitized(key, value)).isEqualTo(value);
    }

    private Object sanitized(String key, String value) {
        return this.function.apply(new SanitizableData(null, key, value)).getValue();
    }

}
