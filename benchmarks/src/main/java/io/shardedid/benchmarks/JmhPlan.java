package io.shardedid.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * Which JMH benchmarks run how: those that the figures need in each round, the others
 * once.
 */
final class JmhPlan {

    private static final int VIRTUAL_THREADS_SINCE = 21;

    private JmhPlan() {
    }

    /** What the figures of {@code next} need. */
    static List<JmhJob> next() {
        Object[] alone = peers(Peer::contender);
        Object[] together = peers((peer) -> peer != Peer.LEASE && peer.contender());
        return List.of(new JmhJob("NextBenchmark.thousandCalls", 1).with("peer", alone), spread("thousandCalls", 1),
                spread("next", 1), new JmhJob("BulkBenchmark.thousand", 1),
                new JmhJob("NextBenchmark.next", 2).with("peer", together), spread("next", 2),
                new JmhJob("NextBenchmark.next", 8).with("peer", together), spread("next", 8));
    }

    static List<JmhJob> generate() {
        return List.of(new JmhJob("GenerateBenchmark", 1));
    }

    static List<JmhJob> json() {
        return List.of(new JmhJob("JsonBenchmark", 1));
    }

    /** All the rest; a smoke run needs none of the many threads. */
    static List<JmhJob> others(boolean all) {
        List<JmhJob> jobs = new ArrayList<>();
        jobs.add(new JmhJob("NextBenchmark.next", 1));
        jobs.add(new JmhJob("NextBenchmark.oneCall", 1));
        jobs.add(new JmhJob("FormBenchmark", 1));
        jobs.addAll(beside(1));
        jobs.add(spread("next", 1).with("shards", 1, 16, 256));
        if (all) {
            jobs.add(new JmhJob("NextBenchmark.oneCall", 8));
            for (int threads : new int[] { 2, 8 }) {
                jobs.add(new JmhJob("NextBenchmark.next", threads).with("peer",
                        peers((peer) -> peer == Peer.LEASE || !peer.contender())));
                jobs.add(new JmhJob("BulkBenchmark.thousand", threads));
                jobs.addAll(beside(threads));
            }
            for (int threads : new int[] { 4, 16, 32, 64 }) {
                jobs.add(spread("next", threads));
            }
        }
        jobs.addAll(virtualThreads());
        return jobs;
    }

    private static List<JmhJob> beside(int threads) {
        JmhJob spread = new JmhJob("SpreadBenchmark.next", threads);
        return List.of(new JmhJob("UuidBenchmark", threads), spread.with("shards", 2000).with("mode", EngineMode.LEASE),
                spread.with("shards", 8192).with("mode", EngineMode.FIXED),
                spread.with("shards", 2000).with("mode", EngineMode.FIXED).with("draw", ShardDraw.ZIPF));
    }

    /** None before JDK 21. */
    static List<JmhJob> virtualThreads() {
        if (Runtime.version().feature() < VIRTUAL_THREADS_SINCE) {
            return List.of();
        }
        return List.of(new JmhJob("VirtualThreadsBenchmark", 1).with("virtualThreads", 1000),
                new JmhJob("VirtualThreadsBenchmark", 1).with("virtualThreads", 1, 100, 10_000)
                    .with("peer", Peer.FIXED, Peer.LIMIT));
    }

    private static JmhJob spread(String method, int threads) {
        return new JmhJob("SpreadBenchmark." + method, threads).with("shards", 2000)
            .with("mode", EngineMode.FIXED)
            .with("draw", ShardDraw.UNIFORM);
    }

    private static Object[] peers(Predicate<Peer> which) {
        return Arrays.stream(Peer.values()).filter(which).toArray();
    }

}
