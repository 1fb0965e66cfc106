package io.shardedid.benchmarks;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.shardedid.IdField;
import io.shardedid.IdLayout;

/**
 * The layouts of the benchmarks.
 */
final class BenchmarkLayout {

    /**
     * 29 time | 13 shard | 1 worker | 20 sequence, for six days: a million ids a shard
     * and millisecond, so that no sequence is ever exhausted.
     */
    static final IdLayout FAR_CEILING = IdLayout.builder()
        .timeBits(29)
        .shardBits(13)
        .workerBits(1)
        .sequenceBits(20)
        .epoch(Instant.now().minus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.DAYS))
        .build();

    /** The same with the sequence above the shard: one cell for all shards. */
    static final IdLayout FAR_CEILING_DENSE = FAR_CEILING.toBuilder()
        .order(IdField.SEQUENCE, IdField.SHARD, IdField.WORKER)
        .build();

    private BenchmarkLayout() {
    }

}
