package io.shardedid.move;

import java.util.List;

import io.shardedid.shards.ShardMapException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ShardRangesTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            value = { "5 | 5 | 1", "4-7 | 4-7 | 4", "14-20,10,12 | 10,12,14-20 | 9", "5,6,7-9 | 5-9 | 5" })
    void sortsAndJoins(String text, String all, int size) {
        ShardRanges ranges = ShardRanges.parse(text);
        assertThat(ranges).hasToString(all).isEqualTo(ShardRanges.parse(all));
        assertThat(ranges.size()).isEqualTo(size);
        assertThat(ranges.shards()).hasSize(size).isSorted();
        assertThat(ShardRanges.of(ranges.shards())).isEqualTo(ranges);
    }

    @Test
    void containsWhatARangeContains() {
        ShardRanges ranges = ShardRanges.parse("10,14-20");
        assertThat(List.of(9, 10, 11, 13, 14, 20, 21)).filteredOn(ranges::contains).containsExactly(10, 14, 20);
    }

    @Test
    void refusesAShardThatStandsTwice() {
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> ShardRanges.parse("5,3-7"))
            .withMessage("Shard must be in one range: shard=5, ranges=5,3-7; name it once");
    }

    @ParameterizedTest
    @ValueSource(strings = { "", ",5", "5,", "5;6", "x" })
    void refusesWhatIsNoRange(String text) {
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> ShardRanges.parse(text))
            .withMessageStartingWith("Shard range cannot be read: range='");
    }

}
