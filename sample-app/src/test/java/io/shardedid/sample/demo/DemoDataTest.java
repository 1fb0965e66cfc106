package io.shardedid.sample.demo;

import java.time.Clock;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIds;
import io.shardedid.routing.Shards;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;

import org.springframework.dao.DataIntegrityViolationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

class DemoDataTest {

    private final DataIntegrityViolationException twice = new DataIntegrityViolationException("name is unique");

    @Test
    void fivePeopleLiveInFiveShardsOfBothDatabases() {
        assertThat(DemoPhoto.ALL.stream()
            .map(DemoPhoto::author)
            .distinct()
            .map((name) -> ShardFunction.hash().shardOf(name, 2000))
            .sorted()).containsExactly(635, 929, 939, 1019, 1063);
    }

    /** Whenever it starts, there is a photo of each of the last three days. */
    @Test
    void photosAreLessThanADayApartAndTheNewestIsTheLast() {
        List<Integer> ages = DemoPhoto.ALL.stream().map(DemoPhoto::minutes).toList();
        assertThat(ages).isSortedAccordingTo(Comparator.reverseOrder()).doesNotHaveDuplicates();
        assertThat(ages.get(0)).isBetween(2 * 24 * 60, 3 * 24 * 60);
        for (int i = 1; i < ages.size(); i++) {
            assertThat(ages.get(i - 1) - ages.get(i)).isLessThan(24 * 60);
        }
    }

    /** Two instances fill one empty database at the same moment. */
    @Test
    void letsTheOtherInstanceFillIt() {
        assertThatCode(() -> start(false, true)).doesNotThrowAnyException();
    }

    @Test
    void failsIfNobodyFilledIt() {
        assertThatThrownBy(() -> start(false, false)).isSameAs(this.twice);
    }

    private void start(Boolean before, Boolean after) {
        Iterator<Boolean> answers = List.of(before, after).iterator();
        ShardedIds ids = mock();
        given(ids.clock()).willReturn(Clock.systemUTC());
        given(ids.layout()).willReturn(IdLayout.standard());
        Shards shards = mock();
        willThrow(this.twice).given(shards).inShardOf(anyLong(), any(Runnable.class));
        given(shards.inEach(ArgumentMatchers.<Supplier<Boolean>>any()))
            .willAnswer((call) -> Map.of("home", answers.next()));
        new DemoData(mock(), ids, mock(), mock(), shards).afterSingletonsInstantiated();
    }

}
