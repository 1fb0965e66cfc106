package io.shardedid.internal.lease;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerIdRange;
import io.shardedid.WorkerLease;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * What became of the lease so far: for the log, which hears each change of state once and
 * a lasting one at most once a minute, for listeners, and for the exceptions that callers
 * get. Written by the keeper, read by any thread.
 */
class LeaseReport {

    private static final System.Logger LOG = System.getLogger(LeaseReport.class.getName());

    private static final long REPEAT_NANOS = Duration.ofMinutes(1).toNanos();

    /** The difference of the wall clocks that a start warns of. */
    private static final Duration WARNED_SKEW = Duration.ofSeconds(10);

    private static final LeaseSnapshot STARTING = new LeaseSnapshot(LeaseState.STARTING, null, null, 0, null,
            List.of());

    private final EngineTerms terms;

    private final LeaseSettings leaseSettings;

    private final LeaseRefusal refusals;

    private final List<WorkerLeaseListener> listeners;

    private volatile LeaseSnapshot snapshot = STARTING;

    /** All rows of the namespace, as they were read last. */
    private volatile LeaseReply.Rows rows = new LeaseReply.Rows(0, List.of());

    /** Whether somebody has looked at the rows since they were read. */
    private volatile boolean looked;

    private LeaseState logged = LeaseState.STARTING;

    private long loggedNanos;

    /** Since when there are no ids; null while there are. Used by the keeper. */
    private @Nullable Stop stop;

    /** How long this process stood still since ids were possible last. */
    private @Nullable Duration stoodStill;

    private boolean skewLogged;

    private long skewLoggedNanos;

    private boolean listenerLogged;

    private long listenerLoggedNanos;

    LeaseReport(EngineTerms terms, LeaseSettings leaseSettings, List<WorkerLeaseListener> listeners) {
        this.terms = terms;
        this.leaseSettings = leaseSettings;
        this.refusals = new LeaseRefusal(terms, leaseSettings);
        this.listeners = new CopyOnWriteArrayList<>(listeners);
    }

    /**
     * The layout row was found, by a database whose clock differs so much.
     * @throws WorkerLeaseException if it differs more than it may
     */
    void started(Duration databaseAhead) {
        if (databaseAhead.abs().compareTo(this.leaseSettings.maxSkew()) > 0) {
            throw this.refusals.skewed(databaseAhead);
        }
        if (databaseAhead.abs().compareTo(WARNED_SKEW) > 0) {
            write(Level.WARNING, "The clock of the database is {0} the clock of this machine; ids go by the database",
                    LeaseTiming.aheadOrBehind(databaseAhead));
            tell(this.listeners, (each) -> each.skewed(databaseAhead));
        }
        // what failed before has passed
        this.snapshot = STARTING;
    }

    /**
     * The store refuses the layout row, or it takes it, or says that there is one, and
     * shows none.
     */
    WorkerLeaseException layoutRowNotShown(int attempts, @Nullable Exception refused) {
        return this.refusals.layoutRowNotShown(attempts, refused);
    }

    /** Says why a start ends without the layout row. */
    ShardedIdException refusalOfStart() {
        return this.refusals.ofStart(this.snapshot);
    }

    /** Says why there is no lease at a moment of the monotonic clock. */
    ShardedIdException refusal(long now) {
        return this.refusals.of(this.snapshot, now);
    }

    LeaseSnapshot snapshot() {
        return this.snapshot;
    }

    /**
     * Returns who held which worker id when the rows were read last, and lets the next
     * renewal read them again. Our own lease is as it is now.
     */
    List<WorkerHolding> workers() {
        this.looked = true;
        return holders(this.rows);
    }

    /** Returns whether the next round is to read all rows. */
    boolean wantsRows() {
        return this.looked;
    }

    /** All rows were read. */
    void read(LeaseReply.Rows read) {
        this.looked = false;
        this.rows = read;
    }

    /** Returns whether waiting for a lease is pointless. */
    boolean hopeless() {
        LeaseSnapshot now = this.snapshot;
        return !now.state().passes() || now.lease() == null && now.refused();
    }

    /** Notifies them of the lease that is held, then of all that follows. */
    void join(List<WorkerLeaseListener> joining) {
        WorkerLease lease = this.snapshot.lease();
        if (lease != null && holding()) {
            tell(joining, (each) -> each.leased(lease));
        }
        this.listeners.addAll(joining);
    }

    void leave(List<WorkerLeaseListener> leaving) {
        leaving.forEach(this.listeners::remove);
    }

    private boolean holding() {
        return this.snapshot.state() == LeaseState.LEASED || this.snapshot.state() == LeaseState.FAILING;
    }

