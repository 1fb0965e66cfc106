package io.shardedid.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;

/**
 * What is in use of the heap.
 */
final class Heap {

    private static final int COLLECTIONS = 3;

    private Heap() {
    }

    /** Returns the bytes in use after garbage was collected. */
    static long used() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        for (int i = 0; i < COLLECTIONS; i++) {
            memory.gc();
        }
        return memory.getHeapMemoryUsage().getUsed();
    }

}
