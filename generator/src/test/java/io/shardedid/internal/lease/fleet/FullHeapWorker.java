package io.shardedid.internal.lease.fleet;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.IdLayout;
import io.shardedid.IdsAheadOfClockException;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;

/**
 * One process that makes ids as far ahead of its clock as it may and gives its lease
 * back, on demand while its heap is full. Arguments: the JDBC URL, the journal,
 * {@code full} or {@code roomy}. Prints {@code READY} and {@code ENDED}.
 */
final class FullHeapWorker {

    private static final int SHARDS = 8192;

    private static final int HOT_SHARDS = 4;

    private static final long MAKING_NANOS = Duration.ofMillis(1500).toNanos();

    /**
     * Longer than a first attempt takes, shorter than the pause before the second one.
     */
    private static final Duration FULL = Duration.ofMillis(300);

    /** Smaller than the cells of all shards, which need 128 KiB in one piece. */
    private static final int CHUNK_BYTES = 1 << 16;

    private static byte[][] filling = new byte[4096][];

    private FullHeapWorker() {
    }

    public static void main(String[] args) throws Exception {
        LeaseSettings settings = LeaseSettings.builder()
            .window(Duration.ofSeconds(4))
            .startupTimeout(Duration.ofSeconds(60))
            .workerId(0)
            .application("full heap " + ProcessHandle.current().pid())
            .build();
        ShardedIdEngine ids = ShardedIds.builder()
            .layout(IdLayout.manyShards())
            .shards(SHARDS)
            .maxAhead(Duration.ofSeconds(3))
            .maxWait(Duration.ofMillis(1))
            .workers(JdbcLeases.leased(settings, LeaseConnections.url(args[0], "postgres", ""), "shardedid_worker",
                    SchemaInitialization.ALWAYS, List.of()))
            .open();
        System.out.println("READY " + ids.stats().worker());
        try (IdJournal journal = new IdJournal(Path.of(args[1]))) {
            make(ids, journal);
        }
        close(ids, args[2].equals("full"));
        System.out.println("ENDED");
        System.exit(0);
    }

    private static void make(ShardedIdEngine ids, IdJournal journal) throws Exception {
        long began = System.nanoTime();
        for (int i = 0; System.nanoTime() - began < MAKING_NANOS; i++) {
            long[] into = new long[1000];
            try {
                ids.next(i % HOT_SHARDS, into);
                journal.append(new IdJournal.Entry(System.currentTimeMillis(), 0, into));
            }
            catch (IdsAheadOfClockException ex) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    private static void close(ShardedIdEngine ids, boolean full) throws InterruptedException {
        CountDownLatch filled = new CountDownLatch(1);
        Thread closer = new Thread(() -> {
            try {
                filled.await();
                ids.close();
            }
            catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        });
        closer.start();
        try {
            for (int i = 0; full && i < filling.length; i++) {
                filling[i] = new byte[CHUNK_BYTES];
            }
        }
        catch (OutOfMemoryError ex) {
            // That is what it is for.
        }
        filled.countDown();
        LockSupport.parkNanos(FULL.toNanos());
        filling = new byte[0][];
        closer.join();
    }

}
