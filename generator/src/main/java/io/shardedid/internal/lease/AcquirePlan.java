package io.shardedid.internal.lease;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.random.RandomGenerator;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseSettings;
import org.jspecify.annotations.Nullable;

/**
 * What an acquire writes. Used by one thread at a time.
 */
final class AcquirePlan {

    private static final int REMEMBERED = 32;

    /**
     * Of how many more missing rows one is made with each attempt: with the first attempt
     * the lowest, then one of 8, of 64 and so on, so that many processes that start at
     * once meet few times.
     */
    private static final int SPREAD_BITS = 3;

    private static final long LONGEST_LOOK_NANOS = 1_000_000_000;

    private final EngineTerms terms;

    private final LeaseSettings leaseSettings;

    private final LeaseTiming timing;

    private final LeaseRow layoutRow;

    private final TokenBook tokens;

    private final LeaseRenewal guards;

    private final WorkerChoice choice;

    private final RandomGenerator random;

    /** What was sent and may yet turn out to have happened. */
    private final Deque<RequestedLease> attempts = new ArrayDeque<>();

    /** Whether there was a lease. */
    private boolean leased;

    /** The time of this machine when the database's was found to be behind, or 0. */
    private long presentMillis;

    /** The rows whose writes got no answer since the last lease. */
    private final Set<Integer> unanswered = new HashSet<>();

    /**
     * After rows were deleted: the end of the interval that another process of our age
     * may hold.
     */
    private long loAtLeast;

    /**
     * The tick where a plain lease begins after tolerant ones, or 0. It stays as it was
     * when they had stopped, because the store has granted nothing since.
     */
    private long aboveForgotten;

    AcquirePlan(EngineTerms terms, LeaseSettings leaseSettings, LeaseTiming timing, LeaseRow layoutRow,
            TokenBook tokens, RandomGenerator random) {
        this.terms = terms;
        this.leaseSettings = leaseSettings;
        this.timing = timing;
        this.layoutRow = layoutRow;
        this.tokens = tokens;
        this.guards = new LeaseRenewal(leaseSettings, timing, tokens);
        this.choice = new WorkerChoice(LeaseRules.workers(terms.layout()),
                LeaseRules.of(leaseSettings).considered(terms.layout()));
        this.random = random;
    }

    /**
     * What to do next.
     *
     * @param statement what to send, or null to wait
     * @param attempt the lease that it asks for, or null
     * @param waitNanos how long to wait
     * @param obstacle why there is nothing to send, or NONE
     */
    record Move(@Nullable LeaseStatement statement, @Nullable RequestedLease attempt, long waitNanos,
            Obstacle obstacle) {
    }

    /** Why no worker id can be asked for now. */
    enum Obstacle {

        NONE, ALL_TAKEN, RANGE_EXHAUSTED, OTHER_LAYOUT, OTHER_MODE, AFTER_OTHER_MODE, BEGINS_LATER, CLOCK_BEHIND

    }

    /** An attempt that the store shows to have happened although its reply was lost. */
    @Nullable RequestedLease adopted(LeaseReply.Rows rows) {
        for (RequestedLease attempt : this.attempts) {
            LeaseRow row = rows.row(attempt.worker()).orElse(null);
            if (row != null && row.token().equals(attempt.token())) {
                return attempt;
            }
        }
        return null;
    }

    Move move(LeaseReply.Rows rows, long sentNanos) {
        LeaseRow layout = rows.row(LeaseRow.LAYOUT).orElse(null);
        if (layout == null) {
            return new Move(new LeaseStatement.Insert(this.layoutRow, null), null, 0, Obstacle.NONE);
        }
        if (!this.terms.fingerprint().equals(layout.layout())) {
            return pause(LONGEST_LOOK_NANOS, Obstacle.OTHER_LAYOUT);
        }
        if (conflict(rows, LeaseRow.LAYOUT) != null) {
            this.aboveForgotten = 0;
            return pause(LONGEST_LOOK_NANOS, Obstacle.OTHER_MODE);
        }
        if (clockIsBehind(rows)) {
            return pause(LONGEST_LOOK_NANOS / 4, Obstacle.CLOCK_BEHIND);
        }
        // after a change of layout the very first tick may lie ahead of the clock
        long now = Math.max(this.timing.tick(rows.databaseMillis()), layout.hwmTick());
        if (beginsLater(layout.hwmTick(), rows.databaseMillis())) {
            return pause(LONGEST_LOOK_NANOS / 4, Obstacle.BEGINS_LATER);
        }
        long begin = afterOtherMode(rows);
        if (beginsLater(begin, rows.databaseMillis())) {
            return pause(LONGEST_LOOK_NANOS / 4, Obstacle.AFTER_OTHER_MODE);
        }
        long earliest = this.leaseSettings.tolerateLostCommits()
                ? Math.max(now, this.timing.tick(LeaseRules.of(this.leaseSettings).aboveForgottenMillis(rows)))
                : Math.max(now, begin);
        if (earliest > this.terms.layout().lastTick()) {
            return pause(LONGEST_LOOK_NANOS, Obstacle.RANGE_EXHAUSTED);
        }
        Optional<LeaseRow> free = free(answering(rows), earliest);
        if (free.isPresent()) {
            return take(free.get(), rows.databaseMillis(), earliest, sentNanos);
        }
        int among = 1 << Math.min(SPREAD_BITS * this.attempts.size(), Integer.SIZE - 2);
        OptionalInt unused = this.choice.unused(rows, among, this.random);
        if (unused.isPresent()) {
            return insert(unused.getAsInt(), rows.databaseMillis(), earliest, sentNanos);
        }
        // there is no other
        return free(rows, earliest).map((row) -> take(row, rows.databaseMillis(), earliest, sentNanos))
            .orElseGet(() -> pause(untilFree(rows, earliest), Obstacle.ALL_TAKEN));
    }

