package io.shardedid.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseClock;
import io.shardedid.LeaseHolder;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdException;
import io.shardedid.TickLease;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;

import org.jspecify.annotations.Nullable;

/**
 * Mode {@code fixed}: a worker id without a table. The wall clock is read once, at start;
 * after that time goes by the monotonic clock. No thread: callers renew the lease, which
 * costs no I/O.
 *
 * <p>
 * The first id waits until max-ahead + 1 s after the start, since a predecessor with this
 * worker id may have run that far ahead.
 */
final class FixedWorker implements WorkerLeases {

    private static final System.Logger LOG = System.getLogger(FixedWorker.class.getName());

    private static final long WINDOW_NANOS = Duration.ofSeconds(8).toNanos();

    private static final Duration CLOCK_ERROR = Duration.ofSeconds(1);

    private final int worker;

    private @Nullable Running running;

    FixedWorker(int worker) {
        this.worker = worker;
    }

    @Override
    public String identity(EngineTerms terms) {
        int bits = terms.layout().workerBits();
        if (this.worker < 0 || this.worker >= 1L << bits) {
            throw new ShardedIdConfigurationException(
                    "worker must be in [0, %d] (worker-bits=%d): shardedid.worker.id=%d".formatted((1L << bits) - 1,
                            bits, this.worker));
        }
        return "fixed:" + this.worker;
    }

    @Override
    public synchronized void start(EngineTerms terms, LeaseHolder holder) {
        long now = terms.time().nanoTime();
        LeaseClock clock = new LeaseClock(now, terms.time().epochNanos());
        Duration wait = terms.maxAhead().plus(CLOCK_ERROR);
        this.running = new Running(terms, holder, clock, now + wait.toNanos());
        LOG.log(System.Logger.Level.WARNING,
                "Worker {0} is fixed by configuration, not leased: uniqueness rests on nobody else using it and on the "
                        + "wall clock not having been set back since the last run; the first id is made after {1}",
                this.worker, wait);
    }

    @Override
    public synchronized void renewSoon() {
        if (this.running != null) {
            this.running.renew();
        }
    }

    @Override
    public ShardedIdException refusal() {
        return new WorkerLeaseException(
                ("Could not make an id: worker=%d is fixed and starts max-ahead + 1 s after the "
                        + "process; try again, or raise 'shardedid.clock.max-wait'")
                    .formatted(this.worker));
    }

    @Override
    public List<WorkerHolding> workers() {
        return List.of(new WorkerHolding(this.worker, "fixed by configuration", Instant.MAX, 1, true));
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
    private final class Running {

        private static final long NOTABLE_STEP_NANOS = 1_000_000_000;

        private final EngineTerms terms;

        private final LeaseHolder holder;

        private final LeaseClock clock;

        private final long firstNanos;

        private long wallAheadNanos;

        Running(EngineTerms terms, LeaseHolder holder, LeaseClock clock, long firstNanos) {
            this.terms = terms;
            this.holder = holder;
            this.clock = clock;
            this.firstNanos = firstNanos;
        }

        void renew() {
            long now = this.terms.time().nanoTime();
            if (now - this.firstNanos < 0) {
                return;
            }
            noticeSteps(now);
            long epochNanos = this.clock.epochNanosAt(now);
            long lo = Math.max(0, this.terms.layout().tickAtEpochNanos(this.clock.epochNanosAt(this.firstNanos)));
            this.holder.hold(new TickLease(FixedWorker.this.worker, lo, this.terms.layout().lastTick() + 1,
                    now + WINDOW_NANOS, new LeaseClock(now, epochNanos)));
        }

        private void noticeSteps(long now) {
            long ahead = this.terms.time().epochNanos() - this.clock.epochNanosAt(now);
            if (Math.abs(ahead - this.wallAheadNanos) > NOTABLE_STEP_NANOS) {
                this.wallAheadNanos = ahead;
                LOG.log(System.Logger.Level.WARNING,
                        "The wall clock was stepped: it is {0} ahead of the clock of worker {1}, which goes on "
                                + "unchanged until the process restarts",
                        Duration.ofNanos(ahead), FixedWorker.this.worker);
            }
        }

    }

}
