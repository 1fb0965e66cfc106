package io.shardedid.benchmarks;

import java.lang.management.ManagementFactory;

import com.sun.management.ThreadMXBean;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;

/**
 * What an engine allocates when it opens, by the number of its shards: its cells, and all
 * it keeps.
 */
final class MemoryRounds {

    private static final int WARM_UP = 3;

    private static final int[] SHARDS = { 1, 16, 256, 2000, 8192 };

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Measurements measured;

    MemoryRounds(Measurements measured) {
        this.measured = measured;
    }

    void run() {
        for (int round = 0; round <= WARM_UP; round++) {
            for (int shards : SHARDS) {
                long before = this.threads.getCurrentThreadAllocatedBytes();
                ShardedIdEngine ids = ShardedIds.builder()
                    .layout(IdLayout.manyShards())
                    .shards(shards)
                    .workers(WorkerLeases.fixed(5))
                    .open();
                long bytes = this.threads.getCurrentThreadAllocatedBytes() - before;
                ids.close();
                if (round == WARM_UP) {
                    this.measured.add("memory of an engine, %s shards (bytes)".formatted(shards), bytes);
                }
            }
        }
    }

}
