package io.shardedid.internal.lease;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.shardedid.LeaseSettings;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLease;
import io.shardedid.WorkerLeaseListener;
import org.jspecify.annotations.Nullable;

/** A process whose heap is full for some seconds while it holds a lease. */
final class FullHeap {

    private static final long FULL_NANOS = Duration.ofSeconds(6).toNanos();

    private static volatile @Nullable Object[] kept;

    private FullHeap() {
    }

    /**
     * Ends with status 0 if the lease is renewed afterwards and given back at the end.
     */
    public static void main(String[] arguments) throws Exception {
        TimeSource time = TimeSource.system();
        FaultyStore store = new FaultyStore(time);
        Semaphore renewals = new Semaphore(0);
        LeaseSettings settings = LeaseSettings.builder()
            .window(Duration.ofSeconds(3))
            .renewEvery(Duration.ofMillis(200))
            .startupTimeout(Duration.ofSeconds(30))
            .maxSkew(Duration.ofDays(36_500))
            .owner("full")
            .build();
        int worker;
        try (ShardedIdEngine ids = SeparateProcess
            .open(ShardedIds.builder().workers(new LeasedWorker(settings, store, List.of(new WorkerLeaseListener() {
                @Override
                public void renewed(WorkerLease lease) {
                    renewals.release();
                }
            }))))) {
            long errors = fill(time);
            kept = null;
            renewals.drainPermits();
            if (!renewals.tryAcquire(3, 20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("not renewed after the heap was full, errors=" + errors);
            }
            worker = ids.parse(ids.next(5)).worker();
            System.out.println("errors=" + errors);
        }
        LeaseRow row = store.row(worker);
        if (row == null || row.leaseUntilMillis() != 0) {
            throw new IllegalStateException("not given back: " + row);
        }
        System.out.println("given back");
    }

    /** Takes all that there is, and all that becomes free. */
    private static long fill(TimeSource time) {
        long end = time.nanoTime() + FULL_NANOS;
        long errors = 0;
        while (time.nanoTime() - end < 0) {
            try {
                while (true) {
                    kept = new Object[] { kept, new byte[1 << 16] };
                }
            }
            catch (OutOfMemoryError ex) {
                errors++;
            }
            try {
                while (true) {
                    kept = new Object[] { kept };
                }
            }
            catch (OutOfMemoryError ex) {
                errors++;
            }
        }
        return errors;
    }

}
