package io.shardedid.internal.lease;

import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseClock;
import io.shardedid.LeaseSettings;
import io.shardedid.TickLease;
import io.shardedid.internal.LeaseHolder;
import org.jspecify.annotations.Nullable;

/**
 * Finds the layout row, and acquires, renews and releases one lease: the protocol of
 * {@code docs/protocol.md}. Every round reads the store, then writes one row by
 * compare-and-set; what is not acknowledged changes nothing here. Used by one thread at a
 * time.
 */
final class LeaseProtocol {

    private static final String CHANGED = "its row was changed by another process";

    private static final int NO_WORKER = -1;

    /** How often the store may take the layout row and not show it. */
    private static final int MOST_LAYOUT_WRITES = 8;

    private final EngineTerms terms;

    private final LeaseTiming timing;

    private final LeaseSettings leaseSettings;

    private final LeaseHolder holder;

    private final LeaseReport report;

    private final LeaseRenewal renewal;

    private final DatabaseTime databaseTime;

    private final Supplier<String> tokenSource;

    private final TokenBook tokens;

    private final RandomGenerator random;

    /** How often the store has taken the layout row, or met one, and not shown it. */
    private int layoutWrites;

    /** What the latest write of the layout row was refused with, if it was. */
    private @Nullable Exception layoutRefused;

    private Predicate<Exception> passes = (cause) -> true;

    /** There is one from the moment on that the layout row is known. */
    private @Nullable AcquirePlan plan;

    private @Nullable RequestedLease held;

    private @Nullable RequestedLease sent;

    /** The rows by which the lease that is asked for was chosen. */
    private LeaseReply.@Nullable Rows before;

    /** A lease that was lost, until the store has shown what became of its row. */
    private @Nullable RequestedLease lost;

    /** The first tick that no id of the lost lease carries. */
    private long lostEndTick;

    private @Nullable LeaseStatement ready;

    /** Whether the statement was sent and its reply has not come. */
    private boolean underWay;

    private long roundNanos;

    private long dueNanos;

    private BooleanSupplier nobodyElse = () -> false;

    private int failures;

    /** Whether the store did not answer the latest statement. */
    private boolean unanswered;

    /** Whether the row that is held was read, but not written, since it was confirmed. */
    private boolean unwritten;

    private boolean wanted;

    private boolean releasing;

    /** The worker id whose release was not reported yet, or NO_WORKER. */
    private int releasedWorker = NO_WORKER;

    private boolean ended;

    /**
     * Makes a protocol that has no lease yet.
     * @param layoutRow the layout row, or null if it has to be found
     */
    LeaseProtocol(EngineTerms terms, LeaseSettings leaseSettings, @Nullable LeaseRow layoutRow, LeaseHolder holder,
            LeaseReport report, Supplier<String> tokens, RandomGenerator random, long now) {
        this.terms = terms;
        this.timing = LeaseRules.of(leaseSettings).timing(terms.layout());
        this.leaseSettings = leaseSettings;
        this.holder = holder;
        this.report = report;
        this.tokenSource = tokens;
        this.tokens = new TokenBook(tokens);
        this.databaseTime = new DatabaseTime(terms.maxAhead().toNanos(), terms.time()::epochNanos);
        this.renewal = new LeaseRenewal(leaseSettings, this.timing, this.tokens);
        this.random = random;
        this.dueNanos = now;
        if (layoutRow != null) {
            started(layoutRow);
        }
    }

    private void started(LeaseRow row) {
        this.plan = new AcquirePlan(this.terms, this.leaseSettings, this.timing, row, this.tokens, this.random);
        this.layoutWrites = 0;
        this.layoutRefused = null;
        this.failures = 0;
    }

    /** The layout row, or null until it is known. */
    @Nullable LeaseRow layoutRow() {
        AcquirePlan known = this.plan;
        return (known != null) ? known.layoutRow() : null;
    }

    private AcquirePlan plan() {
        return Objects.requireNonNull(this.plan);
    }

    /** Returns what to send now, or null until {@link #dueNanos()}. */
    @Nullable LeaseStatement next(long now) {
        noticeEnd(now);
        if (this.underWay) {
            // an error came in place of the reply, so the write may have happened; sent
            // again, it would find the row changed by ourselves
            this.underWay = false;
            this.ready = null;
            this.sent = null;
        }
        if (this.ended || (this.ready == null && now - this.dueNanos < 0)) {
            return null;
        }
        if (this.ready == null) {
            this.roundNanos = now;
            RequestedLease mine = this.held;
            this.ready = (mine != null && !this.report.wantsRows()) ? new LeaseStatement.ReadOne(mine.worker())
                    : new LeaseStatement.ReadAll();
        }
        return this.ready;
    }

