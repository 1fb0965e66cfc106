package io.shardedid.benchmarks;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SeriesTest {

    @Test
    void theMedianOfAnEvenNumberLiesBetween() {
        assertThat(new Series(List.of(9.0, 1.0, 4.0, 2.0)).median()).isEqualTo(3.0);
    }

    @Test
    void aRatioIsTakenInEachRound() {
        Series slowInTheSecondRound = new Series(List.of(2.0, 20.0));
        assertThat(slowInTheSecondRound.over(new Series(List.of(1.0, 10.0))).values()).containsExactly(2.0, 2.0);
    }

    @Test
    void aRoundThatOnlyOneHasDropsOut() {
        assertThat(new Series(List.of(2.0, 3.0)).over(new Series(List.of(1.0))).values()).containsExactly(2.0);
    }

    @Test
    void anEmptySeriesTellsNothing() {
        assertThat(new Series(List.of()).medianText()).isEmpty();
    }

}
