package io.shardedid;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Threads that are released by one gate.
 *
 * @param name how the crowd is called in reports
 * @param size how many threads
 * @param executor where they come from
 */
record Crowd(String name, int size, Supplier<ExecutorService> executor) {

    static Crowd platform(int size) {
        return new Crowd(size + " platform threads", size, () -> Executors.newFixedThreadPool(size));
    }

    /** Returns all kinds that this JDK has: virtual threads came with 21. */
    static Stream<Crowd> all() {
        Stream<Crowd> platform = Stream.of(platform(16));
        return Runtime.version().feature() < 21 ? platform
                : Stream.concat(platform, Stream.of(new Crowd("1000 virtual threads", 1000, Crowd::virtualThreads)));
    }

    private static ExecutorService virtualThreads() {
        try {
            return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        }
        catch (ReflectiveOperationException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** Lets every thread do its work at once, and waits for all. */
    void run(Work work) throws Exception {
        ExecutorService threads = this.executor.get();
        try {
            CountDownLatch gate = new CountDownLatch(1);
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < this.size; i++) {
                int thread = i;
                all.add(threads.submit(() -> {
                    gate.await();
                    work.of(thread);
                    return null;
                }));
            }
            gate.countDown();
            for (Future<?> one : all) {
                one.get(5, TimeUnit.MINUTES);
            }
        }
        finally {
            threads.shutdownNow();
        }
    }

    @Override
    public String toString() {
        return this.name;
    }

    /** What one thread of a crowd does. */
    interface Work {

        void of(int thread) throws Exception;

    }

}
