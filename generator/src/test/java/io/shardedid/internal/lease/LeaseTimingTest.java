package io.shardedid.internal.lease;

import java.time.Duration;
import java.util.Random;

import io.shardedid.IdLayout;
import io.shardedid.Seed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseTimingTest {

    private static LeaseTiming timing(Duration window) {
        return new LeaseTiming(IdLayout.standard(), window.toMillis(), window.toNanos() / 4);
    }

    @ParameterizedTest
    @CsvSource({ "PT1S, PT0.49S", "PT10S, PT9.4S", "PT30S, PT29.2S", "PT1H, PT59M23.5S" })
    void deadlineIsBeforeTheDatabaseLetsAnybodyTakeTheRow(Duration window, Duration deadline) {
        assertThat(timing(window).deadline(77)).isEqualTo(77 + deadline.toNanos());
        assertThat(timing(window).deadline(Long.MAX_VALUE)).as("clocks may wrap")
            .isEqualTo(Long.MAX_VALUE + deadline.toNanos());
    }

    @Test
    void jitterIsAFifthToEitherSide() {
        Seed seed = Seed.ofThisRun();
        Random random = seed.random();
        for (int i = 0; i < 1000; i++) {
            assertThat(timing(Duration.ofSeconds(30)).jittered(1_000_000, random)).as("%s", seed)
                .isBetween(800_000L, 1_200_000L);
        }
    }

    @Test
    void windowHasAtLeastOneTick() {
        IdLayout slow = IdLayout.builder().tick(Duration.ofSeconds(1)).build();
        assertThat(new LeaseTiming(slow, 999, 100_000_000).windowTicks()).isOne();
        assertThat(timing(Duration.ofHours(1)).windowTicks()).isEqualTo(3_600_000);
    }

    @Test
    void timeBeforeTheEpochIsTheFirstTick() {
        assertThat(timing(Duration.ofSeconds(30)).tick(0)).isZero();
    }

}