    /**
     * A lease was confirmed, a fresh one or a longer one.
     * @param before the rows before a fresh one was asked for
     */
    void held(RequestedLease lease, boolean fresh, LeaseReply.@Nullable Rows before) {
        WorkerLease now = new WorkerLease(lease.worker(), this.leaseSettings.owner(), lease.acquisitions(),
                Instant.ofEpochMilli(lease.untilMillis()), instantAt(lease.lo()), instantAt(lease.hi()));
        this.snapshot = new LeaseSnapshot(LeaseState.LEASED, now, null, 0, null, List.of());
        if (this.stop != null && !fresh) {
            // what follows says when ids come again
            this.logged = LeaseState.LEASED;
        }
        log(LeaseState.LEASED,
                "Worker id {0} of namespace ''{1}'' is leased until {2} (database clock), acquisition {3}{4}",
                now.worker(), this.leaseSettings.namespace(), now.until(), now.acquisitions(),
                fresh ? takenOver((before != null) ? before.row(lease.worker()).orElse(null) : null) : "");
        if (fresh && before != null) {
            warnWhereFewAreLeft(lease.worker(), before);
        }
        tell(this.listeners, fresh ? (each) -> each.leased(now) : (each) -> each.renewed(now));
    }

    /** A process with a worker id of its own needs no other. */
    private void warnWhereFewAreLeft(int mine, LeaseReply.Rows rows) {
        WorkerIdRange available = LeaseRules.of(this.leaseSettings).available(this.terms.layout());
        long leased = 1 + rows.rows()
            .stream()
            .filter((row) -> available.contains(row.worker()) && row.worker() != mine)
            .filter((row) -> state(row, rows.databaseMillis()) == WorkerHolding.State.HELD)
            .count();
        if (this.leaseSettings.workerId().isEmpty() && 4 * leased > 3 * available.size()) {
            write(Level.WARNING, "{0}", this.refusals.fewLeft(leased));
        }
    }

    /** Whose number it was, unless that process gave it back. */
    private String takenOver(@Nullable LeaseRow before) {
        return (before == null || before.leaseUntilMillis() == 0 || before.owner() == null
                || before.owner().equals(this.leaseSettings.owner())) ? ""
                        : "; it was held by %s, whose lease expired at %s".formatted(before.shownOwner(),
                                Instant.ofEpochMilli(before.leaseUntilMillis()));
    }

    /**
     * The lease of the engine is over, since it was not renewed in time.
     * @param worker its worker id
     * @param nanos since when, on the monotonic clock
     */
    void ended(int worker, long nanos) {
        if (stopped(worker, nanos)) {
            boolean lasts = this.snapshot.refused();
            write(Level.WARNING,
                    "No more ids: the lease of worker id {0} of namespace ''{1}'' expired at {2} (database clock), because {3}; {4}",
                    worker, this.leaseSettings.namespace(), this.refusals.expiredAt(this.snapshot), whyEnded(lasts),
                    lasts ? "callers get an exception until that is done"
                            : "callers wait for another lease, %s at most (shardedid.clock.max-wait), and then get an exception after which the transaction can be retried"
                                .formatted(MessageText.duration(this.terms.maxWait())));
        }
    }

    private String whyEnded(boolean lasts) {
        Duration still = this.stoodStill;
        if (still != null) {
            return "this process stood still for " + MessageText.measured(still);
        }
        Exception cause = this.snapshot.failure();
        if (cause == null) {
            return "no renewal was confirmed in time";
        }
        return lasts ? "the store of the leases refuses renewals, as logged before"
                : "the store of the leases did not answer in time: " + LeaseRefusal.oneLine(cause.getMessage());
    }

    /** Returns whether ids were made until then. */
    private boolean stopped(int worker, long nanos) {
        boolean first = this.stop == null;
        if (first) {
            this.stop = new Stop(worker, nanos);
        }
        return first;
    }

    /** This process did not run when it should have, and may have missed renewals. */
    void stoodStill(Duration length) {
        this.stoodStill = length;
        write(Level.INFO,
                "This process stood still for {0}: it was stopped, its machine was, or a garbage collection took so "
                        + "long",
                MessageText.measured(length));
    }

    /** The lease that is held allows ids, perhaps after a time without. */
    void idsGoOn(RequestedLease lease, long now) {
        Stop before = this.stop;
        this.stop = null;
        this.stoodStill = null;
        if (before != null) {
            write(Level.INFO,
                    "Ids again after {0}: worker id {1} of namespace ''{2}'', {3}, is leased until {4} (database clock)",
                    MessageText.measured(Duration.ofNanos(now - before.nanos())), lease.worker(),
                    this.leaseSettings.namespace(),
                    (lease.worker() == before.worker()) ? "the same as before" : "in place of " + before.worker(),
                    Instant.ofEpochMilli(lease.untilMillis()));
        }
    }

