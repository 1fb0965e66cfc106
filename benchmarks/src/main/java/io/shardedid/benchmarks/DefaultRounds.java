package io.shardedid.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Ids as fast as each generator's default layout lets them come, from one, two and 16
 * threads: how many a second, and the share of the time in which the threads were off
 * their CPUs. The rest is work, and spinning where a generator spins.
 */
final class DefaultRounds {

    private static final int BETWEEN_CLOCKS = 64;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    private final Scale scale;

    private final Measurements measured;

    DefaultRounds(Scale scale, Measurements measured) {
        this.scale = scale;
        this.measured = measured;
    }

    void run() throws ExecutionException, InterruptedException {
        for (DefaultPeer peer : DefaultPeer.values()) {
            try (IdSource source = peer.open()) {
                run("default layout " + peer, source, 1, 2, 16);
            }
        }
    }

    void run(String title, IdSource source, int... counts) throws ExecutionException, InterruptedException {
        for (int count : counts) {
            run(source, count, 500_000_000L);
            Made made = run(source, count, 1_000_000_000L);
            String name = "%s t%s".formatted(title, count);
            this.measured.add(name + " ids a second", made.ids * 1e9 / made.wallNanos * count);
            this.measured.add(name + " share off CPU", 1 - (double) made.cpuNanos / made.wallNanos);
        }
    }

    private Made run(IdSource source, int count, long nanos) throws ExecutionException, InterruptedException {
        long limit = this.scale.meant() ? nanos : nanos / 100;
        ExecutorService pool = Executors.newFixedThreadPool(count);
        List<Future<Made>> running = new ArrayList<>();
        for (int thread = 0; thread < count; thread++) {
            running.add(pool.submit(() -> make(source, limit)));
        }
        Made all = new Made(0, 0, 0);
        for (Future<Made> each : running) {
            all = all.and(each.get());
        }
        pool.shutdown();
        return all;
    }

    private Made make(IdSource source, long limitNanos) {
        long cpu = this.threads.getCurrentThreadCpuTime();
        long began = System.nanoTime();
        long ids = 0;
        long took = 0;
        while (took < limitNanos) {
            for (int i = 0; i < BETWEEN_CLOCKS; i++) {
                source.next();
            }
            ids += BETWEEN_CLOCKS;
            took = System.nanoTime() - began;
        }
        return new Made(ids, took, this.threads.getCurrentThreadCpuTime() - cpu);
    }

    /** What threads made, and the sums of their times. */
    private record Made(long ids, long wallNanos, long cpuNanos) {

        Made and(Made other) {
            return new Made(this.ids + other.ids, this.wallNanos + other.wallNanos, this.cpuNanos + other.cpuNanos);
        }

    }

}
