package io.shardedid.sample.postgres;

import io.shardedid.sample.SampleApplication;
import org.junit.jupiter.api.Test;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class TwoDatabasesTest {

    /** Before a server is started. */
    @Test
    void startFailsTogetherWithChaos() {
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
            .isThrownBy(() -> new SpringApplicationBuilder(SampleApplication.class).profiles("two-databases", "chaos")
                .run("--server.port=0")
                .close())
            .withMessageContaining("two-databases,chaos")
            .extracting(InvalidConfigurationPropertyValueException::getReason)
            .isEqualTo("The profiles 'two-databases' and 'chaos' must not be combined; leave one of them out.");
    }

}