    /** A lease may end beyond the layout, where no instant has a tick. */
    private Instant instantAt(long tick) {
        return this.terms.layout().instantAt(Math.min(tick, this.terms.layout().lastTick()));
    }

    /** A lease is lost, for a reason that the log names. */
    void lost(int worker, String why) {
        this.snapshot = new LeaseSnapshot(LeaseState.LOST, this.snapshot.lease(), null, 0, why, List.of());
        stopped(worker, this.terms.time().nanoTime());
        log(LeaseState.LOST, "Worker id {0} of namespace ''{1}'' was lost: {2}; acquiring another one", worker,
                this.leaseSettings.namespace(), why);
        tell(this.listeners, (each) -> each.lost(worker, why));
    }

    /**
     * Another process could use ticks that ids of this process may carry.
     * @param worker the worker id
     * @param fromTick the first of these ticks
     * @param endTick the first tick after them
     * @param why what was seen in the store
     */
    void violated(int worker, long fromTick, long endTick, String why) {
        Instant from = instantAt(fromTick);
        Instant end = instantAt(endTick);
        write(Level.ERROR,
                "Duplicate ids are possible: ids with a time between {0} and {1} under worker id {2} of namespace ''{3}'' may exist "
                        + "twice, because another process could use that time before the lease of this process had "
                        + "expired: {4}; look for these ids, and find out who deletes leases from the store, lowers "
                        + "''hwm_tick'', or copied the process or the store",
                from, end, worker, this.leaseSettings.namespace(), why);
        tell(this.listeners, (each) -> each.violated(worker, from, end, why));
    }

    /** The store did not answer, or not as it should. */
    void failed(Exception cause, long now) {
        this.snapshot = new LeaseSnapshot(LeaseState.FAILING, this.snapshot.lease(), cause, now, null, List.of());
        log(LeaseState.FAILING, "{0}; trying again{1}",
                LeaseRefusal.oneLine((cause instanceof ShardedIdException) ? cause.getMessage()
                        : "The store of the leases did not answer: " + cause),
                (this.snapshot.lease() != null || this.leaseSettings.firstUse()) ? ""
                        : "; the start waits for shardedid.worker.lease.startup-timeout=%s at most"
                            .formatted(MessageText.duration(this.leaseSettings.startupTimeout())));
        tell(this.listeners, (each) -> each.renewalFailed(cause));
    }

    /**
     * The store was asked to write a row that it had just shown, and did not answer.
     * @param worker the row
     */
    void unwritten(int worker, Exception cause, long now) {
        String why = "The row of worker id %s was read, but not written: %s; a transaction may have locked it, or all rows of the table%s"
            .formatted(worker, LeaseRefusal.oneLine(cause.getMessage()), this.leaseSettings.workerId().isPresent()
                    ? ", and shardedid.worker.id=%s allows no other".formatted(worker) : "");
        this.snapshot = new LeaseSnapshot(LeaseState.FAILING, this.snapshot.lease(),
                new WorkerLeaseException(why, cause), now, null, List.of());
        log(LeaseState.FAILING, "{0}; trying again", why);
        tell(this.listeners, (each) -> each.renewalFailed(cause));
    }

    /** No worker id can be asked for now. */
    void waiting(LeaseState state, LeaseReply.Rows rows) {
        List<WorkerHolding> holders = holders(rows);
        String detail = rows.row(LeaseRow.LAYOUT).map((row) -> switch (state) {
            case BEGINS_LATER, YOUNG_NAMESPACE -> String.valueOf(instantAt(row.hwmTick()));
            case OTHER_LAYOUT -> MessageText.shown(String.valueOf(row.layout()));
            default -> null;
        }).orElse(null);
        LeaseSnapshot now = new LeaseSnapshot(state, this.snapshot.lease(), null, 0, detail, holders);
        this.snapshot = now;
        if (state == LeaseState.TAKEN) {
            log(state, "Waiting for a worker id of namespace ''{0}'': {1}", this.leaseSettings.namespace(),
                    this.refusals.taken(rows, holders));
        }
        else {
            log(state, "{0}", String.valueOf(this.refusals.of(now, 0).getMessage()));
        }
        tell(this.listeners, (each) -> each.waiting(holders));
    }

    /** The database's clock jumped. */
    void skewed(Duration databaseAhead) {
        // no state of the lease: it lasts beside them
        long now = this.terms.time().nanoTime();
        if (!this.skewLogged || now - this.skewLoggedNanos >= REPEAT_NANOS) {
            this.skewLogged = true;
            this.skewLoggedNanos = now;
            write(Level.WARNING,
                    "The clock of the database jumped: it is {0} the clock that ids go by; ids go on unchanged{1}",
                    LeaseTiming.aheadOrBehind(databaseAhead),
                    databaseAhead.isNegative()
                            ? "; if the clock of the database is right now, restart the process, and its ids go by it"
                            : "");
        }
        tell(this.listeners, (each) -> each.skewed(databaseAhead));
    }

