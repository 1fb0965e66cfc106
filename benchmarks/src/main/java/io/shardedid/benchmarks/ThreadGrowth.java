package io.shardedid.benchmarks;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAccumulator;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLeases;

/**
 * Threads that want ids of one shard whose sequence is exhausted: what one that waits
 * takes of the heap, how long the longest wait is, and how evenly the ids go to the
 * threads. Virtual threads are there on JDK 21 and later.
 */
final class ThreadGrowth {

    private static final int VIRTUAL_THREADS_SINCE = 21;

    private static final int WORKER = 6;

    /**
     * Its ids are ahead of the clock afterwards, and the next ones would wait for that.
     */
    private static final int WORKER_OF_STOPPED_TIME = 7;

    private final Scale scale;

    private final Measurements measured;

    private final Progress progress;

    ThreadGrowth(Scale scale, Measurements measured, Progress progress) {
        this.scale = scale;
        this.measured = measured;
        this.progress = progress;
    }

    static List<String> sizes() {
        return List.of("1", "2", "8", "1000", "10000", "100000");
    }

    void run() throws Exception {
        for (int threads : new int[] { 1, 2, 8 }) {
            measure("platform threads", threads);
        }
        if (Runtime.version().feature() >= VIRTUAL_THREADS_SINCE) {
            for (int threads : this.scale.meant() ? new int[] { 1000, 10_000, 100_000 } : new int[] { 1000 }) {
                measure("virtual threads", threads);
            }
        }
        this.progress.done("threads that wait");
    }

    private void measure(String kind, int threads) throws Exception {
        String name = "threads, %s, %%s, %d".formatted(kind, threads);
        if (kind.equals("virtual threads")) {
            // few platform threads are lost in what the JVM itself does meanwhile
            this.measured.add(name.formatted("heap of one that waits (bytes)"), bytesOfOneThatWaits(threads));
        }
        if (this.scale.timed()) {
            compete(name, kind, threads);
        }
    }

    private static ShardedIdEngine open(TimeSource time, int worker) {
        return ShardedIds.builder()
            .layout(IdLayout.standard())
            .shards(1)
            .maxWait(Duration.ofMinutes(5))
            .timeSource(time)
            .workers(WorkerLeases.fixed(worker))
            .open();
    }

    private static ExecutorService executor(String kind, int threads) {
        return kind.equals("virtual threads") ? VirtualThreadsBenchmark.virtualThreads()
                : Executors.newFixedThreadPool(threads);
    }

    private static double bytesOfOneThatWaits(int threads) throws InterruptedException {
        StoppedTime time = new StoppedTime();
        try (ShardedIdEngine ids = open(time, WORKER_OF_STOPPED_TIME)) {
            time.spend(ids);
            ExecutorService all = executor("virtual threads", threads);
            long before = Heap.used();
            CountDownLatch waiting = time.stop(threads);
            for (int thread = 0; thread < threads; thread++) {
                all.execute(() -> ids.next(0));
            }
            waiting.await();
            double bytes = (double) (Heap.used() - before) / threads;
            time.goOn();
            end(all);
            return bytes;
        }
    }

    /** All threads make ids of the shard for a while, as fast as they get them. */
    private void compete(String name, String kind, int threads) throws InterruptedException {
        Duration length = this.scale.meant() ? Duration.ofSeconds(threads > 100 ? 20 : 5) : Duration.ofMillis(50);
        AtomicLongArray made = new AtomicLongArray(threads);
        LongAccumulator longest = new LongAccumulator(Math::max, 0);
        try (ShardedIdEngine ids = open(TimeSource.system(), WORKER)) {
            ids.next(0);
            long until = System.nanoTime() + length.toNanos();
            ExecutorService all = executor(kind, threads);
            for (int thread = 0; thread < threads; thread++) {
                int mine = thread;
                all.execute(() -> {
                    long began = System.nanoTime();
                    while (began < until) {
                        ids.next(0);
                        long now = System.nanoTime();
                        longest.accumulate(now - began);
                        made.incrementAndGet(mine);
                        began = now;
                    }
                });
            }
            end(all);
        }
        long[] each = new long[threads];
        Arrays.setAll(each, made::get);
        double mean = Arrays.stream(each).average().orElseThrow();
        this.measured.addTime(name.formatted("longest wait (ms)"), longest.get() / 1e6);
        this.measured.addTime(name.formatted("ids of the poorest over the mean"),
                Arrays.stream(each).min().orElseThrow() / mean);
    }

    private static void end(ExecutorService all) throws InterruptedException {
        all.shutdown();
        if (!all.awaitTermination(10, TimeUnit.MINUTES)) {
            throw new IllegalStateException("threads must end within ten minutes");
        }
    }

    /** A clock that stands while threads wait. */
    private static final class StoppedTime extends TimeSource {

        private final long startNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());

        private final AtomicLong nanos = new AtomicLong();

        private volatile CountDownLatch waiting = new CountDownLatch(0);

        private volatile CountDownLatch stopped = new CountDownLatch(0);

        private volatile boolean spending;

        @Override
        public long nanoTime() {
            return this.nanos.get();
        }

        @Override
        public long epochNanos() {
            return this.startNanos + this.nanos.get();
        }

        @Override
        public void park(long waited) {
            if (this.spending) {
                throw new Spent();
            }
            if (this.stopped.getCount() == 0) {
                this.nanos.addAndGet(waited);
                return;
            }
            this.waiting.countDown();
            try {
                this.stopped.await();
            }
            catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        }

        /** Makes ids until the next one would have to wait. */
        void spend(ShardedIdEngine ids) {
            this.nanos.addAndGet(Duration.ofSeconds(10).toNanos());
            this.spending = true;
            try {
                while (true) {
                    ids.next(0);
                }
            }
            catch (Spent expected) {
                this.spending = false;
            }
        }

        /** From now on whoever waits waits until the clock goes on. */
        CountDownLatch stop(int threads) {
            this.waiting = new CountDownLatch(threads);
            this.stopped = new CountDownLatch(1);
            return this.waiting;
        }

        void goOn() {
            this.nanos.addAndGet(Duration.ofSeconds(60).toNanos());
            this.stopped.countDown();
        }

        private static final class Spent extends RuntimeException {

            private static final long serialVersionUID = 1;

        }

    }

}
