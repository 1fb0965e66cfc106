package io.shardedid.worker;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.shardedid.EngineTerms;
import io.shardedid.WorkerHolding;
import org.jspecify.annotations.Nullable;

/**
 * What became of the lease so far: for the log, which hears each change of state once and
 * a lasting one at most once a minute, for listeners, and for the exceptions that callers
 * get. Written by the keeper, read by any thread.
 */
final class LeaseNews implements LeaseReport {

    private static final System.Logger LOG = System.getLogger(LeaseNews.class.getName());

    private static final long REPEAT_NANOS = Duration.ofMinutes(1).toNanos();

    private static final long REPEAT_WAITING_NANOS = Duration.ofSeconds(10).toNanos();

    private final EngineTerms terms;

    private final LeaseSettings settings;

    private final List<WorkerLeaseListener> listeners;

    private volatile Snapshot snapshot = new Snapshot(State.STARTING, null, null, 0, null, List.of());

    private State logged = State.STARTING;

    private long loggedNanos;

    private boolean skewLogged;

    private long skewLoggedNanos;

    LeaseNews(EngineTerms terms, LeaseSettings settings, List<WorkerLeaseListener> listeners) {
        this.terms = terms;
        this.settings = settings;
        this.listeners = new CopyOnWriteArrayList<>(listeners);
    }

    /** What state the lease is in. */
    enum State {

        STARTING, LEASED, FAILING, LOST, ALL_TAKEN, RANGE_SPENT, OTHER_LAYOUT, OTHER_MODE, RELEASED

    }

    /**
     * One moment.
     *
     * @param state the state
     * @param lease the latest lease, which may be over
     * @param failure what failed last since that lease
     * @param failureNanos when, on the monotonic clock
     * @param detail more about the state, or null
     * @param holders who held what, when every worker id was taken
     */
    record Snapshot(State state, @Nullable WorkerLease lease, @Nullable Exception failure, long failureNanos,
            @Nullable String detail, List<WorkerHolding> holders) {
    }

    Snapshot snapshot() {
        return this.snapshot;
    }

    /** Tells them of the lease that is held, then of all that follows. */
    void join(List<WorkerLeaseListener> joining) {
        WorkerLease lease = this.snapshot.lease();
        if (lease != null && holding()) {
            joining.forEach((each) -> each.leased(lease));
        }
        this.listeners.addAll(joining);
    }

    void leave(List<WorkerLeaseListener> leaving) {
        leaving.forEach(this.listeners::remove);
    }

    private boolean holding() {
        return this.snapshot.state() == State.LEASED || this.snapshot.state() == State.FAILING;
    }

    @Override
    public void held(LeaseAttempt lease, boolean fresh) {
        WorkerLease now = new WorkerLease(lease.worker(), this.settings.owner(), lease.fence(),
                Instant.ofEpochMilli(lease.untilMillis()), this.terms.layout().instantAt(lease.lo()),
                this.terms.layout().instantAt(lease.hi()));
        this.snapshot = new Snapshot(State.LEASED, now, null, 0, null, List.of());
        log(State.LEASED, Level.INFO,
                "Worker id {0} of namespace ''{1}'' is leased until {2} (database clock), fence {3}", now.worker(),
                this.settings.namespace(), now.until(), now.fence());
        this.listeners.forEach(fresh ? (each) -> each.leased(now) : (each) -> each.renewed(now));
    }

    @Override
    public void lost(int worker, String why) {
        this.snapshot = new Snapshot(State.LOST, this.snapshot.lease(), null, 0, why, List.of());
        log(State.LOST, Level.WARNING, "Worker id {0} was lost: {1}; acquiring another one, no id was made twice",
                worker, why);
        this.listeners.forEach((each) -> each.lost(worker, why));
    }

    @Override
    public void failed(Exception cause, long now) {
        this.snapshot = new Snapshot(State.FAILING, this.snapshot.lease(), cause, now, null, List.of());
        log(State.FAILING, Level.WARNING, "The lease table did not answer: {0}; trying again", cause);
        this.listeners.forEach((each) -> each.renewalFailed(cause));
    }

    @Override
    public void waiting(AcquirePlan.Waiting why, LeaseReply.Rows rows) {
        State state = switch (why) {
            case RANGE_SPENT -> State.RANGE_SPENT;
            case OTHER_LAYOUT -> State.OTHER_LAYOUT;
            case OTHER_MODE -> State.OTHER_MODE;
            case ALL_TAKEN, NOT -> State.ALL_TAKEN;
        };
        List<WorkerHolding> holders = holders(rows);
        this.snapshot = new Snapshot(state, this.snapshot.lease(), null, 0, null, holders);
        log(state, Level.WARNING, "Waiting for a worker id of namespace ''{0}'' ({1}): {2}", this.settings.namespace(),
                state, holders);
        this.listeners.forEach((each) -> each.waiting(holders));
    }

    @Override
    public void skewed(Duration databaseAhead) {
        // no state of the lease: it lasts beside them
        long now = this.terms.time().nanoTime();
        if (!this.skewLogged || now - this.skewLoggedNanos >= REPEAT_NANOS) {
            this.skewLogged = true;
            this.skewLoggedNanos = now;
            LOG.log(Level.WARNING,
                    "The clock of the database jumped: it is {0} ahead of the one that ids go by; ids go "
                            + "on unchanged",
                    databaseAhead);
        }
        this.listeners.forEach((each) -> each.skewed(databaseAhead));
    }

    @Override
    public void released(int worker) {
        this.snapshot = new Snapshot(State.RELEASED, this.snapshot.lease(), null, 0, null, List.of());
        log(State.RELEASED, Level.INFO, "Worker id {0} of namespace ''{1}'' is given back", worker,
                this.settings.namespace());
        this.listeners.forEach((each) -> each.released(worker));
    }

    List<WorkerHolding> holders(LeaseReply.Rows rows) {
        WorkerLease mine = this.snapshot.lease();
        boolean holding = holding();
        List<WorkerHolding> holders = new ArrayList<>();
        for (LeaseRow row : rows.rows()) {
            if (row.worker() != LeaseRow.LAYOUT) {
                boolean free = row.leaseUntil() < rows.databaseMillis();
                String owner = row.owner();
                holders.add(new WorkerHolding(row.worker(), (free || owner == null) ? "" : owner,
                        Instant.ofEpochMilli(row.leaseUntil()), row.fence(),
                        holding && mine != null && mine.worker() == row.worker()));
            }
        }
        return List.copyOf(holders);
    }

    private void log(State state, Level level, String form, Object... values) {
        long now = this.terms.time().nanoTime();
        long repeat = (state == State.ALL_TAKEN) ? REPEAT_WAITING_NANOS : REPEAT_NANOS;
        if (this.logged == state && (state == State.LEASED || now - this.loggedNanos < repeat)) {
            return;
        }
        this.logged = state;
        this.loggedNanos = now;
        // no thousands separators in worker ids
        LOG.log(level, form, Stream.of(values).map(String::valueOf).toArray());
    }

}
