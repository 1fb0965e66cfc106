package io.shardedid.benchmarks;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.shardedid.IdLayout;

/**
 * The layouts of the benchmarks.
 */
final class BenchmarkLayout {

    /**
     * 29 time | 13 shard | 1 worker | 20 sequence, for six days: a million ids a shard
     * and millisecond, so that no sequence is ever spent.
     */
    static final IdLayout FAR_CEILING = IdLayout.builder()
        .timeBits(29)
        .shardBits(13)
        .workerBits(1)
        .sequenceBits(20)
        .epoch(Instant.now().minus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.DAYS))
        .build();

    private BenchmarkLayout() {
    }

}
