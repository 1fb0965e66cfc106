package io.shardedid.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.shardedid.ShardedIdEngine;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One id of one of many shards, drawn beforehand.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
public class SpreadBenchmark {

    @Param("FIXED")
    public EngineMode mode;

    @Param({ "2000", "8192" })
    public int shards;

    @Param
    public ShardDraw draw;

    private final AtomicInteger threads = new AtomicInteger();

    private ShardedIdEngine ids;

    @Setup
    public void open() {
        this.ids = this.mode.open(this.shards);
    }

    @TearDown
    public void close() {
        this.ids.close();
    }

    @Benchmark
    public long next(Draws draws) {
        return this.ids.next(draws.next());
    }

    /** A thousand calls as one sample, as {@link NextBenchmark#thousandCalls()}. */
    @Benchmark
    @BenchmarkMode(Mode.SampleTime)
    public long thousandCalls(Draws draws) {
        long all = 0;
        for (int i = 0; i < JmhRounds.CALLS_IN_SAMPLE; i++) {
            all ^= this.ids.next(draws.next());
        }
        return all;
    }

    /**
     * The shards of one thread.
     */
    @State(Scope.Thread)
    public static class Draws {

        private static final int COUNT = 1 << 13;

        private int[] drawn;

        private int at;

        @Setup
        public void draw(SpreadBenchmark benchmark) {
            this.drawn = benchmark.draw.draws(benchmark.shards, COUNT, benchmark.threads.getAndIncrement());
        }

        int next() {
            return this.drawn[this.at++ & COUNT - 1];
        }

    }

}
