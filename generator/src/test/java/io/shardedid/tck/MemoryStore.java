package io.shardedid.tck;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.shardedid.TimeSource;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.Durability;

/** The smallest store there is, and the ways to get it wrong. */
final class MemoryStore implements LeaseStore {

    private final Map<Integer, LeaseRow> rows;

    private final Durability durability;

    private final Flaw flaw;

    /** What a stale connection shows. */
    private Map<Integer, LeaseRow> stale = Map.of();

    MemoryStore(Map<Integer, LeaseRow> rows, Durability durability, Flaw flaw) {
        this.rows = rows;
        this.durability = durability;
        this.flaw = flaw;
    }

    enum Flaw {

        NONE, STALE_AFTER_RECONNECTING, GUARDS_IGNORED, TOKEN_IGNORED, MARK_IGNORED, LATEST_IGNORED

    }

    @Override
    public void ensure() {
    }

    @Override
    public boolean isTransient(WorkerLeaseException failure) {
        return false;
    }

    @Override
    public Durability durability() {
        return this.durability;
    }

    @Override
    public LeaseReply execute(LeaseStatement statement) {
        synchronized (this.rows) {
            long now = TimeSource.system().epochNanos() / 1_000_000;
            if (statement instanceof LeaseStatement.ReadOne read) {
                return new LeaseReply.Rows(now,
                        seen().values()
                            .stream()
                            .filter((row) -> row.worker() == read.worker() || row.worker() == LeaseRow.LAYOUT)
                            .toList());
            }
            if (statement instanceof LeaseStatement.Insert insert) {
                return insert(insert, now);
            }
            if (statement instanceof LeaseStatement.Update update) {
                return update(update, now);
            }
            return new LeaseReply.Rows(now, List.copyOf(seen().values()));
        }
    }

    private Map<Integer, LeaseRow> seen() {
        return (this.flaw == Flaw.STALE_AFTER_RECONNECTING && !this.stale.isEmpty()) ? this.stale : this.rows;
    }

    private boolean refusesGuards() {
        return this.durability == Durability.KEPT && this.flaw != Flaw.GUARDS_IGNORED;
    }

    private LeaseReply insert(LeaseStatement.Insert insert, long now) {
        if (insert.latestMillis() != null && refusesGuards()) {
            return new LeaseReply.Unknown(new UnsupportedOperationException("guard"));
        }
        if (insert.latestMillis() != null && now > insert.latestMillis() && this.durability != Durability.KEPT) {
            return new LeaseReply.Written(0);
        }
        return (this.rows.putIfAbsent(insert.row().worker(), insert.row()) == null) ? new LeaseReply.Written(1)
                : new LeaseReply.DuplicateKey();
    }

    private LeaseReply update(LeaseStatement.Update update, long now) {
        LeaseStatement.Guard guard = update.guard();
        if (guard != null && refusesGuards()) {
            return new LeaseReply.Unknown(new UnsupportedOperationException("guard"));
        }
        LeaseRow row = this.rows.get(update.worker());
        boolean applies = row != null && (this.flaw == Flaw.TOKEN_IGNORED || row.token().equals(update.seenToken()))
                && (this.flaw == Flaw.MARK_IGNORED || row.hwmTick() <= update.hwmAtMost())
                && (guard == null || (this.flaw == Flaw.LATEST_IGNORED || now <= guard.latestMillis())
                        && (!guard.whileLeased() || row.leaseUntilMillis() >= now));
        if (applies) {
            this.rows.put(row.worker(),
                    new LeaseRow(row.worker(), update.token(), row.acquisitions() + update.acquisitionStep(),
                            update.leaseUntilMillis(), update.hwmTick(), update.owner(), update.layout()));
        }
        return new LeaseReply.Written(applies ? 1 : 0);
    }

    @Override
    public void disconnect() {
        synchronized (this.rows) {
            this.stale = this.stale.isEmpty() ? new TreeMap<>(this.rows) : this.stale;
        }
    }

    @Override
    public void close() {
    }

}
