package io.shardedid.worker;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseClock;
import io.shardedid.LeaseHolder;
import io.shardedid.ShardedIdException;
import io.shardedid.TickLease;
import io.shardedid.UuidLayout;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;

import org.jspecify.annotations.Nullable;

/**
 * Mode {@code random}: a worker id of 16 bits by chance, for UUIDs only, without a table.
 * The wall clock is read once, at start; after that time goes by the monotonic clock. No
 * thread: callers renew the lease every few seconds, which costs no I/O.
 */
final class RandomWorker implements WorkerLeases {

    private static final int WORKERS = 1 << 16;

    private static final long WINDOW_NANOS = 8_000_000_000L;

    private volatile @Nullable Running running;

    /**
     * Different for different terms: nothing is lost if two engines draw a worker each.
     */
    @Override
    public String identity(EngineTerms terms) {
        UuidLayout.check(terms.layout());
        return "random:" + terms.summary();
    }

    @Override
    public boolean onlyUuids() {
        return true;
    }

    @Override
    public void start(EngineTerms terms, LeaseHolder holder) {
        // a generator that was kept would be a part of every copy of this process
        int worker = new SecureRandom().nextInt(WORKERS);
        synchronized (this) {
            this.running = new Running(terms, holder,
                    new LeaseClock(terms.time().nanoTime(), terms.time().epochNanos()), worker, false);
        }
    }

    @Override
    public synchronized void renewSoon() {
        Running now = this.running;
        if (now != null && !now.suspended) {
            now.renew();
        }
    }

    @Override
    public ShardedIdException refusal() {
        return new WorkerLeaseException(
                "Could not make a UUID: this process stands still "
                        + "(shardedid.worker.mode=random, suspended); resume the engine first",
                true,
                "Something makes a UUID while the process is suspended. Try again when it goes on. No UUID was made.",
                null);
    }

    @Override
    public List<WorkerHolding> workers() {
        Running now = this.running;
        return (now != null) ? List.of(new WorkerHolding(now.worker, "drawn by chance", Instant.MAX, 1, true))
                : List.of();
    }

    /** A copy of this process must not go on with the same worker. */
    @Override
    public synchronized void suspend() {
        Running now = this.running;
        if (now != null) {
            this.running = new Running(now.terms, now.holder, now.clock, now.worker, true);
            now.holder.relinquish();
        }
    }

    @Override
    public void resume() {
        Running now = this.running;
        if (now != null && now.suspended) {
            start(now.terms, now.holder);
        }
    }

    @Override
    public synchronized void close() {
        Running ended = this.running;
        this.running = null;
        if (ended != null) {
            ended.holder.relinquish();
        }
    }

    /** What there is between start and close. */
    private record Running(EngineTerms terms, LeaseHolder holder, LeaseClock clock, int worker, boolean suspended) {

        void renew() {
            long now = this.terms.time().nanoTime();
            long lo = Math.max(0, this.terms.layout().tickAtEpochNanos(this.clock.epochNanos()));
            this.holder.hold(new TickLease(this.worker, lo, this.terms.layout().lastTick() + 1, now + WINDOW_NANOS,
                    new LeaseClock(now, this.clock.epochNanosAt(now))));
        }

    }

}
