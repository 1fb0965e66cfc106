package io.shardedid.internal.lease;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.random.RandomGenerator;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseSettings;
import org.jspecify.annotations.Nullable;

/** What an acquire writes. Used by one thread at a time. */
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

    /** The rows that were ahead of the database then, with their tokens. */
    private final Map<Integer, String> ahead = new HashMap<>();

    /** The rows whose writes got no answer since the last lease. */
    private final Set<Integer> unanswered = new HashSet<>();

    /**
     * After rows were deleted: the end of the interval that another process of our age
     * may hold.
     */
    private long loAtLeast;

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
     * @param obstacle why there is nothing to send, or null
     */
    record Move(@Nullable LeaseStatement statement, @Nullable RequestedLease attempt, long waitNanos,
            @Nullable LeaseState obstacle) {
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

    LeaseRow layoutRow() {
        return this.layoutRow;
    }

    Move move(LeaseReply.Rows rows, long sentNanos) {
        LeaseRow layout = rows.row(LeaseRow.LAYOUT).orElse(null);
        if (layout == null) {
            return new Move(new LeaseStatement.Insert(this.layoutRow, null), null, 0, null);
        }
        if (!String.valueOf(this.layoutRow.layout()).equals(layout.layout())) {
            return pause(LONGEST_LOOK_NANOS, LeaseState.OTHER_LAYOUT);
        }
        if (young(layout, rows.databaseMillis())) {
            return pause(LONGEST_LOOK_NANOS, LeaseState.BEGINS_LATER);
        }
        if (clockIsBehind(rows)) {
            return pause(LONGEST_LOOK_NANOS / 4, LeaseState.CLOCK_BEHIND);
        }
        // after a change of layout the very first tick may lie ahead of the clock
        long now = Math.max(this.timing.tick(rows.databaseMillis()), layout.hwmTick());
        if (beginsLater(layout.hwmTick(), rows.databaseMillis())) {
            return pause(LONGEST_LOOK_NANOS / 4, LeaseState.BEGINS_LATER);
        }
        long earliest = this.leaseSettings.tolerateLostCommits()
                ? Math.max(now,
                        this.timing.tick(
                                rows.databaseMillis() + LeaseRules.of(this.leaseSettings).untilForgotten().toMillis()))
                : now;
        if (earliest > this.terms.layout().lastTick()) {
            return pause(LONGEST_LOOK_NANOS, LeaseState.RANGE_EXHAUSTED);
        }
        Optional<LeaseRow> free = free(answering(rows), earliest);
        if (free.isPresent()) {
            return take(free.get(), layout, rows.databaseMillis(), earliest, sentNanos);
        }
        int among = 1 << Math.min(SPREAD_BITS * this.attempts.size(), Integer.SIZE - 2);
        OptionalInt unused = this.choice.unused(rows, among, this.random);
        if (unused.isPresent()) {
            return insert(unused.getAsInt(), layout, rows.databaseMillis(), earliest, sentNanos);
        }
        // there is no other
        return free(rows, earliest).map((row) -> take(row, layout, rows.databaseMillis(), earliest, sentNanos))
            .orElseGet(() -> pause(untilFree(rows, earliest), LeaseState.TAKEN));
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
     * Whether a failover may forget the layout row. After that, a process of the plain
     * mode would make it anew, and know of no lease that was forgotten with it.
     */
    private boolean young(LeaseRow layout, long databaseMillis) {
        return this.leaseSettings.tolerateLostCommits()
                && layout.hwmTick() > this.timing.tick(databaseMillis - LeaseRules.FORGOTTEN.toMillis());
    }

    /**
     * Whether to wait, because the database shows an earlier time than a holder of a row
     * has read there. Perhaps another server took the place of the first, with a copy of
     * the rows. What the copy lacks lies before the present time, as this machine has it.
     * A process that had a lease knows the time of this server. A row that is written
     * here meanwhile is no copy: its holder lives, and the clock was set back.
     */
    private boolean clockIsBehind(LeaseReply.Rows rows) {
        long latest = rows.databaseMillis() + LeaseRules.of(this.leaseSettings).behindMillis();
        long here = this.terms.time().epochNanos() / 1_000_000;
        if (!this.leased && this.ahead.isEmpty() && here - latest <= this.leaseSettings.maxSkew().toMillis()) {
            this.choice.workers(rows)
                .stream()
                .filter((row) -> row.writtenMillis() > latest)
                .forEach((row) -> this.ahead.put(row.worker(), row.token()));
            this.presentMillis = this.ahead.isEmpty() ? 0 : here;
        }
        boolean written = this.choice.workers(rows)
            .stream()
            .anyMatch((row) -> row.writtenMillis() > latest
                    && !row.token().equals(this.ahead.getOrDefault(row.worker(), row.token())));
        this.presentMillis = written ? 0 : this.presentMillis;
        return latest < this.presentMillis;
    }

    /**
     * Whether to wait for the very first tick, which a change of layout or a wrong clock
     * has put ahead: ids that far ahead would soon stop until the clock has come there.
     */
    private boolean beginsLater(long firstTick, long databaseMillis) {
        return !this.leaseSettings.tolerateLostCommits()
                && firstTick > this.timing.tick(databaseMillis + this.terms.maxAhead().toMillis());
    }

    private Move take(LeaseRow row, LeaseRow layout, long databaseMillis, long earliest, long sentNanos) {
        RequestedLease attempt = attempt(row.worker(), row.acquisitions() + 1, Math.max(row.hwmTick(), earliest),
                layout, databaseMillis, sentNanos);
        return new Move(new LeaseStatement.Update(row.worker(), row.token(), attempt.lo(), attempt.token(), 1,
                attempt.untilMillis(), attempt.hi(), this.leaseSettings.owner(), this.guards.window(),
                this.guards.guard(databaseMillis, false)), attempt, 0, null);
    }

    private Move insert(int worker, LeaseRow layout, long databaseMillis, long earliest, long sentNanos) {
        RequestedLease attempt = attempt(worker, 1, earliest, layout, databaseMillis, sentNanos);
        LeaseRow row = new LeaseRow(worker, attempt.token(), 1, attempt.untilMillis(), attempt.hi(),
                this.leaseSettings.owner(), this.guards.window());
        LeaseStatement.Guard guard = this.guards.guard(databaseMillis, false);
        return new Move(new LeaseStatement.Insert(row, (guard != null) ? guard.latestMillis() : null), attempt, 0,
                null);
    }

    private RequestedLease attempt(int worker, long acquisitions, long from, LeaseRow layout, long databaseMillis,
            long sentNanos) {
        long lo = Math.max(from, this.loAtLeast);
        long hi = this.leaseSettings.tolerateLostCommits() ? lo : lo + this.timing.windowTicks();
        RequestedLease attempt = new RequestedLease(worker, this.tokens.fresh(), acquisitions, lo, hi,
                databaseMillis + this.timing.windowMillis(), sentNanos, layout.token());
        sent(attempt);
        return attempt;
    }

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

    private static Move pause(long nanos, LeaseState obstacle) {
        return new Move(null, null, nanos, obstacle);
    }

    void succeeded(RequestedLease lease) {
        this.leased = true;
        this.attempts.clear();
        this.unanswered.clear();
        this.loAtLeast = 0;
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
