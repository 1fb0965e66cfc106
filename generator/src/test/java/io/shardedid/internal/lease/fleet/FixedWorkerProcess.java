package io.shardedid.internal.lease.fleet;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.IdsAheadOfClockException;
import io.shardedid.SeparateJvm;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;

/**
 * One process with the fixed worker 3 that makes all ids of one shard that it may, until
 * it is killed. Arguments: max-ahead and the journal. Prints {@code READY}, {@code MADE}
 * or {@code REFUSED} with a reason.
 */
final class FixedWorkerProcess {

    private static final int HOT_SHARD = 7;

    private FixedWorkerProcess() {
    }

    public static void main(String[] args) throws Exception {
        SeparateJvm.endWithParent();
        ShardedIdEngine ids;
        try {
            ids = ShardedIds.builder()
                .maxAhead(Duration.parse(args[0]))
                .maxWait(Duration.ofMinutes(1))
                .workers(WorkerLeases.fixed(3))
                .open();
        }
        catch (ShardedIdException ex) {
            System.out.println("REFUSED " + ex.getMessage());
            System.exit(1);
            return;
        }
        System.out.println("READY");
        try (IdJournal journal = new IdJournal(Path.of(args[1]))) {
            for (int i = 0; true; i++) {
                long[] into = new long[100];
                try {
                    ids.next(HOT_SHARD, into);
                    journal.append(new IdJournal.Entry(System.currentTimeMillis(), 0, into));
                }
                catch (IdsAheadOfClockException ex) {
                    LockSupport.parkNanos(1_000_000);
                }
                if (i == 400) {
                    System.out.println("MADE");
                }
            }
        }
    }

}
