package io.shardedid.benchmarks;

import java.util.UUID;
import java.util.concurrent.TimeUnit;

import com.github.f4b6a3.uuid.factory.standard.TimeOrderedEpochFactory;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * UUIDs, which are twice as long.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
public class UuidBenchmark {

    private final TimeOrderedEpochFactory factory = new TimeOrderedEpochFactory();

    @Benchmark
    public UUID version4() {
        return UUID.randomUUID();
    }

    @Benchmark
    public UUID version7() {
        return this.factory.create();
    }

}