    private Optional<LeaseRow> free(LeaseReply.Rows rows, long earliest) {
        return this.choice.free(rows, rows.databaseMillis() - LeaseRules.of(this.leaseSettings).behindMillis(),
                earliest, this.random);
    }

    private LeaseReply.Rows answering(LeaseReply.Rows rows) {
        return new LeaseReply.Rows(rows.databaseMillis(),
                rows.rows().stream().filter((row) -> !this.unanswered.contains(row.worker())).toList());
    }

    /**
     * A write of a row got no answer: a transaction may have locked it, so others come
     * first.
     */
    void unanswered(int worker) {
        this.unanswered.add(worker);
    }

    /**
     * Says whose lease keeps us from leasing beside it, because one of us keeps to the
     * rules of a database that may lose commits and the other one does not. A plain
     * process minds tolerant ones for a minute longer than their leases last: a failover
     * may have lost renewals, while a row that was given back says so.
     * @param mine a worker id to leave out
     * @return the reason, or null if nobody of the other mode is there
     */
    @Nullable String conflict(LeaseReply.Rows rows, int mine) {
        boolean tolerant = this.leaseSettings.tolerateLostCommits();
        long patience = LeaseRules.of(this.leaseSettings).patienceWithOtherMode().toMillis();
        return this.choice.workers(rows)
            .stream()
            .filter((row) -> row.worker() != mine && row.tolerant() != tolerant && !LeaseHandOver.elsewhere(row))
            .filter((row) -> row.leaseUntilMillis() != 0 && row.leaseUntilMillis() >= rows.databaseMillis() - patience)
            .findFirst()
            .map((row) -> "worker id %s is leased by %s with 'shardedid.worker.lease.tolerate-lost-commits=%s'"
                .formatted(row.worker(), row.shownOwner(), row.tolerant()))
            .orElse(null);
    }

    /**
     * Whether to wait, because the database shows an earlier time than a holder of a row
     * has read there. Perhaps another server took the place of the first, with a copy of
     * the rows. What the copy lacks lies before the present time, as this machine has it.
     * A process that had a lease knows the time of this server.
     */
    private boolean clockIsBehind(LeaseReply.Rows rows) {
        long latest = rows.databaseMillis() + LeaseRules.of(this.leaseSettings).behindMillis();
        long here = this.terms.time().epochNanos() / 1_000_000;
        if (!this.leased && this.presentMillis == 0 && here - latest <= this.leaseSettings.maxSkew().toMillis()
                && this.choice.workers(rows).stream().anyMatch((row) -> row.writtenMillis() > latest)) {
            this.presentMillis = here;
        }
        return latest < this.presentMillis;
    }

    /**
     * The first tick of a plain lease where processes of the tolerant mode were before: a
     * failover may have lost their last leases, of any worker id, also where all rows
     * were given back. The first plain process begins above all of them. Its row shows
     * that to those that come later: it began above the rows of the others.
     * @return 0 if no process of the other mode was there
     */
    private long afterOtherMode(LeaseReply.Rows rows) {
        List<LeaseRow> workers = this.choice.workers(rows);
        long tolerant = workers.stream().filter(LeaseRow::tolerant).mapToLong(LeaseRow::hwmTick).max().orElse(-1);
        if (tolerant < 0 || this.leaseSettings.tolerateLostCommits()) {
            return 0;
        }
        if (this.aboveForgotten == 0) {
            this.aboveForgotten = this.timing.tick(LeaseRules.of(this.leaseSettings).aboveForgottenMillis(rows));
        }
        return workers.stream()
            .filter((row) -> !row.tolerant() && row.promised())
            .mapToLong((row) -> row.hwmTick() - this.timing.ticks(row.windowMillis()))
            .filter((begin) -> begin > tolerant)
            .reduce(this.aboveForgotten, Math::min);
    }

