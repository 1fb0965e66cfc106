package io.shardedid.spring.boot;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

import io.shardedid.ShardedIds;
import io.shardedid.hibernate.ShardedIdSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class EngineReportTest {

    private static final Duration RANGE = Duration.ofMillis((1L << 40) - 1);

    @ParameterizedTest
    @CsvSource({ "364, true", "366, false" })
    void warnsFromOneYearBeforeTheEnd(int daysLeft, boolean warned, CapturedOutput output) {
        Instant end = Instant.now().plus(Duration.ofDays(daysLeft)).plusSeconds(60).truncatedTo(ChronoUnit.SECONDS);
        ShardedIdSettings settings = ShardedIdSettings
            .from(Map.of("shardedid.worker.mode", "none", "shardedid.epoch", end.minus(RANGE)));
        try (ShardedIds ids = settings.open()) {
            EngineReport.log(ids, settings);
        }

        assertThat(output.getOut().contains("The layout of the ids ends soon: last usable instant=")).isEqualTo(warned);
        assertThat(output.getOut()).contains("worker none: this process makes no ids");
    }

    @Test
    void warningNamesTheEndAndWhatToDo() {
        assertThat(
                EngineReport.warning(Instant.parse("2059-11-04T19:53:47.775Z"), Instant.parse("2059-01-01T00:00:00Z")))
            .isEqualTo("The layout of the ids ends soon: last usable instant=2059-11-04T19:53:47.775Z, 307 days left; "
                    + "no id is made after it: move to a layout with more time bits or a later epoch, see UPGRADING.md");
    }

}
