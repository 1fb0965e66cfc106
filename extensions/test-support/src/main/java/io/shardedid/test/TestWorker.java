package io.shardedid.test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseClock;
import io.shardedid.LeaseSource;
import io.shardedid.ShardedIdException;
import io.shardedid.TickLease;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.ConnectedLeases;
import io.shardedid.internal.LeaseHolder;
import org.jspecify.annotations.Nullable;

/**
 * The worker of a test: it has its id at once and for good, without a lease, and makes
 * ids from the instant that the clock shows when the engine opens. Each one feeds an
 * engine of its own, so the same calls make the same ids in each run; ids of two of them
 * may be duplicates. Thread-safe.
 *
 * @since 0.1
 */
public final class TestWorker implements LeaseSource {

    /** Within what an engine can count from one look at the clock. */
    private static final Duration LEASE = Duration.ofMinutes(30);

    private final int worker;

    private final String name = "test:" + UUID.randomUUID();

    private volatile @Nullable Running running;

    private TestWorker(int worker) {
        this.worker = worker;
    }

    /**
     * Makes a worker for one engine.
     * @param worker the worker id that its ids carry, 0 to 2<sup>worker bits</sup> - 1
     * @return the worker
     */
    public static TestWorker of(int worker) {
        return new TestWorker(worker);
    }

    @Override
    public ConnectedLeases connect(EngineTerms terms) {
        return new ConnectedLeases(this.name, 0, (holder) -> start(terms, holder));
    }

    /** No other source ever has its name. */
    @Override
    public boolean keepsItsEnd() {
        return true;
    }

    private void start(EngineTerms terms, LeaseHolder holder) {
        Running started = new Running(terms, holder, terms.layout().tickAtEpochNanos(terms.time().epochNanos()));
        this.running = started;
        renew(started);
    }

    @Override
    public void renewSoon() {
        Running now = this.running;
        if (now != null) {
            renew(now);
        }
    }

    private void renew(Running now) {
        EngineTerms terms = now.terms();
        long nanoTime = terms.time().nanoTime();
        now.holder()
            .hold(new TickLease(this.worker, now.firstTick(), terms.layout().lastTick() + 1, nanoTime + LEASE.toNanos(),
                    new LeaseClock(nanoTime, terms.time().epochNanos())));
    }

    @Override
    public ShardedIdException refusal() {
        return new WorkerLeaseException(
                "Could not make an id: the test worker has no lease: worker=%s; it was closed".formatted(this.worker));
    }

    @Override
    public List<WorkerHolding> workers() {
        return List.of(new WorkerHolding(this.worker, WorkerHolding.State.HELD, "test", Instant.MAX, 1, true));
    }

    @Override
    public void close() {
        Running ended = this.running;
        this.running = null;
        if (ended != null) {
            ended.holder().relinquish();
        }
    }

    private record Running(EngineTerms terms, LeaseHolder holder, long firstTick) {
    }

}
