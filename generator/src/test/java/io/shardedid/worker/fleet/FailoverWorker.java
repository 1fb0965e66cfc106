package io.shardedid.worker.fleet;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.worker.LeaseSettings;
import io.shardedid.worker.table.JdbcWorkerLeases;
import io.shardedid.worker.table.LeaseConnections;
import io.shardedid.worker.table.SchemaInitialization;

/**
 * One process that makes as many ids as it can, until it is killed. Arguments: the JDBC
 * URL, the journal, {@code tolerant} or {@code plain}, the window in seconds, how long a
 * start may take in seconds, the worker id. Prints {@code READY} or {@code REFUSED} with
 * a reason.
 */
final class FailoverWorker {

    private static final int SHARDS = 4;

    private static final int BURST = 500;

    private FailoverWorker() {
    }

    public static void main(String[] args) throws Exception {
        Duration window = Duration.ofSeconds(Long.parseLong(args[3]));
        LeaseSettings settings = LeaseSettings.builder()
            .window(window)
            .renewEvery(window.multipliedBy(4).dividedBy(15))
            .startupTimeout(Duration.ofSeconds(Long.parseLong(args[4])))
            .workerId(Integer.parseInt(args[5]))
            .tolerateLostCommits(args[2].equals("tolerant"))
            .application(args[2] + " " + ProcessHandle.current().pid())
            .build();
        try {
            ShardedIdEngine ids = ShardedIds.builder()
                .shards(SHARDS)
                .maxWait(Duration.ofMillis(20))
                .workers(JdbcWorkerLeases.leased(settings, LeaseConnections.url(args[0], "postgres", ""),
                        "shardedid_worker", SchemaInitialization.ALWAYS, List.of()))
                .open();
            System.out.println("READY " + ids.stats().worker());
            make(ids, new IdJournal(Path.of(args[1])));
        }
        catch (ShardedIdException ex) {
            System.out.println("REFUSED " + ex.getMessage());
        }
    }

    private static void make(ShardedIdEngine ids, IdJournal journal) throws Exception {
        for (int i = 0; true; i++) {
            long[] into = new long[BURST];
            try {
                ids.next(i % SHARDS, into);
                journal.append(new IdJournal.Entry(System.currentTimeMillis(), 0, into));
            }
            catch (ShardedIdException ex) {
                // nothing of an array that was not filled is to be used
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

}