    /** Says that ids have stopped, when a lease was not renewed in time. */
    private void noticeEnd(long now) {
        RequestedLease mine = this.held;
        if (mine != null && holding() && now - this.timing.deadline(mine.sentNanos()) >= 0) {
            this.report.ended(mine.worker(), this.timing.deadline(mine.sentNanos()));
        }
    }

    /** This process did not run for a while when it should have. */
    void stoodStill(long nanos) {
        this.report.stoodStill(Duration.ofNanos(nanos));
    }

    /**
     * Hears that the statement is sent now. If the next call is not {@link #reply}, an
     * error came in place of the reply, and nobody knows what became of the statement.
     */
    void sending() {
        this.underWay = true;
    }

    /**
     * Takes the reply to the statement that {@link #next} returned last.
     * @param sentNanos the monotonic time before the statement was sent
     * @param receivedNanos the monotonic time after the reply had come
     */
    void reply(LeaseReply reply, long sentNanos, long receivedNanos) {
        this.underWay = false;
        this.unanswered = reply instanceof LeaseReply.Unknown;
        boolean readAll = this.ready instanceof LeaseStatement.ReadAll;
        boolean wrote = !(readAll || this.ready instanceof LeaseStatement.ReadOne);
        boolean changes = this.ready instanceof LeaseStatement.Update;
        this.ready = null;
        this.dueNanos = receivedNanos;
        if (this.releasing) {
            // one try: what could not be given back runs out by itself
            this.ended = true;
            reportRelease(reply);
        }
        else if (reply instanceof LeaseReply.Unknown unknown) {
            if (wrote && this.plan == null && !this.passes.test(unknown.cause())) {
                this.layoutWrites++;
                this.layoutRefused = unknown.cause();
            }
            failed(unknown.cause(), wrote ? this.sent : null, changes, receivedNanos);
        }
        else if (wrote) {
            written(reply, receivedNanos);
        }
        else if (reply instanceof LeaseReply.Rows rows) {
            if (readAll) {
                this.report.read(rows);
            }
            read(rows, sentNanos, receivedNanos);
        }
    }

    private void read(LeaseReply.Rows rows, long sentNanos, long receivedNanos) {
        RequestedLease mine = this.held;
        if (mine != null && !this.databaseTime.believes(rows.databaseMillis(), receivedNanos)) {
            this.report.skewed(Duration.ofNanos(this.databaseTime.skewNanos(rows.databaseMillis(), receivedNanos)));
        }
        this.databaseTime.observe(rows.databaseMillis(), sentNanos, receivedNanos, mine != null);
        if (this.plan == null) {
            start(rows);
            return;
        }
        if (mine == null) {
            acquire(rows, receivedNanos);
            return;
        }
        LeaseRow row = rows.row(mine.worker()).orElse(null);
        String loss = this.renewal.loss(mine, rows);
        if (loss == null && row != null && locked(row, rows.databaseMillis())) {
            loss = "its row was not written until its lease had expired on the database; a transaction may have locked it";
        }
        if (row == null || loss != null) {
            lost(mine, String.valueOf(loss), row == null, receivedNanos);
            return;
        }
        this.sent = this.renewal.attempt(mine, row, estimateMillis(rows, receivedNanos), this.roundNanos);
        this.ready = this.renewal.statement(this.sent, row, rows.databaseMillis());
    }

    /**
     * Takes the layout row for this process, or makes it as the first.
     * @throws io.shardedid.ShardedIdException if it names another layout, mode or range
     * of worker ids, or the clocks are too far apart
     */
    private void start(LeaseReply.Rows rows) {
        LeaseRow row = rows.row(LeaseRow.LAYOUT).orElse(null);
        LayoutText text = LayoutText.of(this.terms, this.leaseSettings);
        if (row == null && this.layoutWrites >= MOST_LAYOUT_WRITES) {
            throw this.report.layoutRowNotShown(this.layoutWrites, this.layoutRefused);
        }
        if (row == null) {
            this.ready = new LeaseStatement.Insert(new LeaseRow(LeaseRow.LAYOUT, this.tokenSource.get(), 0, 0,
                    this.timing.tick(present(rows.databaseMillis())), null, text.toString()), null);
            return;
        }
        text.checkSame(this.leaseSettings.namespace(), row.layout());
        LeaseRules.checkLine(this.terms, row.hwmTick());
        this.report.started(Duration.ofMillis(rows.databaseMillis() - hereMillis()));
        started(row);
    }

    /**
     * The later one of the clocks of the database and of this machine: before, the leases
     * may have been in another database, whose clock was right. For a clock that is more
     * than a window behind, the process logs a warning and does not wait.
     */
    private long present(long databaseMillis) {
        long behind = hereMillis() - databaseMillis;
        return (behind > LeaseRules.LATEST_MILLIS && behind <= this.timing.windowMillis()) ? databaseMillis + behind
                : databaseMillis;
    }

