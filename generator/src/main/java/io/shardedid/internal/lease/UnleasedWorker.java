package io.shardedid.internal.lease;

import java.time.Duration;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseClock;
import io.shardedid.TickLease;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.ConnectedLeases;
import io.shardedid.internal.LeaseHolder;
import org.jspecify.annotations.Nullable;

/**
 * A worker id without a table. The wall clock is read once, at start; after that time
 * goes by the monotonic clock. No thread: callers renew the lease every few seconds,
 * which costs no I/O. A renewal that is under way ends before a suspension or the end
 * takes the lease away.
 */
abstract class UnleasedWorker implements WorkerLeases {

    private static final long WINDOW_NANOS = Duration.ofSeconds(8).toNanos();

    private final Duration wait;

    private volatile @Nullable Running running;

    /**
     * Makes a source.
     * @param wait how long after a start the first id is made
     */
    UnleasedWorker(Duration wait) {
        this.wait = wait;
    }

    /** Chooses the worker id, at each start and each time that the process goes on. */
    abstract int choose();

    /**
     * Learns how far the wall clock is ahead of that of the ids. Several threads may call
     * it at once, without a lock.
     */
    void renewed(Running now, long wallAheadNanos) {
    }

    /** Returns the state since the last start, or null before it and after the end. */
    @Nullable Running running() {
        return this.running;
    }

    /**
     * Checks the terms.
     * @return what names the engine
     */
    abstract String name(EngineTerms terms);

    @Override
    public ConnectedLeases connect(EngineTerms terms) {
        return new ConnectedLeases(name(terms), 0, (holder) -> begin(terms, holder, this.running));
    }

    /** Does nothing if another call was faster. */
    private void begin(EngineTerms terms, LeaseHolder holder, @Nullable Running before) {
        int worker = choose();
        synchronized (this) {
            if (this.running == before) {
                LeaseClock clock = new LeaseClock(terms.time().nanoTime(), terms.time().epochNanos());
                this.running = new Running(terms, holder, worker, clock, clock.nanoTime() + this.wait.toNanos(), false);
            }
        }
    }

    @Override
    public void renewSoon() {
        Running now = this.running;
        LeaseClock wall = (now != null) ? renew(now) : null;
        if (now != null && wall != null) {
            renewed(now, wall.epochNanos() - now.clock.epochNanosAt(wall.nanoTime()));
        }
    }

    /**
     * Returns the clocks of the machine; null if there is no id to make yet, or any more.
     */
    private synchronized @Nullable LeaseClock renew(Running now) {
        EngineTerms terms = now.terms;
        LeaseClock wall = new LeaseClock(terms.time().nanoTime(), terms.time().epochNanos());
        if (this.running != now || now.suspended || wall.nanoTime() - now.firstNanos < 0) {
            return null;
        }
        long lo = Math.max(0, terms.layout().tickAtEpochNanos(now.clock.epochNanosAt(now.firstNanos)));
        now.holder.hold(new TickLease(now.worker, lo, terms.layout().lastTick() + 1, wall.nanoTime() + WINDOW_NANOS,
                new LeaseClock(wall.nanoTime(), now.clock.epochNanosAt(wall.nanoTime()))));
        return wall;
    }

    /**
     * The wall clock may be another one when the process goes on, and a copy of it must
     * not have the same worker.
     */
    @Override
    public synchronized void suspend() {
        Running now = this.running;
        if (now != null) {
            this.running = new Running(now.terms, now.holder, now.worker, now.clock, now.firstNanos, true);
            now.holder.relinquish();
        }
    }

    /** Goes on as a process that starts. */
    @Override
    public void resume() {
        Running now = this.running;
        if (now != null && now.suspended) {
            begin(now.terms, now.holder, now);
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

    /**
     * The state from a start to the next one, or to the end.
     *
     * @param terms the terms of the engine
     * @param holder the engine
     * @param worker the worker id
     * @param clock the clock that was read at the start
     * @param firstNanos when the first id is made, by the monotonic clock
     * @param suspended whether the process stands still
     */
    record Running(EngineTerms terms, LeaseHolder holder, int worker, LeaseClock clock, long firstNanos,
            boolean suspended) {

        Duration startsIn() {
            return Duration.ofMillis(Math.max(0, this.firstNanos - this.terms.time().nanoTime()) / 1_000_000);
        }

    }

}
