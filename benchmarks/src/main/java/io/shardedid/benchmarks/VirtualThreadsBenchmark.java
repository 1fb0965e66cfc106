package io.shardedid.benchmarks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Many virtual threads on one source, each with its part of a fixed number of ids; they
 * give way after each hundred, so that many are on their way at once. The time of an id
 * of all threads together; starting them is a part. JDK 21 and later.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
public class VirtualThreadsBenchmark {

    private static final int IDS = 1_000_000;

    private static final int TURN = 100;

    @Param
    public Peer peer;

    @Param({ "1", "100", "1000", "10000" })
    public int virtualThreads;

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
    @OperationsPerInvocation(IDS)
    public void crowd(Blackhole blackhole) throws InterruptedException {
        ExecutorService crowd = virtualThreads();
        int each = IDS / this.virtualThreads;
        for (int thread = 0; thread < this.virtualThreads; thread++) {
            crowd.execute(() -> make(each, blackhole));
        }
        crowd.shutdown();
        if (!crowd.awaitTermination(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("virtual threads must end within a minute: peer=" + this.peer);
        }
    }

    private void make(int ids, Blackhole blackhole) {
        long all = 0;
        for (int made = 0; made < ids; made++) {
            if (made % TURN == 0) {
                Thread.yield();
            }
            all ^= this.source.next();
        }
        blackhole.consume(all);
    }

    /** Looked up by name: the sources are for Java 17. */
    static ExecutorService virtualThreads() {
        try {
            return (ExecutorService) MethodHandles.publicLookup()
                .findStatic(Executors.class, "newVirtualThreadPerTaskExecutor",
                        MethodType.methodType(ExecutorService.class))
                .invoke();
        }
        catch (Throwable ex) {
            throw new IllegalStateException("virtual threads need JDK 21 or later", ex);
        }
    }

}
