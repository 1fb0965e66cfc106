package io.shardedid.benchmarks;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FiguresTest {

    private final Measurements measured = new Measurements();

    @Test
    void thePeerIsTheFastestTimeBasedOne() {
        this.measured.add("NextBenchmark.thousandCalls FIXED t1", 40);
        this.measured.add("NextBenchmark.thousandCalls LIMIT t1", 20);
        this.measured.add("NextBenchmark.thousandCalls AGRONA t1", 80);
        this.measured.add("NextBenchmark.thousandCalls COSID t1", 50);
        assertThat(figure("`next`, 1 thread, one shard, over the fastest time-based peer").values())
            .containsExactly(0.8);
    }

    @Test
    void indexesAreComparedWithThatOfASequence() {
        this.measured.add("persist POSTGRESQL DENSE index bytes a row", 22);
        this.measured.add("persist POSTGRESQL SEQUENCE index bytes a row", 20);
        assertThat(figure("index bytes a row over a bigint sequence, all shards in one table, layout `dense`").values())
            .containsExactly(1.1);
    }

    private Series figure(String what) {
        return Figures.of(this.measured)
            .stream()
            .filter((figure) -> figure.what().equals(what))
            .findFirst()
            .orElseThrow()
            .measured();
    }

}
