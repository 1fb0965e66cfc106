package io.shardedid.internal.lease;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The lease table of simulation and search: linearizable rows, a clock that can be
 * stepped, a standby that can be cut off, and a past that stale reads and failovers come
 * from.
 */
final class SimDatabase {

    private static final long KEPT_NANOS = 55_000_000_000L;

    private final long keptNanos;

    private final int keptWrites;

    private State state = new State(0, 0, new TreeMap<>());

    /** What there was before each of the latest writes, the oldest first. */
    private final Deque<State> pasts = new ArrayDeque<>();

    /** What the standby has while it is cut off. */
    private @Nullable State standby;

    /** How many writes it lacks. */
    private int lacking;

    /** A write that lowered what a renewal must never lower. */
    private int lowered;

    /** A release that gave back what was never leased. */
    private int raised;

    /** A database that knows what it was in the last 55 seconds. */
    SimDatabase() {
        this(KEPT_NANOS, Integer.MAX_VALUE);
    }

    private SimDatabase(long keptNanos, int keptWrites) {
        this.keptNanos = keptNanos;
        this.keptWrites = keptWrites;
    }

    /** A database that knows what it was before each of so many writes. */
    static SimDatabase thatForgets(int writes) {
        return new SimDatabase(Long.MAX_VALUE, writes);
    }

    /**
     * What one server has.
     *
     * @param nanos when a write ended it
     * @param aheadMillis how far the clock is ahead of the true time
     * @param rows the rows, which do not change any more
     */
    record State(long nanos, long aheadMillis, SortedMap<Integer, LeaseRow> rows) {
    }

    /** A database that somebody made from it. */
    SimDatabase copy() {
        SimDatabase copy = new SimDatabase(this.keptNanos, this.keptWrites);
        copy.state = this.state;
        return copy;
    }

    long millis(long nowNanos) {
        return (SimWorld.BASE_EPOCH_NANOS + nowNanos) / 1_000_000 + this.state.aheadMillis();
    }

    void stepClock(long offsetMillis) {
        this.state = new State(0, offsetMillis, this.state.rows());
    }

    /** How far its clock is ahead of the true time. */
    long aheadMillis() {
        return this.state.aheadMillis();
    }

    int lowered() {
        return this.lowered;
    }

    int raised() {
        return this.raised;
    }

    List<LeaseRow> rows() {
        return List.copyOf(this.state.rows().values());
    }

    /** The row, or null. */
    @Nullable LeaseRow row(int worker) {
        return this.state.rows().get(worker);
    }

    /** What there is, and what a failover may leave of it. */
    List<State> states() {
        List<State> states = new ArrayList<>(List.of(this.state));
        if (this.standby != null) {
            states.add(this.standby);
        }
        this.pasts.descendingIterator().forEachRemaining(states::add);
        return states;
    }

    /** A namespace that has begun, with the first tick of its ids. */
    void begin(long now, String token, long tick, LayoutText layout) {
        LeaseRow row = new LeaseRow(LeaseRow.LAYOUT, token, 0, 0, tick, null, layout.toString());
        write(now, (rows) -> rows.put(LeaseRow.LAYOUT, row));
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
        if (row(insert.row().worker()) != null) {
            return new LeaseReply.DuplicateKey();
        }
        if (insert.latestMillis() != null && millis(now) > insert.latestMillis()) {
            return new LeaseReply.Written(0);
        }
        write(now, (rows) -> rows.put(insert.row().worker(), insert.row()));
        return new LeaseReply.Written(1);
    }