    private long hereMillis() {
        return this.terms.time().epochNanos() / 1_000_000;
    }

    /**
     * Whether to leave a row that others may take, because it cannot be written. A
     * process that has to have this one goes on asking.
     */
    private boolean locked(LeaseRow row, long databaseMillis) {
        return this.unwritten && row.leaseUntilMillis() < databaseMillis && this.leaseSettings.workerId().isEmpty();
    }

    private long estimateMillis(LeaseReply.Rows rows, long receivedNanos) {
        return this.leaseSettings.tolerateLostCommits() ? rows.databaseMillis()
                : this.databaseTime.estimateMillis(rows.databaseMillis(), receivedNanos);
    }

    /**
     * Reports ids that may be equal. The row is read again for that, since one answer of
     * a database may be older than the loss.
     */
    private void checkLoss(LeaseReply.Rows rows) {
        RequestedLease before = this.lost;
        if (before != null) {
            this.lost = null;
            LeaseRow row = rows.row(before.worker()).orElse(null);
            if (row != null && row.acquisitions() <= before.acquisitions() && !row.token().equals(before.token())) {
                // a process that takes a row raises its acquisitions
                plan().rowsDeleted(before, rows.databaseMillis());
            }
            if (row == null && this.nobodyElse.getAsBoolean()) {
                // a test that empties all tables, say: who could have used the number?
                return;
            }
            long from = this.renewal.sharedFrom(before, row, rows.databaseMillis());
            if (from < this.lostEndTick) {
                this.report.violated(before.worker(), from, this.lostEndTick,
                        (row == null) ? "its row is gone" : "its row shows owner=%s, fence=%s, hwm_tick=%s"
                            .formatted(row.shownOwner(), row.acquisitions(), row.hwmTick()));
            }
        }
    }

    private void acquire(LeaseReply.Rows rows, long receivedNanos) {
        checkLoss(rows);
        RequestedLease adopted = plan().adopted(rows);
        if (adopted != null) {
            adopt(adopted, rows, receivedNanos);
            return;
        }
        AcquirePlan.Move move = plan().move(rows, this.roundNanos);
        this.sent = move.attempt();
        this.ready = move.statement();
        this.before = (this.sent != null) ? rows : null;
        LeaseState obstacle = move.obstacle();
        if (obstacle != null) {
            this.report.waiting(obstacle, rows);
            this.dueNanos = receivedNanos + this.timing.jittered(move.waitNanos(), this.random);
        }
    }

    /**
     * Takes a lease whose confirmation did not come, once another write of its row was
     * confirmed. A database shows also what it has not confirmed and may lose yet; what
     * it confirms later than that, it does not lose without it.
     */
    private void adopt(RequestedLease adopted, LeaseReply.Rows rows, long receivedNanos) {
        LeaseRow row = rows.row(adopted.worker()).orElse(null);
        this.before = null;
        if (row == null || this.renewal.pending(adopted)) {
            // an empty interval grants nothing before it was renewed
            held(adopted, true, receivedNanos);
            return;
        }
        this.sent = this.renewal.attempt(adopted, row, estimateMillis(rows, receivedNanos), this.roundNanos);
        plan().sent(this.sent);
        this.ready = this.renewal.statement(this.sent, row, rows.databaseMillis());
    }

    private void written(LeaseReply reply, long receivedNanos) {
        boolean confirmed = reply instanceof LeaseReply.Written done && done.rows() == 1;
        RequestedLease attempt = this.sent;
        RequestedLease mine = this.held;
        this.sent = null;
        if (confirmed && attempt != null) {
            held(attempt, mine == null, receivedNanos);
        }
        else if (mine != null) {
            lost(mine, CHANGED, false, receivedNanos);
        }
        else {
            // another process was quicker, or the layout row was written: look again
            this.dueNanos = receivedNanos
                    + this.timing.jittered(LeaseTiming.LOST_RACE_NANOS << this.layoutWrites, this.random);
            this.layoutWrites += (this.plan == null) ? 1 : 0;
        }
    }

    /*
     * The engine comes first, then what is remembered here: when the engine cannot take
     * the change, because the heap is full, the next round finds the state of before and
     * asks for the same change again.
     */