    /** From here on no id is made under the worker id, and the store is told so. */
    void releasing(int worker) {
        this.stop = null;
        this.snapshot = new LeaseSnapshot(LeaseState.RELEASED, this.snapshot.lease(), null, 0, null, List.of());
    }

    /** The store has acknowledged that the lease was given back. */
    void released(int worker) {
        log(LeaseState.RELEASED, "Worker id {0} of namespace ''{1}'' is given back", worker,
                this.leaseSettings.namespace());
        tell(this.listeners, (each) -> each.released(worker));
    }

    /** The lease could not be given back: it runs out by itself. */
    void abandoned(int worker, String why) {
        WorkerLease last = this.snapshot.lease();
        write(Level.WARNING,
                "Worker id {0} of namespace ''{1}'' could not be given back: {2}; the lease expires by itself at {3} "
                        + "(database clock)",
                worker, this.leaseSettings.namespace(), why, (last != null) ? last.until() : "its end");
        tell(this.listeners, (each) -> each.abandoned(worker, why));
    }

    /** A suspension ended before the keeper had given the lease back. */
    void stillHeld() {
        WorkerLease last = this.snapshot.lease();
        write(Level.WARNING,
                "Could not give the worker lease back in time: namespace={0}, worker={1} (the lease thread is held up, perhaps "
                        + "by a listener or by the database); no id is made, and the process will go on with another "
                        + "lease; the row is leased until {2} (database clock), and a connection to the database may be open",
                this.leaseSettings.namespace(), (last != null) ? last.worker() : "none",
                (last != null) ? last.until() : "its end");
    }

    List<WorkerHolding> holders(LeaseReply.Rows rows) {
        WorkerLease mine = this.snapshot.lease();
        WorkerHolding own = (mine != null && holding()) ? new WorkerHolding(mine.worker(), WorkerHolding.State.HELD,
                mine.owner(), mine.until(), mine.acquisitions(), true) : null;
        return Stream
            .concat(Stream.ofNullable(own), rows.rows()
                .stream()
                .filter((row) -> row.worker() != LeaseRow.LAYOUT && (own == null || row.worker() != own.worker()))
                .map((row) -> new WorkerHolding(row.worker(), state(row, rows.databaseMillis()),
                        (row.owner() != null) ? row.shownOwner() : "", Instant.ofEpochMilli(row.leaseUntilMillis()),
                        row.acquisitions(), false)))
            .sorted(Comparator.comparingInt(WorkerHolding::worker))
            .toList();
    }

    private static WorkerHolding.State state(LeaseRow row, long databaseMillis) {
        if (row.leaseUntilMillis() == 0) {
            return WorkerHolding.State.FREE;
        }
        return (row.leaseUntilMillis() < databaseMillis) ? WorkerHolding.State.EXPIRED : WorkerHolding.State.HELD;
    }

    /**
     * When ids stopped.
     *
     * @param worker the worker id of the last ones
     * @param nanos the moment, on the monotonic clock
     */
    private record Stop(int worker, long nanos) {
    }

    private void log(LeaseState state, String form, Object... values) {
        long now = this.terms.time().nanoTime();
        if (this.logged == state && (state == LeaseState.LEASED || now - this.loggedNanos < REPEAT_NANOS)) {
            return;
        }
        this.logged = state;
        this.loggedNanos = now;
        write(state.level(), form, values);
    }

    private static void write(Level level, String form, Object... values) {
        try {
            // no thousands separators in worker ids
            LOG.log(level, form, Stream.of(values).map(String::valueOf).toArray());
        }
        catch (Throwable ex) {
            // a handler of the application's log is broken: there is no place to say so
        }
    }

    /** Calls each listener, whatever another one throws. */
    private void tell(List<WorkerLeaseListener> told, Consumer<WorkerLeaseListener> call) {
        for (WorkerLeaseListener each : told) {
            try {
                call.accept(each);
            }
            catch (Throwable ex) {
                thrown(each, ex);
            }
        }
    }

    private synchronized void thrown(WorkerLeaseListener listener, Throwable thrown) {
        long now = this.terms.time().nanoTime();
        if (!this.listenerLogged || now - this.listenerLoggedNanos >= REPEAT_NANOS) {
            this.listenerLogged = true;
            this.listenerLoggedNanos = now;
            write(Level.WARNING, "A listener of the worker lease threw an exception: listener={0}, exception={1}; the "
                    + "lease is kept all the same", listener.getClass().getName(), thrown);
        }
    }

}
