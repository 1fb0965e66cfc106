package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseClock;
import io.shardedid.MessageText;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIdsBuilder;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;

import org.jspecify.annotations.Nullable;

/**
 * Mode {@code fixed}: a worker id that the configuration names.
 *
 * <p>
 * The first id waits until 2 s after the start: a predecessor with this worker id may
 * have run ahead of the clock, and nothing records how far. So the start waits for the
 * largest max-ahead that this mode allows, whatever its own is, and 1 s more.
 */
final class FixedWorker extends UnleasedWorker {

    private static final System.Logger LOG = System.getLogger(FixedWorker.class.getName());

    private static final long NOTABLE_STEP_NANOS = Duration.ofSeconds(1).toNanos();

    private static final Duration CLOCK_ERROR = Duration.ofSeconds(1);

    private static final Duration LARGEST_MAX_AHEAD = ShardedIdsBuilder.DEFAULT_MAX_AHEAD;

    private static final Duration WAIT = LARGEST_MAX_AHEAD.plus(CLOCK_ERROR);

    private final int worker;

    /** The last step of the wall clock that was logged. */
    private final AtomicReference<@Nullable Step> noticed = new AtomicReference<>();

    FixedWorker(int worker) {
        super(WAIT);
        this.worker = worker;
    }

    @Override
    String name(EngineTerms terms) {
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
        return "fixed:" + this.worker;
    }

    @Override
    int choose() {
        LOG.log(System.Logger.Level.WARNING,
                "Worker {0} is fixed by configuration, not leased: uniqueness rests on nobody else using it and on the "
                        + "wall clock not having been set back since the last run; the first id is made after {1}, since "
                        + "the process before may have run {2} ahead of the clock. If that one had a lease, it may have run "
                        + "further: see {3}",
                Integer.toString(this.worker), MessageText.duration(WAIT), MessageText.duration(LARGEST_MAX_AHEAD),
                MessageText.page("docs/changing.md#to-a-fixed-worker-id-and-back"));
        return this.worker;
    }

    @Override
    public ShardedIdException refusal() {
        Running now = running();
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

    /** Says once by how much the wall clock was set. */
    @Override
    void renewed(Running now, long aheadNanos) {
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

}
