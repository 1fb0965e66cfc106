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
import io.shardedid.IdRangeExhaustedException;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerHolding;
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

    private static final Snapshot STARTING = new Snapshot(LeaseState.STARTING, null, null, null);

    private final EngineTerms terms;

    private final LeaseSettings leaseSettings;

    private final LeaseOwners owners;

    private final List<WorkerLeaseListener> listeners;

    private volatile Snapshot snapshot = STARTING;

    /** All rows of the namespace, as they were read last. */
    private volatile LeaseReply.Rows rows = new LeaseReply.Rows(0, List.of());

    /** Whether somebody has looked at the rows since they were read. */
    private volatile boolean looked;

    private final Repeats states = new Repeats();

    private final Repeats skews = new Repeats();

    private final Repeats listenersThrew = new Repeats();

    /** Since when there are no ids; null while there are. Used by the keeper. */
    private @Nullable Stop stop;

    /** How long this process stood still since ids were possible last. */
    private volatile @Nullable Duration stoodStill;

    LeaseReport(EngineTerms terms, LeaseSettings leaseSettings, List<WorkerLeaseListener> listeners) {
        this.terms = terms;
        this.leaseSettings = leaseSettings;
        this.owners = new LeaseOwners(terms.layout(), leaseSettings);
        this.listeners = new CopyOnWriteArrayList<>(listeners);
    }

    /**
     * The layout row was found, by a database whose clock differs so much.
     * @throws WorkerLeaseException if it differs more than it may
     */
    void started(Duration databaseAhead) {
        if (databaseAhead.abs().compareTo(this.leaseSettings.maxSkew()) > 0) {
            throw new WorkerLeaseException(
                    ("Could not lease a worker id: the clock of the database is %s the clock of this machine "
                            + "(shardedid.clock.max-skew=%s); correct the clock that is wrong")
                        .formatted(LeaseTiming.aheadOrBehind(databaseAhead),
                                MessageText.duration(this.leaseSettings.maxSkew())),
                    true, "Correct the clock of this machine or that of the database, and start again.", null);
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
        return new WorkerLeaseException(
                ("Could not lease a worker id: the store of the leases does not take the layout row, or does not show it: "
                        + "namespace=%s, worker id=%s, attempts=%s (%s); compare the lease table with its script")
                    .formatted(this.leaseSettings.namespace(), LeaseRow.LAYOUT, attempts,
                            (refused != null) ? oneLine(refused.getMessage()) : "no write was refused"),
                false, "Let the store take and show each row of this namespace. No id was made.", refused);
    }

    /**
     * Says why a start ends without the layout row. What the store or the settings refuse
     * says all by itself.
     */
    ShardedIdException refusalOfStart() {
        Exception failure = this.snapshot.failure();
        String reason = Thread.currentThread().isInterrupted() ? "the start was interrupted"
                : (failure != null) ? oneLine(failure.getMessage()) : "the store answers slowly";
        return (failure instanceof ShardedIdException refused) ? refused : new WorkerLeaseException(
                ("Could not lease a worker id: the layout row of namespace '%s' is not known yet (%s): "
                        + "shardedid.worker.lease.startup-timeout=%s; see whether the store of the leases is up, or "
                        + "set a longer 'shardedid.worker.lease.startup-timeout'")
                    .formatted(this.leaseSettings.namespace(), reason,
                            MessageText.duration(this.leaseSettings.startupTimeout())),
                failure);
    }

    ShardedIdException refusal() {
        Snapshot now = this.snapshot;
        String text = words(now.state().text(), now);
        if (now.state() == LeaseState.RANGE_EXHAUSTED) {
            return new IdRangeExhaustedException(this.terms.layout());
        }
        if (now.refused() && now.failure() instanceof ShardedIdException refused) {
            // what the store refuses for good does not go away by waiting
            return new WorkerLeaseException(text, false, refused.action(), refused);
        }
        String action = now.state().action();
        return (action == null) ? new WorkerLeaseException(text, now.failure())
                : new WorkerLeaseException(text, now.state().passes(), words(action, now), now.failure());
    }

    /** Fills in what {@link LeaseState} leaves open. */
    private String words(String form, Snapshot now) {
        WorkerLease lease = now.lease();
        String detail = (now.state() == LeaseState.LEASED && lease != null)
                ? LeaseTiming.lastIds(lease.until(), this.leaseSettings.window()).toString() : now.detail();
        return form.formatted(this.leaseSettings.namespace(), (lease != null) ? lease.worker() : "none", detail,
                why(now.failure()), MessageText.duration(this.terms.maxWait()), this.owners.moreRoom());
    }

    private String why(@Nullable Exception failure) {
        Duration still = this.stoodStill;
        return (still != null) ? "this process stood still for " + MessageText.measured(still)
                : "the store of the leases confirmed nothing in time"
                        + ((failure != null) ? " (" + said(failure) + ")" : "");
    }

    private static String said(Exception failure) {
        return oneLine((failure instanceof ShardedIdException) ? failure.getMessage() : failure.toString());
    }

    /**
     * Returns who held which worker id when the rows were read last, and lets the next
     * renewal read them again. Our own lease is as it is now.
     */
    List<WorkerHolding> workers() {
        this.looked = true;
        return holders(this.rows);
    }

    boolean wantsRows() {
        return this.looked;
    }

    void read(LeaseReply.Rows read) {
        this.looked = false;
        this.rows = read;
    }

    /** Returns whether waiting for a lease is pointless. */
    boolean hopeless() {
        Snapshot now = this.snapshot;
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
        return this.snapshot.state() == LeaseState.LEASED;
    }

    /**
     * A lease was confirmed, a fresh one or a longer one.
     * @param before the rows before a fresh one was asked for
     */
    void held(RequestedLease lease, boolean fresh, LeaseReply.@Nullable Rows before) {
        WorkerLease now = new WorkerLease(lease.worker(), this.leaseSettings.owner(), lease.acquisitions(),
                Instant.ofEpochMilli(lease.untilMillis()), instantAt(lease.lo()), instantAt(lease.hi()));
        this.snapshot = new Snapshot(LeaseState.LEASED, now, null, null);
        // where a lease goes on, what follows says when ids come again
        if (this.states.begins(LeaseState.LEASED, false) && (this.stop == null || fresh)) {
            write(Level.INFO,
                    "Worker id {0} of namespace ''{1}'' is leased until {2} (database clock), acquisition {3}{4}",
                    now.worker(), this.leaseSettings.namespace(), now.until(), now.acquisitions(),
                    fresh ? takenOver((before != null) ? before.row(lease.worker()).orElse(null) : null) : "");
        }
        String warning = (fresh && before != null) ? this.owners.fewLeft(lease.worker(), holders(before)) : "";
        if (!warning.isEmpty()) {
            write(Level.WARNING, warning);
        }
        tell(this.listeners, fresh ? (each) -> each.leased(now) : (each) -> each.renewed(now));
    }

    /** Whose number it was, unless that process gave it back. */
    private String takenOver(@Nullable LeaseRow before) {
        return (before == null || before.leaseUntilMillis() == 0 || before.owner() == null
                || before.owner().equals(this.leaseSettings.owner())) ? ""
                        : "; it was held by %s, whose lease expired at %s".formatted(before.shownOwner(),
                                Instant.ofEpochMilli(before.leaseUntilMillis()));
    }

    /** The lease of the engine is over, since it was not renewed in time. */
    void ended(int worker, long nanos) {
        if (stopped(worker, nanos)) {
            Snapshot now = this.snapshot;
            // a refusal was logged when it came
            write(LeaseState.LEASED.level(), words(LeaseState.LEASED.text(), now.refused() ? now.failed(null) : now));
        }
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

    void lost(int worker, String why) {
        become(LeaseState.LOST, why);
        stopped(worker, this.terms.time().nanoTime());
        log(LeaseState.LOST);
        tell(this.listeners, (each) -> each.lost(worker, why));
    }

    private void become(LeaseState state, @Nullable String detail) {
        this.snapshot = new Snapshot(state, this.snapshot.lease(), null, detail);
    }

    /** Writes what callers hear of a state that has begun or lasts. */
    private void log(LeaseState state) {
        if (this.states.begins(state, true)) {
            write(state.level(), words(state.text(), this.snapshot));
        }
    }

    /** Another process could use ticks that ids of this process may carry. */
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
    void failed(Exception cause) {
        failed(((cause instanceof ShardedIdException) ? "" : "The store of the leases did not answer: ") + said(cause)
                + "; trying again"
                + ((this.snapshot.lease() != null || this.leaseSettings.firstUse()) ? ""
                        : "; the start waits for shardedid.worker.lease.startup-timeout=%s at most"
                            .formatted(MessageText.duration(this.leaseSettings.startupTimeout()))),
                cause, cause);
    }

    /** The store was asked to write a row that it had just shown, and did not answer. */
    void unwritten(int worker, Exception cause) {
        String why = "The row of worker id %s was read, but not written: %s; a transaction may have locked it, or all rows of the table%s"
            .formatted(worker, oneLine(cause.getMessage()), this.leaseSettings.workerId().isPresent()
                    ? ", and shardedid.worker.id=%s allows no other".formatted(worker) : "");
        failed(why + "; trying again", new WorkerLeaseException(why, cause), cause);
    }

    private void failed(String line, Exception failure, Exception cause) {
        this.snapshot = this.snapshot.failed(failure);
        if (this.states.begins("a failure", true)) {
            write(Level.WARNING, line);
        }
        tell(this.listeners, (each) -> each.renewalFailed(cause));
    }

    void waiting(LeaseState state, LeaseReply.Rows rows) {
        List<WorkerHolding> holders = holders(rows);
        LeaseRow layout = rows.row(LeaseRow.LAYOUT).orElse(null);
        become(state, switch (state) {
            case TAKEN -> this.owners.taken(rows, holders);
            case RANGE_EXHAUSTED -> new IdRangeExhaustedException(this.terms.layout()).getMessage();
            case BEGINS_LATER -> String.valueOf(instantAt((layout != null) ? layout.hwmTick() : 0)
                .plus(this.leaseSettings.tolerateLostCommits() ? LeaseRules.FORGOTTEN : Duration.ZERO));
            case OTHER_LAYOUT -> "here=[%s], there=[%s]".formatted(LayoutText.of(this.terms, this.leaseSettings),
                    MessageText.shown(String.valueOf((layout != null) ? layout.layout() : null)));
            default -> null;
        });
        log(state);
        tell(this.listeners, (each) -> each.waiting(holders));
    }

    void skewed(Duration databaseAhead) {
        // no state of the lease: it lasts beside them
        if (this.skews.begins("a skew", true)) {
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
        become(LeaseState.RELEASED, null);
    }

    void released(int worker) {
        log(LeaseState.RELEASED);
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

    /**
     * The lease as it was at one moment.
     *
     * @param state the state
     * @param lease the latest lease, which may be over
     * @param failure what failed last since the state began, or null
     * @param detail what is known of the state, or null
     */
    private record Snapshot(LeaseState state, @Nullable WorkerLease lease, @Nullable Exception failure,
            @Nullable String detail) {

        /** A failure changes no state: what was seen last is what is known. */
        Snapshot failed(@Nullable Exception cause) {
            return new Snapshot(this.state, this.lease, cause, this.detail);
        }

        /** Whether the store refuses what waiting does not change. */
        boolean refused() {
            return this.failure instanceof ShardedIdException refusal && !refusal.retryable();
        }

    }

    /** What was said last, so that it is said when it begins, and once a minute. */
    private final class Repeats {

        private @Nullable Object last;

        private long nanos;

        /** Whether to say something that begins, or lasts. */
        synchronized boolean begins(Object what, boolean repeats) {
            long now = LeaseReport.this.terms.time().nanoTime();
            if (what.equals(this.last) && (!repeats || now - this.nanos < REPEAT_NANOS)) {
                return false;
            }
            this.last = what;
            this.nanos = now;
            return true;
        }

    }

    private static void write(Level level, String form, Object... values) {
        try {
            if (values.length == 0) {
                // a text, and no form
                LOG.log(level, form);
                return;
            }
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

    private void thrown(WorkerLeaseListener listener, Throwable thrown) {
        if (this.listenersThrew.begins("an exception", true)) {
            write(Level.WARNING, "A listener of the worker lease threw an exception: listener={0}, exception={1}; the "
                    + "lease is kept all the same", listener.getClass().getName(), thrown);
        }
    }

    /** Drivers add the statement below. */
    static String oneLine(@Nullable String text) {
        return String.valueOf(text).lines().findFirst().orElse("");
    }

}
