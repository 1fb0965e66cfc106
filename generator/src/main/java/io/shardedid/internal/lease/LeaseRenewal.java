package io.shardedid.internal.lease;

import io.shardedid.LeaseSettings;
import org.jspecify.annotations.Nullable;

/** What a renewal writes, and when it must not. Used by one thread at a time. */
final class LeaseRenewal {

    private final LeaseSettings leaseSettings;

    private final LeaseTiming timing;

    private final TokenBook tokens;

    LeaseRenewal(LeaseSettings leaseSettings, LeaseTiming timing, TokenBook tokens) {
        this.leaseSettings = leaseSettings;
        this.timing = timing;
        this.tokens = tokens;
    }

    /** Why the row is no longer ours, or null if it is. */
    @Nullable String loss(RequestedLease lease, LeaseReply.Rows rows) {
        LeaseRow row = rows.row(lease.worker()).orElse(null);
        LeaseRow layout = rows.row(LeaseRow.LAYOUT).orElse(null);
        if (layout != null && !layout.token().equals(lease.layoutToken())) {
            return "the lease table is being changed";
        }
        if (row == null) {
            return "its row is gone; was the store of the leases emptied?";
        }
        if (!this.tokens.mine(row.token())) {
            return "its row belongs to " + row.shownOwner();
        }
        if (this.leaseSettings.tolerateLostCommits() && row.leaseUntilMillis() < rows.databaseMillis()) {
            return "its lease expired on the database";
        }
        return null;
    }

    /**
     * Returns the first tick that another process may have been given since our lease was
     * confirmed last, although it lies below the end of it.
     *
     * <p>
     * Nobody may take the row before our lease has run out on the database's clock, and
     * the process that takes it then begins at or above our end. So a row of another
     * owner shows a legitimate take-over if its mark is not below our end, if it was
     * acquired more often than ours, and if our lease had run out. Where the clock of the
     * database was set back since, the mark shows it: a lease that begins at our end
     * shows a whole window more. On a database that may lose commits, every acquire
     * begins above the reach of all others, whatever the rows show.
     * @param lease our lease, as it was confirmed last
     * @param row its row as it is now
     * @param databaseMillis the clock of the database as of now
     * @return the tick, or {@link Long#MAX_VALUE} if there is none
     */
    long sharedFrom(RequestedLease lease, @Nullable LeaseRow row, long databaseMillis) {
        long since = Math.min(databaseMillis, lease.untilMillis() - this.timing.windowMillis());
        if (this.leaseSettings.tolerateLostCommits()) {
            return below(lease, this.timing.tick(since + LeaseRules.REACH_MILLIS + LeaseRules.LATEST_MILLIS
                    + LeaseRules.of(this.leaseSettings).behindMillis()));
        }
        boolean safe;
        if (row == null) {
            safe = this.timing.tick(databaseMillis) >= lease.hi();
        }
        else if (this.tokens.mine(row.token())) {
            safe = true;
        }
        else {
            boolean ranOut = databaseMillis > lease.untilMillis()
                    || (row.leaseUntilMillis() != 0 && row.hwmTick() >= lease.hi() + this.timing.windowTicks());
            safe = row.hwmTick() >= lease.hi() && row.acquisitions() > lease.acquisitions() && ranOut;
        }
        return safe ? Long.MAX_VALUE : below(lease, this.timing.tick(since));
    }

    private static long below(RequestedLease lease, long tick) {
        return (tick < lease.hi()) ? Math.max(lease.lo(), tick) : Long.MAX_VALUE;
    }

    /**
     * The longer lease: no bound is ever lowered, neither ours nor one that the row
     * shows. On a database that may lose commits {@code lease_until} is not lowered
     * either: the next process that takes the row relies on this: no older version of the
     * row, which a failover may bring back, was leased for longer.
     */
    RequestedLease attempt(RequestedLease lease, LeaseRow row, long estimateMillis, long sentNanos) {
        boolean tolerant = this.leaseSettings.tolerateLostCommits();
        long window = this.timing.windowMillis();
        long end = this.timing.tick(estimateMillis + (tolerant ? LeaseRules.REACH_MILLIS : window));
        long hi = Math.max(Math.max(lease.hi(), row.hwmTick()), end);
        long until = tolerant ? Math.max(row.leaseUntilMillis(), estimateMillis + window) : estimateMillis + window;
        return new RequestedLease(lease.worker(), this.tokens.fresh(), row.acquisitions(), lease.lo(), hi, until,
                sentNanos, lease.layoutToken());
    }

    LeaseStatement statement(RequestedLease attempt, LeaseRow row, long databaseMillis) {
        return new LeaseStatement.Update(attempt.worker(), row.token(), attempt.hi(), attempt.token(), 0,
                attempt.untilMillis(), attempt.hi(), this.leaseSettings.owner(), window(), guard(databaseMillis, true));
    }

    /** What we write into our row for those who come after us. */
    String window() {
        return LeaseRow.window(this.timing.windowMillis());
    }

    LeaseStatement.@Nullable Guard guard(long databaseMillis, boolean whileLeased) {
        return this.leaseSettings.tolerateLostCommits()
                ? new LeaseStatement.Guard(databaseMillis + LeaseRules.LATEST_MILLIS, whileLeased) : null;
    }

    /**
     * Whether the interval is still empty, as it is at first on a database that may lose
     * commits.
     */
    boolean pending(RequestedLease lease) {
        return lease.hi() <= lease.lo();
    }

}
