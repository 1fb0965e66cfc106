package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseClock;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIdsBuilder;
import io.shardedid.TickLease;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.ConnectedLeases;
import io.shardedid.internal.LeaseHolder;
import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * Mode {@code fixed}: a worker id that the configuration names, without a table. The wall
 * clock is read once, at start; after that time goes by the monotonic clock. No thread:
 * callers renew the lease every few seconds, which costs no I/O. A renewal that is under
 * way ends before a suspension or the end takes the lease away.
 *
 * <p>
 * The first id waits until 2 s after the start: a predecessor with this worker id may
 * have run ahead of the clock, and nothing records how far. So the start waits for the
 * largest max-ahead that this mode allows, whatever its own is, and 1 s more.
 */
public final class FixedWorker implements WorkerLeases {

    private static final System.Logger LOG = System.getLogger(FixedWorker.class.getName());

    private static final long NOTABLE_STEP_NANOS = Duration.ofSeconds(1).toNanos();

    private static final Duration LARGEST_MAX_AHEAD = ShardedIdsBuilder.DEFAULT_MAX_AHEAD;

    private static final Duration WAIT = LARGEST_MAX_AHEAD.plusSeconds(1);

    private static final long WINDOW_NANOS = Duration.ofSeconds(8).toNanos();

    private final int worker;

    /** The last step of the wall clock that was logged. */
    private final AtomicReference<@Nullable Step> noticed = new AtomicReference<>();

    /** The state since the last start, or null before it and after the end. */
    private volatile @Nullable Running running;

    /** Makes a source whose worker id is checked when the engine opens. */
    public FixedWorker(int worker) {
        this.worker = worker;
    }

    @Override
    public ConnectedLeases connect(EngineTerms terms) {
        check(terms);
        return new ConnectedLeases("fixed:" + this.worker, 0, (holder) -> begin(terms, holder, this.running));
    }

    private void check(EngineTerms terms) {
        if (terms.layout().workerBits() > 0) {
            LeaseRules.checkWorker(terms.layout(), this.worker);
        }
        else if (this.worker != 0) {
            throw new ShardedIdConfigurationException(
                    "worker must be 0 (worker-bits=0): shardedid.worker.id=%s".formatted(this.worker), null,
                    "shardedid.worker.id");
        }
        if (terms.maxAhead().compareTo(LARGEST_MAX_AHEAD) > 0) {
            throw new ShardedIdConfigurationException(
                    ("max-ahead must be at most %s in mode 'fixed' (a start waits for as long as its predecessor "
                            + "may have run ahead of the clock, and nothing records how far that was): "
                            + "shardedid.clock.max-ahead=%s")
                        .formatted(MessageText.duration(LARGEST_MAX_AHEAD), MessageText.duration(terms.maxAhead())),
                    "lower it, or use mode 'lease'", "shardedid.clock.max-ahead");
        }
    }

    /** Does nothing if another call was faster. */
    private void begin(EngineTerms terms, LeaseHolder holder, @Nullable Running before) {
        LOG.log(System.Logger.Level.WARNING,
                "Worker id {0} is configured, not leased: ids are unique only if no other process uses it, and if the "
                        + "wall clock was not set back since the last run; the first id is made after {1}, since "
                        + "the process before may have run {2} ahead of the clock. If that one had a lease, it may have run "
                        + "further: see {3}",
                Integer.toString(this.worker), MessageText.duration(WAIT), MessageText.duration(LARGEST_MAX_AHEAD),
                MessageText.page("docs/lease-table.md#to-a-fixed-worker-id-and-back"));
        synchronized (this) {
            if (this.running == before) {
                LeaseClock clock = new LeaseClock(terms.time().nanoTime(), terms.time().epochNanos());
                this.running = new Running(terms, holder, clock, clock.nanoTime() + WAIT.toNanos(), false);
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
        now.holder.hold(new TickLease(this.worker, lo, terms.layout().lastTick() + 1, wall.nanoTime() + WINDOW_NANOS,
                new LeaseClock(wall.nanoTime(), now.clock.epochNanosAt(wall.nanoTime()))));
        return wall;
    }

    /** The wall clock may be another one when the process goes on. */
    @Override
    public synchronized void suspend() {
        Running now = this.running;
        if (now != null) {
            this.running = new Running(now.terms, now.holder, now.clock, now.firstNanos, true);
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

    @Override
    public ShardedIdException refusal() {
        Running now = this.running;
        if (now != null && now.suspended()) {
            return new WorkerLeaseException(
                    "Could not make an id: worker=%s, suspended; resume the engine first".formatted(this.worker), true,
                    "Something makes an id while the process is suspended. Try again when it goes on. No id was made.",
                    null);
        }
        return new WorkerLeaseException(
                ("Could not make an id: worker=%s, starts in=%s (a fixed worker makes its first id %s after the start); "
                        + "try again then, or raise 'shardedid.clock.max-wait'")
                    .formatted(this.worker,
                            (now != null) ? MessageText.duration(now.startsIn()) : "never, it is not started",
                            MessageText.duration(WAIT)),
                true, "Try again a little later, or raise 'shardedid.clock.max-wait'. No id was made.", null);
    }

    @Override
    public List<WorkerHolding> workers() {
        return List.of(new WorkerHolding(this.worker, WorkerHolding.State.HELD, "fixed by configuration", Instant.MAX,
                1, true));
    }

    /**
     * Says once by how much the wall clock was set. Several threads may call it at once.
     */
    private void renewed(Running now, long aheadNanos) {
        Step last = this.noticed.get();
        long known = (last != null && last.clock() == now.clock()) ? last.aheadNanos() : 0;
        if (Math.abs(aheadNanos - known) > NOTABLE_STEP_NANOS
                && this.noticed.compareAndSet(last, new Step(now.clock(), aheadNanos))) {
            LOG.log(System.Logger.Level.WARNING,
                    "The wall clock was set {0} by {1}: it is {2} the clock of worker {3}, which goes on unchanged "
                            + "until the process restarts",
                    (aheadNanos < known) ? "back" : "forward",
                    MessageText.duration(Duration.ofMillis(Math.abs(aheadNanos - known) / 1_000_000)),
                    LeaseTiming.aheadOrBehind(Duration.ofNanos(aheadNanos)), Integer.toString(this.worker));
        }
    }

    /**
     * How far the wall clock was ahead of the clock of the ids.
     *
     * @param clock the clock of the ids
     * @param aheadNanos how far
     */
    private record Step(LeaseClock clock, long aheadNanos) {
    }

    /**
     * The state from a start to the next one, or to the end.
     *
     * @param terms the terms of the engine
     * @param holder the engine
     * @param clock the clock that was read at the start
     * @param firstNanos when the first id is made, by the monotonic clock
     * @param suspended whether the process stands still
     */
    private record Running(EngineTerms terms, LeaseHolder holder, LeaseClock clock, long firstNanos,
            boolean suspended) {

        Duration startsIn() {
            return Duration.ofMillis(Math.max(0, this.firstNanos - this.terms.time().nanoTime()) / 1_000_000);
        }

    }

}