    private void held(RequestedLease lease, boolean fresh, long receivedNanos) {
        // a lease begins at the moment of its answer
        LeaseClock now = new LeaseClock(receivedNanos, this.databaseTime.line().epochNanosAt(receivedNanos));
        this.holder
            .hold(new TickLease(lease.worker(), lease.lo(), lease.hi(), this.timing.deadline(lease.sentNanos()), now));
        this.held = lease;
        this.failures = 0;
        this.unwritten = false;
        this.wanted = false;
        plan().succeeded(lease);
        this.tokens.confirmed(lease.token());
        this.dueNanos = this.roundNanos + (this.renewal.pending(lease) ? LeaseTiming.IMPATIENT_NANOS
                : this.timing.jittered(this.timing.renewNanos(), this.random));
        this.report.held(lease, fresh, this.before);
        this.before = null;
        if (holding()) {
            this.report.idsGoOn(lease, receivedNanos);
        }
    }

    private void lost(RequestedLease lease, String why, boolean rowGone, long receivedNanos) {
        // poison, so that no call under way can claim any more: what was claimed is known
        long highest = this.holder.relinquish();
        this.held = null;
        this.sent = null;
        this.unwritten = false;
        if (rowGone) {
            plan().rowsDeleted(lease, this.databaseTime.line().epochNanosAt(receivedNanos) / 1_000_000);
        }
        this.lost = lease;
        this.lostEndTick = highest + 1;
        this.report.lost(lease.worker(), why);
    }

    /**
     * @param attempt what was asked for, or null after a read
     * @param changes whether the row is there, as a read has just shown
     */
    private void failed(Exception cause, @Nullable RequestedLease attempt, boolean changes, long receivedNanos) {
        this.failures++;
        this.sent = null;
        if (attempt != null) {
            plan().unanswered(attempt.worker());
            this.unwritten = this.held != null;
        }
        if (attempt != null && changes) {
            this.report.unwritten(attempt.worker(), cause);
        }
        else {
            this.report.failed(cause);
        }
        long patience = Math.min(LeaseTiming.IMPATIENT_NANOS << Math.min(this.failures - 1, 10),
                this.timing.renewNanos());
        this.dueNanos = receivedNanos
                + this.timing.jittered(this.wanted ? LeaseTiming.IMPATIENT_NANOS : patience, this.random);
    }

    /**
     * Says what only the store can tell.
     * @param alone whether no other process can reach it
     * @param passing whether a write that failed so may succeed later
     */
    void ask(BooleanSupplier alone, Predicate<Exception> passing) {
        this.nobodyElse = alone;
        this.passes = passing;
    }

    boolean unanswered() {
        return this.unanswered;
    }

    /** A caller waits for a lease: do not be patient. */
    void want(long now) {
        this.wanted = true;
        long soon = now + LeaseTiming.IMPATIENT_NANOS;
        this.dueNanos = (this.dueNanos - soon > 0) ? soon : this.dueNanos;
    }

    /**
     * A caller wants to see a renewal: makes the next one now, unless the store did not
     * answer the last one.
     */
    void renewNow(long now) {
        if (this.failures == 0) {
            this.dueNanos = now;
        }
    }

    /**
     * Gives the lease back: from here on nothing can be claimed under it. When the engine
     * cannot end its lease, because the heap is full, the row is never written: what the
     * engine may still claim stays below the row's own mark, and the row runs out by
     * itself. It may be called again then, to end the engine's lease.
     */
    void release(long now) {
        RequestedLease mine = this.held;
        this.held = null;
        this.sent = null;
        this.ready = null;
        this.underWay = false;
        this.releasing = true;
        this.ended = true;
        this.dueNanos = now;
        this.releasedWorker = (mine != null) ? mine.worker() : this.releasedWorker;
        long highest = this.holder.relinquish();
        if (mine != null) {
            this.ready = new LeaseStatement.Update(mine.worker(), mine.token(), Long.MAX_VALUE, this.tokens.fresh(), 0,
                    0, Math.min(mine.hi(), Math.max(mine.lo(), highest + 1)), null, this.renewal.window(), null);
            this.ended = false;
            this.report.releasing(mine.worker());
        }
        else if (this.releasedWorker != NO_WORKER) {
            reportAbandoned("the attempt before failed halfway");
        }
    }

    private void reportRelease(LeaseReply reply) {
        if (reply instanceof LeaseReply.Written done && done.rows() == 1) {
            int worker = this.releasedWorker;
            this.releasedWorker = NO_WORKER;
            this.report.released(worker);
        }
        else {
            reportAbandoned((reply instanceof LeaseReply.Unknown unknown) ? unknown.cause().toString() : CHANGED);
        }
    }

    private void reportAbandoned(String why) {
        int worker = this.releasedWorker;
        this.releasedWorker = NO_WORKER;
        this.report.abandoned(worker, why);
    }

    /** Returns when there will be something to send. */
    long dueNanos() {
        return this.dueNanos;
    }

    /**
     * Whether a lease is held that allows ids; it may be past its deadline. On a database
     * that may lose commits a lease is empty at first.
     */
    boolean holding() {
        RequestedLease mine = this.held;
        return mine != null && !this.renewal.pending(mine);
    }

}