    private LeaseReply update(LeaseStatement.Update update, long now) {
        LeaseRow row = row(update.worker());
        if (row == null || !row.token().equals(update.seenToken()) || row.hwmTick() > update.hwmAtMost()) {
            return new LeaseReply.Written(0);
        }
        LeaseStatement.Guard guard = update.guard();
        if (guard != null && (millis(now) > guard.latestMillis()
                || (guard.whileLeased() && row.leaseUntilMillis() < millis(now)))) {
            return new LeaseReply.Written(0);
        }
        long until = update.leaseUntilMillis();
        boolean tolerantRenewal = guard != null && guard.whileLeased();
        if ((until != 0 && row.worker() != LeaseRow.LAYOUT && update.hwmTick() < row.hwmTick())
                || (tolerantRenewal && until < row.leaseUntilMillis())) {
            this.lowered++;
        }
        if (until == 0 && row.leaseUntilMillis() != 0 && update.acquisitionStep() == 0
                && row.worker() != LeaseRow.LAYOUT && update.hwmTick() > row.hwmTick()) {
            this.raised++;
        }
        LeaseRow written = new LeaseRow(row.worker(), update.token(), row.acquisitions() + update.acquisitionStep(),
                until, update.hwmTick(), update.owner(),
                (row.worker() == LeaseRow.LAYOUT && update.layout() == null) ? row.layout() : update.layout());
        write(now, (rows) -> rows.put(row.worker(), written));
        return new LeaseReply.Written(1);
    }

    private void write(long now, Consumer<SortedMap<Integer, LeaseRow>> change) {
        this.pasts.addLast(new State(now, this.state.aheadMillis(), this.state.rows()));
        while (!this.pasts.isEmpty()
                && (this.pasts.size() > this.keptWrites || this.pasts.getFirst().nanos() < now - this.keptNanos)) {
            this.pasts.removeFirst();
        }
        SortedMap<Integer, LeaseRow> rows = new TreeMap<>(this.state.rows());
        change.accept(rows);
        this.state = new State(0, this.state.aheadMillis(), rows);
        this.lacking++;
    }

    /** Somebody deletes rows by hand. */
    void remove(long now, Predicate<LeaseRow> which) {
        write(now, (rows) -> rows.values().removeIf(which));
    }

    /** Somebody lowers the mark of a row by hand. */
    void lowerMark(long now, int worker, long ticks) {
        write(now,
                (rows) -> rows.computeIfPresent(worker,
                        (key, row) -> new LeaseRow(worker, row.token(), row.acquisitions(), row.leaseUntilMillis(),
                                Math.max(0, row.hwmTick() - ticks), row.owner(), row.layout())));
    }

    /** The rows as they were: the past that a write at or after that moment ended. */
    private SortedMap<Integer, LeaseRow> at(long nanos) {
        for (State past : this.pasts) {
            if (past.nanos() > nanos) {
                return past.rows();
            }
        }
        return this.state.rows();
    }

    /** From here on the synchronous standby hears nothing. */
    void cutStandby() {
        this.standby = this.state;
        this.lacking = 0;
    }

    /** The standby has heard of all writes. */
    void standbyReturns() {
        this.standby = null;
    }

    /** Whether a write that is applied is confirmed, too. */
    boolean confirms() {
        return this.standby == null;
    }

    /** How many writes the standby lacks. */
    int lacking() {
        return confirms() ? 0 : this.lacking;
    }

    /** The standby takes over as it was when it was cut off. */
    void promoteStandby() {
        State promoted = this.standby;
        if (promoted != null) {
            become(promoted);
        }
    }

    /** A replica that had not heard of the latest writes takes over. */
    void loseCommitsSince(long nanos) {
        become(new State(0, this.state.aheadMillis(), at(nanos)));
    }

    /** A replica takes over that had not heard of so many writes. */
    void loseWrites(int count) {
        for (int i = 1; i < count; i++) {
            this.pasts.removeLast();
        }
        become(this.pasts.removeLast());
    }

    private void become(State promoted) {
        this.state = promoted;
        this.standby = null;
        forgetPasts();
    }

    /** How many states a failover may bring back. */
    int pasts() {
        return this.pasts.size();
    }

    /** No failover brings anything back any more. */
    void forgetPasts() {
        this.pasts.clear();
    }

}
