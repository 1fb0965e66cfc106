package io.shardedid;

import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Layouts whose sequence stands above the shard: one cell for all shards.
 */
class EngineDenseTest {

    private final EngineRig rig = new EngineRig(IdLayout.dense()).leased();

    private final Engine engine = this.rig.engine;

    @Test
    void countsOverAllShards() {
        assertThat(this.engine.numbers().next(1001)).isEqualTo(this.rig.id(0, 1001, 0));
        assertThat(this.engine.numbers().next(7)).isEqualTo(this.rig.id(0, 7, 1));
        assertThat(this.engine.numbers().nextKeyless()).isGreaterThan(this.rig.id(0, 7, 1))
            .isLessThan(this.rig.id(0, 0, 3));
        assertThat(this.engine.numbers().next(1001)).isEqualTo(this.rig.id(0, 1001, 3));
    }

    @Test
    void idsOfOneProcessIncreaseWhateverTheirShards() {
        Seed seed = Seed.ofThisRun();
        Random random = new Random(seed.value());
        long[] ids = new long[10_000];
        for (int i = 0; i < ids.length; i++) {
            this.rig.time.advance(Duration.ofNanos(random.nextInt(20_000)));
            ids[i] = (i % 5 == 0) ? this.engine.numbers().nextKeyless()
                    : this.engine.numbers().next(random.nextInt(2048));
        }

        assertThat(ids).as("%s", seed).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void idsOfOneCallCountAcrossTheSameCell() {
        long[] ids = new long[300];
        this.engine.numbers().next(5, ids);

        int begin = this.rig.begin();
        assertThat(ids).isEqualTo(IntStream.range(begin, begin + 300)
            .mapToLong((i) -> this.rig.layout.compose(this.rig.tick + i / 128, 5, EngineRig.WORKER, i % 128))
            .toArray());
        assertThat(this.engine.numbers().next(6)).isEqualTo(this.rig.id(2, 6, begin + 44));
    }

    @Test
    void keylessIdsReachManyShards() {
        int[] shards = LongStream.generate(this.engine.numbers()::nextKeyless)
            .limit(2000)
            .mapToInt(this.rig.layout::shardOf)
            .toArray();

        assertThat(Arrays.stream(shards).distinct().count()).isGreaterThan(1000);
        assertThat(Arrays.stream(shards)).allMatch((shard) -> shard < 2048);
    }

    @Test
    void spentSequenceOfOneShardIsSpentForAll() {
        assertThat(this.rig.drain(3)).hasSize(1000 * 128 - this.rig.begin());
        assertThat(this.engine.numbers().tryNext(4)).isEqualTo(CellClaims.AHEAD_OF_CLOCK);
        assertThat(this.engine.numbers().tryNextKeyless()).isEqualTo(CellClaims.AHEAD_OF_CLOCK);
    }

}
