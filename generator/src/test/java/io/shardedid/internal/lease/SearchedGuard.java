package io.shardedid.internal.lease;

import io.shardedid.TickLease;

/**
 * A rule of the protocol, taken out of what a process sees, sends and hands on. With some
 * of them the search finds duplicate ids. The others are second guards: it ends without
 * one.
 */
enum SearchedGuard {

    /** The protocol as it is. */
    NONE,

    /** An acquire begins at the time of the database, whatever the row's mark is. */
    ACQUIRE_WITHOUT_MARK,

    /** An acquire compares no token. */
    ACQUIRE_WITHOUT_TOKEN,

    /** An acquire compares neither token nor mark. */
    ACQUIRE_COMPARES_NOTHING,

    /** A renewal compares no token. */
    RENEWAL_WITHOUT_TOKEN,

    /** No write compares the mark. */
    MARK_NOT_COMPARED,

    /** A renewal does not look at the mark of its row. */
    RENEWAL_WITHOUT_ROW_MARK,

    /** The longer interval is used when it was asked for. */
    GRANTED_WHEN_ASKED,

    /** A write without an answer counts as done. */
    UNKNOWN_TAKEN_AS_DONE,

    /** A lease that a read shows counts as held. */
    GRANTED_WHEN_READ,

    /** A row is taken before its lease has run out. */
    TAKEN_WHILE_LEASED,

    /** A release writes that nothing was claimed. */
    RELEASE_TO_LO,

    /** A release leaves calls that may still claim. */
    RELEASE_WITHOUT_POISON,

    /** A new lease begins with fresh cells. */
    FRESH_CELLS,

    /** An id may carry the first tick after its lease. */
    ONE_TICK_MORE,

    /** An id may carry the tick before its lease. */
    ONE_TICK_BEFORE,

    /** A process that comes goes on with the lease of the one before. */
    LEASE_FROM_FILE,

    /** Rule 1: a lease ends later than the reach allows. */
    BEYOND_REACH,

    /** Rule 2: a lease begins without the reach of others. */
    START_WITHOUT_REACH,

    /** Rule 2: a lease begins as if its write came at once. */
    START_WITHOUT_DELAY,

    /** Rule 2: a lease begins as if no clock were behind. */
    START_WITHOUT_BEHIND,

    /** Rule 2: the first interval is not empty. */
    START_WITH_TICKS,

    /** Rule 3: a renewal happens also when the lease has run out. */
    RENEWAL_AFTER_END,

    /** Rule 3: a renewal lowers lease_until. */
    RENEWAL_LOWERS_LEASE_UNTIL,

    /** Rule 4: a row is taken as soon as its lease has run out. */
    TAKEN_AT_ONCE,

    /** Rule 5: a write is applied however late it comes. */
    LATE_WRITES,

    /** The command that changes the mode waits for nothing. */
    CHANGE_WITHOUT_WAIT;

    /** How many ticks a lease gets at once. */
    private static final long MORE_TICKS = LeaseRules.REACH_MILLIS / SearchedFleet.TICK.toMillis();

    /** How many milliseconds too early a lease begins. */
    private long early(SearchBounds bounds) {
        return switch (this) {
            case START_WITHOUT_REACH -> LeaseRules.REACH_MILLIS;
            case START_WITHOUT_DELAY -> LeaseRules.LATEST_MILLIS;
            case START_WITHOUT_BEHIND -> bounds.behind().toMillis();
            default -> 0;
        };
    }

    /** The rows as a process sees them. */
    LeaseReply.Rows seen(LeaseReply.Rows rows, boolean renews, SearchedFleet fleet) {
        long early = renews ? 0 : early(fleet.bounds());
        return new LeaseReply.Rows(rows.databaseMillis() - early,
                rows.rows().stream().map((row) -> seen(row, rows.databaseMillis(), early, renews, fleet)).toList());
    }

    private LeaseRow seen(LeaseRow row, long millis, long early, boolean renews, SearchedFleet fleet) {
        if (row.worker() == LeaseRow.LAYOUT) {
            return row;
        }
        long until = row.leaseUntilMillis() - early;
        long mark = row.hwmTick();
        switch (this) {
            case ACQUIRE_WITHOUT_MARK -> mark = renews ? mark : 0;
            case RENEWAL_WITHOUT_ROW_MARK -> mark = renews ? 0 : mark;
            case TAKEN_WHILE_LEASED -> until = renews ? until : 0;
            case TAKEN_AT_ONCE -> until = renews ? until : until - fleet.bounds().behind().toMillis();
            case RENEWAL_AFTER_END -> until = renews ? Math.max(until, millis) : until;
            case BEYOND_REACH ->
                mark = renews ? Math.max(mark, fleet.tickAt(millis + 2 * LeaseRules.REACH_MILLIS)) : mark;
            default -> {
            }
        }
        return new LeaseRow(row.worker(), row.token(), row.acquisitions(), until, mark, row.owner(), row.layout());
    }

