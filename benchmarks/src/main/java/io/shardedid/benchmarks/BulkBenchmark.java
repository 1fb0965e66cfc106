package io.shardedid.benchmarks;

import java.util.concurrent.TimeUnit;

import io.shardedid.ShardedIdEngine;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * A thousand ids of a shard in one call; the time of each. Each thread has its own shard,
 * as the ceiling of one is not far enough for more.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
public class BulkBenchmark {

    private static final int IDS = 1000;

    private static final int SHARDS = 8;

    private ShardedIdEngine ids;

    @Setup
    public void open() {
        this.ids = EngineMode.FIXED.open(SHARDS);
    }

    @TearDown
    public void close() {
        this.ids.close();
    }

    @Benchmark
    @OperationsPerInvocation(IDS)
    public long[] thousand(Into into) {
        this.ids.next(into.shard, into.ids);
        return into.ids;
    }

    /**
     * Where one thread puts its ids.
     */
    @State(Scope.Thread)
    public static class Into {

        private final long[] ids = new long[IDS];

        private int shard;

        @Setup
        public void choose(ThreadParams thread) {
            this.shard = thread.getThreadIndex() % SHARDS;
        }

    }

}
