package io.shardedid.benchmarks;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MeasurementsTest {

    @Test
    void leavesTimesOutOfWhatABusyMachineCounted() {
        Measurements counted = new Measurements(Scale.GROWTH_COUNTS.timed());
        counted.addTime("insert (ms)", 3);
        counted.add("bytes", 4);

        assertThat(counted.names()).containsExactly("bytes");
    }

    @Test
    void keepsTimesOfAMachineThatDidNothingElse() {
        Measurements timed = new Measurements(Scale.GROWTH.timed());
        timed.addTime("insert (ms)", 3);

        assertThat(timed.series("insert (ms)").median()).isEqualTo(3);
    }

}