    /** A write as a process sends it. */
    LeaseStatement sent(LeaseStatement statement, SearchedFleet fleet) {
        long early = early(fleet.bounds());
        if (statement instanceof LeaseStatement.Insert insert) {
            LeaseRow row = insert.row();
            Long latest = insert.latestMillis();
            return new LeaseStatement.Insert(
                    new LeaseRow(row.worker(), row.token(), row.acquisitions(), row.leaseUntilMillis() + early,
                            row.hwmTick() + ((this == START_WITH_TICKS) ? MORE_TICKS : 0), row.owner(), row.layout()),
                    (latest == null) ? null
                            : (this == LATE_WRITES) ? Long.valueOf(Long.MAX_VALUE) : Long.valueOf(latest + early));
        }
        if (!(statement instanceof LeaseStatement.Update update)) {
            return statement;
        }
        boolean release = update.leaseUntilMillis() == 0;
        boolean acquire = update.acquisitionStep() == 1;
        long most = (this == MARK_NOT_COMPARED
                || (acquire && (this == ACQUIRE_WITHOUT_MARK || this == ACQUIRE_COMPARES_NOTHING))
                || (!acquire && this == RENEWAL_WITHOUT_ROW_MARK)) ? Long.MAX_VALUE : update.hwmAtMost();
        long until = release ? 0 : update.leaseUntilMillis() + (acquire ? early : 0);
        LeaseStatement.Guard guard = update.guard();
        if (guard != null) {
            until = (this == RENEWAL_LOWERS_LEASE_UNTIL && !acquire)
                    ? guard.latestMillis() - LeaseRules.LATEST_MILLIS + fleet.bounds().window().toMillis() : until;
            guard = new LeaseStatement.Guard(
                    (this == LATE_WRITES) ? Long.MAX_VALUE : guard.latestMillis() + (acquire ? early : 0),
                    guard.whileLeased() && this != RENEWAL_AFTER_END);
        }
        long mark = update.hwmTick() + ((acquire && this == START_WITH_TICKS) ? MORE_TICKS : 0);
        return new LeaseStatement.Update(update.worker(), update.seenToken(), most, update.token(),
                update.acquisitionStep(), until, mark, update.owner(), update.layout(), guard);
    }

    /** A write as the store carries it out. */
    LeaseStatement carriedOut(LeaseStatement statement, SimDatabase database) {
        if (!(statement instanceof LeaseStatement.Update update) || comparesTokens(update.acquisitionStep() == 1)) {
            return statement;
        }
        String token = database.rows()
            .stream()
            .filter((row) -> row.worker() == update.worker())
            .map(LeaseRow::token)
            .findFirst()
            .orElse(update.seenToken());
        return new LeaseStatement.Update(update.worker(), token, update.hwmAtMost(), update.token(),
                update.acquisitionStep(), update.leaseUntilMillis(), update.hwmTick(), update.owner(), update.layout(),
                update.guard());
    }

    /** A lease as a process uses it. */
    TickLease held(TickLease lease) {
        long lo = lease.lo() - ((this == ONE_TICK_BEFORE) ? 1 : 0);
        long hi = switch (this) {
            case ONE_TICK_MORE -> lease.hi() + 1;
            case START_WITH_TICKS -> Math.max(lease.hi(), lease.lo() + MORE_TICKS);
            default -> lease.hi();
        };
        return new TickLease(lease.worker(), lo, hi, lease.deadlineNanos(), lease.clock());
    }

    /** Whether each write finds its row by the token. */
    boolean comparesTokens() {
        return comparesTokens(true) && comparesTokens(false);
    }

    private boolean comparesTokens(boolean acquire) {
        return switch (this) {
            case ACQUIRE_WITHOUT_TOKEN, ACQUIRE_COMPARES_NOTHING -> !acquire;
            case RENEWAL_WITHOUT_TOKEN -> acquire;
            default -> true;
        };
    }

}
