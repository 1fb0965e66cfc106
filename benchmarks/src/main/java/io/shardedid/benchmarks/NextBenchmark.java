package io.shardedid.benchmarks;

import java.util.concurrent.TimeUnit;

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
 * One id from one source that all threads share: of one shard, where there are shards.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
public class NextBenchmark {

    @Param
    public Peer peer;

    private IdSource source;

    @Setup
    public void open() {
        this.source = this.peer.open();
    }

    @TearDown
    public void close() {
        this.source.close();
    }

    @Benchmark
    public long next() {
        return this.source.next();
    }

    /** One call as one sample, for the tail; reading the clock around it is a part. */
    @Benchmark
    @BenchmarkMode(Mode.SampleTime)
    public long oneCall() {
        return this.source.next();
    }

    /**
     * A thousand calls as one sample. Their median does not see what else the machine
     * does: few samples are interrupted.
     */
    @Benchmark
    @BenchmarkMode(Mode.SampleTime)
    public long thousandCalls() {
        long all = 0;
        for (int i = 0; i < JmhRounds.CALLS_IN_SAMPLE; i++) {
            all ^= this.source.next();
        }
        return all;
    }

}
