package io.shardedid.tck;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseReply.Rows;
import io.shardedid.internal.lease.LeaseReply.Written;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement.Insert;
import io.shardedid.internal.lease.LeaseStatement.ReadAll;
import io.shardedid.internal.lease.LeaseStatement.ReadOne;
import io.shardedid.internal.lease.LeaseStatement.Update;
import io.shardedid.internal.lease.LeaseStore;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many threads, each with a connection of its own, race for few worker ids by the
 * statements of an acquire.
 */
public final class LeaseRace {

    /** How many threads race. */
    public static final int THREADS = 64;

    private static final int WORKERS = 8;

    private static final long WINDOW_MILLIS = 600_000;

    /** More statements than this for one worker id are no race. */
    private static final int STATEMENTS = 1_000;

    private LeaseRace() {
    }

    /**
     * Runs rounds and checks each: exactly 8 winners, and no interval of a worker id
     * meets another, over all rounds.
     * @param rounds how many
     * @param stores opens a store of one namespace without rows, once for each of the
     * {@value #THREADS} threads; the race closes it
     * @throws Exception if a racer fails
     * @throws AssertionError if two won the same
     */
    public static void run(int rounds, Supplier<? extends LeaseStore> stores) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<LeaseStore> open = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            open.add(stores.get());
        }
        Map<Integer, Long> lastHi = new HashMap<>();
        try {
            for (int round = 0; round < rounds; round++) {
                List<Win> wins = round(threads, open);
                assertThat(wins).as("winners of round %s", round).hasSize(WORKERS);
                assertThat(wins).extracting(Win::worker).as("worker ids of round %s", round).doesNotHaveDuplicates();
                for (Win win : wins) {
                    assertThat(win.lo).as("first tick of %s in round %s", win, round)
                        .isGreaterThanOrEqualTo(lastHi.getOrDefault(win.worker, Long.MIN_VALUE));
                    lastHi.put(win.worker, release(open.get(0), win));
                }
            }
        }
        finally {
            open.forEach(LeaseStore::close);
            threads.shutdownNow();
            threads.awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    private static List<Win> round(ExecutorService threads, List<LeaseStore> stores) throws Exception {
        CyclicBarrier gate = new CyclicBarrier(stores.size());
        List<Callable<@Nullable Win>> racers = new ArrayList<>();
        for (LeaseStore store : stores) {
            racers.add(() -> {
                gate.await();
                return acquire(store);
            });
        }
        List<Win> wins = new ArrayList<>();
        for (Future<@Nullable Win> racer : threads.invokeAll(racers, 60, TimeUnit.SECONDS)) {
            Win win = racer.get();
            if (win != null) {
                wins.add(win);
            }
        }
        return wins;
    }

    /** Gives up when every id is held. */
    private static @Nullable Win acquire(LeaseStore store) {
        String token = UUID.randomUUID().toString();
        for (int statement = 0; statement < STATEMENTS; statement++) {
            LeaseReply reply = store.execute(new ReadAll());
            if (reply instanceof Rows rows) {
                long now = rows.databaseMillis();
                LeaseRow free = rows.rows()
                    .stream()
                    .filter((row) -> row.leaseUntilMillis() < now)
                    .findFirst()
                    .orElse(null);
                if (free == null && rows.rows().size() == WORKERS) {
                    return null;
                }
                Win win = (free != null) ? take(store, free, now, token) : insert(store, rows, now, token);
                if (win != null) {
                    return win;
                }
            }
        }
        throw new AssertionError("A racer got no worker id and no refusal: statements=" + STATEMENTS);
    }

    private static @Nullable Win take(LeaseStore store, LeaseRow free, long now, String token) {
        long lo = Math.max(now, free.hwmTick());
        long hi = lo + WINDOW_MILLIS;
        LeaseReply reply = store
            .execute(new Update(free.worker(), free.token(), lo, token, 1, now + WINDOW_MILLIS, hi, "racer", null, null));
        return judged(store, reply, new Win(free.worker(), lo, hi, token));
    }

    private static @Nullable Win insert(LeaseStore store, Rows rows, long now, String token) {
        int worker = 0;
        while (rows.row(worker).isPresent()) {
            worker++;
        }
        long hi = now + WINDOW_MILLIS;
        LeaseReply reply = store
            .execute(new Insert(new LeaseRow(worker, token, 1, now + WINDOW_MILLIS, hi, "racer", null), null));
        return judged(store, reply, new Win(worker, now, hi, token));
    }

    private static @Nullable Win judged(LeaseStore store, LeaseReply reply, Win win) {
        if (reply instanceof Written written) {
            return (written.rows() == 1) ? win : null;
        }
        LeaseReply again = reply;
        for (int statement = 0; again instanceof LeaseReply.Unknown; statement++) {
            assertThat(statement).as("reads that nobody answered").isLessThan(STATEMENTS);
            again = store.execute(new ReadOne(win.worker));
        }
        return (again instanceof Rows rows
                && rows.row(win.worker).filter((row) -> row.token().equals(win.token)).isPresent()) ? win : null;
    }

    /** A release after a hundred ticks were used. */
    private static long release(LeaseStore store, Win win) {
        long hwm = win.lo + 100;
        LeaseReply reply = store
            .execute(new Update(win.worker, win.token, win.hi, UUID.randomUUID().toString(), 0, 0, hwm, null, null, null));
        assertThat(reply).as("release of %s", win).isEqualTo(new Written(1));
        return hwm;
    }

    private record Win(int worker, long lo, long hi, String token) {
    }

}
