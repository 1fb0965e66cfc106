package io.shardedid.internal.lease;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The lease table of the simulation: linearizable rows, a clock that can be stepped, and
 * a past that stale reads and failovers come from.
 */
final class SimDatabase {

    private static final long SHORTEST_WINDOW_MILLIS = 3_000;

    private static final long KEPT_NANOS = 55_000_000_000L;

    private final RemovedGuard removed;

    private TreeMap<Integer, LeaseRow> rows = new TreeMap<>();

    private final Deque<Past> pasts = new ArrayDeque<>();

    /** What the standby has while it is cut off. */
    private @Nullable TreeMap<Integer, LeaseRow> standby;

    private long clockOffsetMillis;

    /** A write that lowered what a renewal must never lower. */
    private int lowered;

    /** A release that gave back what was never leased. */
    private int raised;

    SimDatabase(RemovedGuard removed) {
        this.removed = removed;
    }

    private record Past(long nanos, TreeMap<Integer, LeaseRow> rows) {
    }

    /** A database that somebody made from it. */
    SimDatabase copy() {
        SimDatabase copy = new SimDatabase(this.removed);
        copy.rows = new TreeMap<>(this.rows);
        copy.clockOffsetMillis = this.clockOffsetMillis;
        return copy;
    }

    long millis(long nowNanos) {
        return (SimWorld.BASE_EPOCH_NANOS + nowNanos) / 1_000_000 + this.clockOffsetMillis;
    }

    void stepClock(long offsetMillis) {
        this.clockOffsetMillis = offsetMillis;
    }

    /** How far its clock is ahead of the true time. */
    long aheadMillis() {
        return this.clockOffsetMillis;
    }

    int lowered() {
        return this.lowered;
    }

    int raised() {
        return this.raised;
    }

    List<LeaseRow> rows() {
        return List.copyOf(this.rows.values());
    }

    LeaseReply execute(LeaseStatement statement, long now, long staleNanos) {
        if (statement instanceof LeaseStatement.ReadAll) {
            return new LeaseReply.Rows(millis(now), new ArrayList<>(at(now - staleNanos).values()));
        }
        if (statement instanceof LeaseStatement.ReadOne one) {
            List<LeaseRow> found = at(now - staleNanos).values()
                .stream()
                .filter((row) -> row.worker() == one.worker() || row.worker() == LeaseRow.LAYOUT)
                .toList();
            return new LeaseReply.Rows(millis(now), found);
        }
        if (statement instanceof LeaseStatement.Insert insert) {
            return insert(insert, now);
        }
        return update((LeaseStatement.Update) statement, now);
    }

    private LeaseReply insert(LeaseStatement.Insert insert, long now) {
        boolean compare = this.removed != RemovedGuard.NO_COMPARE_ON_ACQUIRE;
        if (compare && this.rows.containsKey(insert.row().worker())) {
            return new LeaseReply.DuplicateKey();
        }
        if (insert.latestMillis() != null && millis(now) > insert.latestMillis()) {
            return new LeaseReply.Written(0);
        }
        write(insert.row(), now);
        return new LeaseReply.Written(1);
    }

    private LeaseReply update(LeaseStatement.Update update, long now) {
        LeaseRow row = this.rows.get(update.worker());
        boolean acquire = update.acquisitionStep() == 1;
        boolean compareToken = switch (this.removed) {
            case NO_TOKEN_AND_NO_HWM_COMPARE -> false;
            case NO_COMPARE_ON_ACQUIRE -> !acquire;
            case RENEW_BY_ID_WITHOUT_TOKEN -> acquire;
            default -> true;
        };
        boolean compareHwm = switch (this.removed) {
            case NO_TOKEN_AND_NO_HWM_COMPARE, NO_PERSISTED_HWM_TICK, ONLY_THE_DEADLINE, LO_FROM_LOCAL_CLOCK -> false;
            case NO_COMPARE_ON_ACQUIRE -> !acquire;
            case RENEWAL_WITHOUT_ROW_HWM_TICK, RENEW_BY_ID_WITHOUT_TOKEN -> acquire;
            default -> true;
        };
        if (row == null || (compareToken && !row.token().equals(update.seenToken()))
                || (compareHwm && row.hwmTick() > update.hwmAtMost())) {
            return new LeaseReply.Written(0);
        }
        LeaseStatement.Guard guard = update.guard();
        if (guard != null && (millis(now) > guard.latestMillis()
                || (guard.whileLeased() && row.leaseUntilMillis() < millis(now)))) {
            return new LeaseReply.Written(0);
        }
        long until = update.leaseUntilMillis();
        boolean tolerantRenewal = guard != null && guard.whileLeased();
        if (this.removed == RemovedGuard.RENEWAL_LOWERS_LEASE_UNTIL && tolerantRenewal) {
            until = millis(now) + SHORTEST_WINDOW_MILLIS;
        }
        if ((until != 0 && row.worker() != LeaseRow.LAYOUT && update.hwmTick() < row.hwmTick())
                || (tolerantRenewal && until < row.leaseUntilMillis())) {
            this.lowered++;
        }
        if (until == 0 && row.leaseUntilMillis() != 0 && update.acquisitionStep() == 0
                && row.worker() != LeaseRow.LAYOUT && update.hwmTick() > row.hwmTick()) {
            this.raised++;
        }
        write(new LeaseRow(row.worker(), update.token(), row.acquisitions() + update.acquisitionStep(), until,
                update.hwmTick(), update.owner(),
                (row.worker() == LeaseRow.LAYOUT && update.layout() == null) ? row.layout() : update.layout()), now);
        return new LeaseReply.Written(1);
    }

    private void write(LeaseRow row, long now) {
        remember(now);
        this.rows.put(row.worker(), row);
    }

    private void remember(long now) {
        this.pasts.addLast(new Past(now, new TreeMap<>(this.rows)));
        while (this.pasts.getFirst().nanos() < now - KEPT_NANOS) {
            this.pasts.removeFirst();
        }
    }

    /** Somebody deletes rows by hand. */
    void remove(long now, Predicate<LeaseRow> which) {
        remember(now);
        this.rows.values().removeIf(which);
    }

    /** Somebody lowers the mark of a row by hand. */
    void lowerMark(long now, int worker, long ticks) {
        remember(now);
        this.rows.computeIfPresent(worker, (key, row) -> new LeaseRow(worker, row.token(), row.acquisitions(),
                row.leaseUntilMillis(), Math.max(0, row.hwmTick() - ticks), row.owner(), row.layout()));
    }

    /** The rows as they were: the past that a write at or after that moment ended. */
    private TreeMap<Integer, LeaseRow> at(long nanos) {
        for (Past past : this.pasts) {
            if (past.nanos() > nanos) {
                return past.rows();
            }
        }
        return this.rows;
    }

    /** From here on the synchronous standby hears nothing. */
    void cutStandby() {
        this.standby = new TreeMap<>(this.rows);
    }

    /** The standby has heard of all writes. */
    void standbyReturns() {
        this.standby = null;
    }

    /** Whether a write that is applied is confirmed, too. */
    boolean confirms() {
        return this.standby == null;
    }

    /** The standby takes over as it was when it was cut off. */
    void promoteStandby() {
        TreeMap<Integer, LeaseRow> promoted = this.standby;
        if (promoted != null) {
            this.rows = promoted;
            this.pasts.clear();
            this.standby = null;
        }
    }

    /** A replica that had not heard of the latest writes takes over. */
    void loseCommitsSince(long nanos) {
        this.rows = new TreeMap<>(at(nanos));
        this.pasts.clear();
    }

}
