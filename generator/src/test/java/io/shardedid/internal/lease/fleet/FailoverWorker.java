package io.shardedid.internal.lease.fleet;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.LeasedWorker;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;

/**
 * One process that makes as many ids as it can, until it is killed. Arguments: the JDBC
 * URL, the journal, {@code tolerant}, {@code plain} or {@code believing}, the window in
 * seconds, how long a start may take in seconds, the worker id, the pause between two
 * calls in milliseconds. Prints {@code READY} or {@code REFUSED} with a reason.
 * {@code believing} takes each write for confirmed about which the server has said that
 * it is not.
 */
final class FailoverWorker {

    private static final int SHARDS = 4;

    private static final int BURST = 500;

    private FailoverWorker() {
    }

    public static void main(String[] args) throws Exception {
        Duration window = Duration.ofSeconds(Long.parseLong(args[3]));
        LeaseSettings settings = LeaseSettings.builder()
            .namespace("default")
            .window(window)
            .startupTimeout(Duration.ofSeconds(Long.parseLong(args[4])))
            .workerId(Integer.parseInt(args[5]))
            .tolerateLostCommits(args[2].equals("tolerant"))
            .application(args[2] + " " + ProcessHandle.current().pid())
            .build();
        try {
            ShardedIdEngine ids = ShardedIds.builder()
                .shards(SHARDS)
                .maxWait(Duration.ofMillis(20))
                .workers(new LeasedWorker(settings,
                        args[2].equals("believing") ? new BelievingStore(table(args[0])) : table(args[0]), List.of()))
                .open();
            System.out.println("READY " + ids.stats().worker());
            make(ids, new IdJournal(Path.of(args[1])), Duration.ofMillis(Long.parseLong(args[6])));
        }
        catch (ShardedIdException ex) {
            System.out.println("REFUSED " + ex.getMessage());
        }
    }

    private static LeaseStore table(String url) {
        return JdbcLeases.store("default", LeaseConnections.url(url, "postgres", ""), "shardedid_worker",
                SchemaInitialization.ALWAYS);
    }

    private static void make(ShardedIdEngine ids, IdJournal journal, Duration pause) throws Exception {
        for (int i = 0; true; i++) {
            long[] into = new long[BURST];
            try {
                ids.next(i % SHARDS, into);
                journal.append(new IdJournal.Entry(System.currentTimeMillis(), 0, into));
            }
            catch (ShardedIdException ex) {
                // nothing of an array that was not filled is to be used
            }
            LockSupport.parkNanos(pause.toNanos());
        }
    }

}