    /**
     * Whether to wait for the very first tick, as a start can: ids that far ahead would
     * stop with the first renewal. One that lies further ahead was made by a wrong clock.
     */
    private boolean beginsLater(long firstTick, long databaseMillis) {
        return !this.leaseSettings.tolerateLostCommits()
                && firstTick > this.timing.tick(databaseMillis + this.terms.maxAhead().toMillis())
                && firstTick <= this.timing.tick(databaseMillis + this.leaseSettings.startupTimeout().toMillis());
    }

    private Move take(LeaseRow row, long databaseMillis, long earliest, long sentNanos) {
        RequestedLease attempt = attempt(row.worker(), row.acquisitions() + 1, Math.max(row.hwmTick(), earliest),
                databaseMillis, sentNanos);
        return new Move(new LeaseStatement.Update(row.worker(), row.token(), attempt.lo(), attempt.token(), 1,
                attempt.untilMillis(), attempt.hi(), this.leaseSettings.owner(), this.guards.promise(),
                this.guards.guard(databaseMillis, false)), attempt, 0, Obstacle.NONE);
    }

    private Move insert(int worker, long databaseMillis, long earliest, long sentNanos) {
        RequestedLease attempt = attempt(worker, 1, earliest, databaseMillis, sentNanos);
        LeaseRow row = new LeaseRow(worker, attempt.token(), 1, attempt.untilMillis(), attempt.hi(),
                this.leaseSettings.owner(), this.guards.promise());
        LeaseStatement.Guard guard = this.guards.guard(databaseMillis, false);
        return new Move(new LeaseStatement.Insert(row, (guard != null) ? guard.latestMillis() : null), attempt, 0,
                Obstacle.NONE);
    }

    private RequestedLease attempt(int worker, long acquisitions, long from, long databaseMillis, long sentNanos) {
        long lo = Math.max(from, this.loAtLeast);
        long hi = this.leaseSettings.tolerateLostCommits() ? lo : lo + this.timing.windowTicks();
        RequestedLease attempt = new RequestedLease(worker, this.tokens.fresh(), acquisitions, lo, hi,
                databaseMillis + this.timing.windowMillis(), sentNanos);
        sent(attempt);
        return attempt;
    }

    /** Remembers what may turn out to have happened. */
    void sent(RequestedLease attempt) {
        if (this.attempts.size() == REMEMBERED) {
            this.attempts.removeFirst();
        }
        this.attempts.addLast(attempt);
    }

    /**
     * Looks again when the next row may come free, but at least once a second: a process
     * may release early.
     */
    private long untilFree(LeaseReply.Rows rows, long earliest) {
        long tickNanos = this.terms.layout().tick().toNanos();
        long longestTicks = LONGEST_LOOK_NANOS / tickNanos + 1;
        long soonest = this.choice.candidates(rows)
            .stream()
            .mapToLong((row) -> Math.max(
                    Math.min(row.leaseUntilMillis() + LeaseRules.of(this.leaseSettings).behindMillis()
                            - rows.databaseMillis() + 1, LONGEST_LOOK_NANOS / 1_000_000) * 1_000_000,
                    Math.min(row.hwmTick() - earliest, longestTicks) * tickNanos))
            .min()
            .orElse(LONGEST_LOOK_NANOS);
        return Math.max(LeaseTiming.IMPATIENT_NANOS / 8, Math.min(soonest, LONGEST_LOOK_NANOS));
    }

    private static Move pause(long nanos, Obstacle obstacle) {
        return new Move(null, null, nanos, obstacle);
    }

    void succeeded(RequestedLease lease) {
        this.leased = true;
        this.attempts.clear();
        this.unanswered.clear();
        this.loAtLeast = 0;
        this.aboveForgotten = 0;
    }

    /**
     * Begins above all ids that others may make, where our row was deleted, made again,
     * or restored: their rows may be gone as well without their knowing it. They have
     * renewed until now at the latest, go on for a window, and run ahead of the clock;
     * the end of a lease may lie later still if it began ahead of the clock.
     */
    void rowsDeleted(RequestedLease lease, long databaseMillis) {
        long others = this.timing.tick(databaseMillis + this.timing.windowMillis() + this.terms.maxAhead().toMillis());
        this.loAtLeast = Math.max(this.loAtLeast, Math.max(lease.hi(), others + 1));
    }

}
