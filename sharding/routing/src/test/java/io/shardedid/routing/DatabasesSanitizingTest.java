package io.shardedid.routing;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class DatabasesSanitizingTest {

    private final SanitizingFunction function = new DatabasesSanitizingAutoConfiguration()
        .shardedIdDatabasesSanitizingFunction(
                new MockEnvironment().withProperty("shardedid.databases.a.url", "jdbc:postgresql://h/a?password=s3cret")
                    .withProperty("shardedid.databases.a.password", "h1dden")
                    .withProperty("shardedid.databases.a.hikari.password", "p00l")
                    .withProperty("shardedid.databases.a.hikari.data-source-properties.sslpassword", "dr1ver"));

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "shardedid.databases.a.url | jdbc:x", "shardedid.databases.a.password | x",
            "SHARDEDID_DATABASES_A_PASSWORD | x", "shardedid.databases.b.hikari.password | x",
            "shardedid.databases.a.hikari.data-source-properties.sslpassword | x",
            "sun.java.command | app.jar --shardedid.databases.a.password=h1dden",
            "sun.java.command | app.jar --shardedid.databases.a.hikari.password=p00l",
            "SPRING_APPLICATION_JSON | {\"shardedid\":{\"databases\":{\"a\":{\"password\":\"h1dden\"}}}}",
            "SPRING_APPLICATION_JSON | {\"shardedid\":{\"databases\":{\"a\":{\"hikari\":{\"dataSourceProperties\":{\"sslpassword\":\"dr1ver\"}}}}}}" })
    void hidesWhatOpensADatabase(String key, String value) {
        assertThat(sanitized(key, value)).isEqualTo(SanitizableData.SANITIZED_VALUE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "shardedid.databases.a.username | app", "shardedid.databases.home | a",
            "shardedid.databases.initial-map | 0-999: a", "some.text | h1dden", "shardedid.shards | 2000" })
    void showsTheRest(String key, String value) {
        assertThat(sanitized(key, value)).isEqualTo(value);
    }

    @Test
    void findsNoSecretWithoutDatabases() {
        SanitizingFunction none = new DatabasesSanitizingAutoConfiguration()
            .shardedIdDatabasesSanitizingFunction(new MockEnvironment());

        assertThat(none.apply(new SanitizableData(null, "shardedid.shards", "2000")).getValue()).isEqualTo("2000");
    }

    private Object sanitized(String key, String value) {
        return this.function.apply(new SanitizableData(null, key, value)).getValue();
    }

}
