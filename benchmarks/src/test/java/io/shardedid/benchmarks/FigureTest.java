package io.shardedid.benchmarks;

import java.util.Arrays;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FigureTest {

    @Test
    void isReachedWhenAllRoundsReachIt() {
        assertThat(verdict(0.8, 0.9, 1.0)).isEqualTo("reached");
    }

    @Test
    void isMissedWhenAllRoundsMissIt() {
        assertThat(verdict(1.1, 1.2)).isEqualTo("missed");
    }

    @Test
    void tellsASpreadThatExceedsTheMargin() {
        assertThat(verdict(0.8, 0.9, 1.1)).isEqualTo("reached by the median; the spread exceeds the margin");
        assertThat(verdict(0.9, 1.1, 1.2)).isEqualTo("missed by the median; the spread exceeds the margin");
    }

    private static String verdict(Double... rounds) {
        return new Figure("what", 1.0, new Series(Arrays.asList(rounds))).verdict();
    }

}
