package io.shardedid.internal;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class MessageTextTest {

    @ParameterizedTest
    @CsvSource({ "PT0S, 0s", "PT30S, 30s", "PT90S, 90s", "PT5M, 5m", "PT1H, 1h", "PT24H, 24h", "PT-30S, -30s",
            "PT0.5S, 500ms", "PT-1.5S, -1500ms", "PT0.00025S, 250us", "PT0.000000007S, 7ns", "PT48H0.5S, 172800.5s" })
    void writesDurationsAsConfigurationDoes(Duration value, String written) {
        assertThat(MessageText.duration(value)).isEqualTo(written);
    }

    @Test
    void namesNoPageByAnAddressThatDoesNotExist() {
        assertThat(MessageText.page("docs/choosing.md")).endsWith("docs/choosing.md").doesNotContain(".invalid");
    }

}
