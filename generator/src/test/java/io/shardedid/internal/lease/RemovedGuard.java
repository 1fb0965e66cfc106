package io.shardedid.internal.lease;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.shardedid.EngineProbe;
import io.shardedid.IdLayout;
import io.shardedid.LeaseClock;
import io.shardedid.LeaseSettings;
import io.shardedid.LeaseSource;
import io.shardedid.TickLease;
import io.shardedid.internal.lease.ExhaustiveSearch.Scene;
import io.shardedid.internal.lease.FleetSimulation.Trouble;
import io.shardedid.internal.lease.FleetSimulation.Wrong;
import org.jspecify.annotations.Nullable;

/**
 * A guard of the protocol, taken out of what a process sees, sends and hands on. Without
 * it the simulation finds what it is there for in the trouble that is named, and the
 * search finds duplicate ids in the scene that is named. Where neither is, another guard
 * holds.
 */
enum RemovedGuard {

    /** The protocol as it is. */
    NONE(null, null),

    /** Ids go by the clock of the machine, not by that of the database. */
    CLOCK_OF_THE_MACHINE(Trouble.CLOCKS, null, Wrong.EARLY),

    /** An acquire begins at the time of the database, whatever the row's mark is. */
    ACQUIRE_WITHOUT_MARK(Trouble.CLOCKS, Scene.PLAIN_STANDBY),

    /** An acquire compares no token. */
    ACQUIRE_WITHOUT_TOKEN(null, null),

    /** An acquire writes whatever the row shows, also where it is new. */
    ACQUIRE_COMPARES_NOTHING(Trouble.CLOCKS, Scene.PLAIN_STANDBY),

    /** A renewal compares no token. */
    RENEWAL_WITHOUT_TOKEN(Trouble.CLOCKS, Scene.PLAIN_STANDBY),

    /** No write compares the mark. */
    MARK_NOT_COMPARED(null, null),

    /** Updates compare neither the token nor the mark. */
    NOTHING_COMPARED(Trouble.CLOCKS, null),

    /** A renewal does not look at the mark of its row. */
    RENEWAL_WITHOUT_ROW_MARK(Trouble.CLOCKS, null, Wrong.LOWERED),

    /** Ids may carry ticks beyond the end of the lease. */
    NO_TICK_BELOW_HI(Trouble.CLOCKS, null),

    /** Nothing but the deadline stops a process, and rows have no marks. */
    ONLY_THE_DEADLINE(Trouble.CLOCKS, null),

    /** An id may carry the first tick after its lease. */
    ONE_TICK_MORE(Trouble.CLOCKS, Scene.PLAIN_STANDBY),

    /** An id may carry the tick before its lease. */
    ONE_TICK_BEFORE(null, Scene.PLAIN_STANDBY),

    /** The clock of a lease may lie before its interval. */
    ANCHOR_BELOW_LO(Trouble.CLOCKS, null),

    /** A lease begins at the time of the process. */
    LO_FROM_LOCAL_CLOCK(Trouble.CLOCKS, null),

    /** The longer interval is used when it was asked for. */
    GRANTED_WHEN_ASKED(Trouble.CLOCKS, Scene.PLAIN_STANDBY),

    /** A write without an answer counts as done. */
    UNKNOWN_TAKEN_AS_DONE(Trouble.CLOCKS, Scene.PLAIN_STANDBY),

    /** A write that the server applied counts as done although it was not confirmed. */
    UNCONFIRMED_TAKEN_AS_DONE(Trouble.STANDBY_CUT, Scene.PLAIN_STANDBY),

    /** A lease that a read shows counts as held. */
    GRANTED_WHEN_READ(Trouble.STANDBY_CUT, Scene.PLAIN_STANDBY),

    /** A row is taken before its lease has run out. */
    TAKEN_WHILE_LEASED(null, null),

    /** A process that comes goes on with the lease of the one before. */
    LEASE_FROM_FILE(Trouble.CLOCKS, Scene.PLAIN_STANDBY),

    /** The deadline is checked, then the clock is read for the id. */
    CHECK_FIRST_READ_CLOCK_AFTER(Trouble.CLOCKS, null),

    /** A release gives back what a call under way may still claim. */
    RELEASE_WITHOUT_POISON(Trouble.CLOCKS, Scene.PLAIN_STANDBY),

    /** A release writes that nothing was claimed. */
    RELEASE_TO_LO(Trouble.CLOCKS, Scene.PLAIN_STANDBY),

    /** A release tells the highest tick of the numbers, and forgets the UUIDs. */
    RELEASE_FORGETS_UUIDS(Trouble.CLOCKS, null),

    /** A release tells the highest tick of all leases of the process. */
    RELEASE_ABOVE_ITS_LEASE(Trouble.CLOCKS, null, Wrong.RAISED),

    /**
     * A release poisons the cells, then makes new ones; when the heap is full it is tried
     * again with the lease still in mind.
     */
    RELEASE_POISONS_BEFORE_ALLOCATION(Trouble.FULL_HEAP, null),

    /**
     * A change of worker poisons the cells, then makes new ones. What was claimed is
     * forgotten, and smaller ids, which differ by the worker, come after larger ones.
     */
    WORKER_CHANGE_POISONS_BEFORE_ALLOCATION(Trouble.FULL_HEAP, null, Wrong.DISORDERED),

    /** A new lease begins with fresh cells. */
    FRESH_CELLS(Trouble.CLOCKS, Scene.PLAIN_STANDBY),

    /** The layout row counts as one more worker. */
    LAYOUT_ROW_TAKEN_AS_WORKER(Trouble.CLOCKS, null),

    /** The engine goes on with a lease that was lost, until there is another one. */
    LEASE_KEPT_AFTER_LOSS(Trouble.ROWS_CHANGED, null, Wrong.AFTER_LOSS),

    /** A call that has read the lease before its loss may still claim in it. */
    LOSS_WITHOUT_POISON(Trouble.ROWS_CHANGED, null, Wrong.AFTER_LOSS),

    /** A process does not look whether the application reads its first lease. */
    ANOTHER_TABLE_BELIEVED(Trouble.ANOTHER_TABLE, null),

    /** The keeper runs tasks before it renews. */
    OTHERS_BEFORE_LEASE(Trouble.BUSY_KEEPERS, null, Wrong.LAPSED),

    /** A suspension that ends before the keeper comes to it gives nothing back. */
    SUSPENSION_FORGOTTEN(Trouble.BUSY_KEEPERS, null, Wrong.WITHOUT_LEASE),

    /** A renewal that was under way at a suspension hands its lease on. */
    LATE_REPLY_AFTER_SUSPENSION(Trouble.BUSY_KEEPERS, null, Wrong.HELD_BY_A_COPY),

    /** Rule 1: a lease ends later than the reach allows. */
    BEYOND_REACH(Trouble.CLOCK_BEHIND, Scene.TOLERANT),

    /** Rule 1: ticks are held as far ahead as the window of the process is long. */
    REACH_OF_OWN_WINDOW(Trouble.WINDOWS, null),

    /** Rule 2: a lease begins without the reach of others. */
    START_WITHOUT_REACH(Trouble.CLOCK_BEHIND, Scene.TOLERANT),

    /** Rule 2: a lease begins as if its write came at once. */
    START_WITHOUT_DELAY(null, Scene.TOLERANT_SECONDS),

    /** Rule 2: a lease begins as if no clock were behind. */
    START_WITHOUT_BEHIND(Trouble.CLOCK_BEHIND, Scene.TOLERANT),

    /** Rule 2: the first interval is not empty. */
    START_WITH_TICKS(Trouble.CLOCK_BEHIND, Scene.TOLERANT),

    /** Rule 3: a renewal happens also when the lease has run out. */
    RENEWAL_AFTER_END(null, Scene.TOLERANT),

    /** Rule 3: a renewal on a clock that is behind shortens the lease. */
    RENEWAL_LOWERS_LEASE_UNTIL(Trouble.CLOCK_BEHIND, null, Wrong.LOWERED),

    /** Rule 4: a row is taken as soon as its lease has run out. */
    TAKEN_AT_ONCE(null, null),

    /** Rule 5: a write is applied however late it comes. */
    LATE_WRITES(null, Scene.TOLERANT_SECONDS),

    /** Nobody waits until what a failover may have forgotten is over. */
    CHANGE_WITHOUT_MARGIN(Trouble.CHANGES, null),

    /** Nobody waits for live leases either. */
    CHANGE_WITHOUT_WAIT(Trouble.CHANGES, Scene.TOLERANT),

    /** And the rows of the workers stay as they are. */
    CHANGE_WITHOUT_WAIT_AND_ROWS(Trouble.CHANGES, null),

    /** The table says from the beginning what it is to say in the end. */
    CHANGE_OPENS_FIRST(Trouble.CHANGES, null, Wrong.RENEWED_IN_CLOSED_TABLE),

    /** A renewal does not look at the layout row. */
    LAYOUT_TOKEN_NOT_COMPARED(Trouble.CHANGES, null, Wrong.RENEWED_IN_CLOSED_TABLE);

    private static final LeaseReply DONE = new LeaseReply.Written(1);

    private final @Nullable Trouble trouble;

    private final @Nullable Scene scene;

    private final Wrong wrong;

    RemovedGuard(@Nullable Trouble trouble, @Nullable Scene scene) {
        this(trouble, scene, Wrong.DUPLICATE);
    }

    RemovedGuard(@Nullable Trouble trouble, @Nullable Scene scene, Wrong wrong) {
        this.trouble = trouble;
        this.scene = scene;
        this.wrong = wrong;
    }

    /** The trouble in which the simulation misses it, or null. */
    @Nullable Trouble trouble() {
        return this.trouble;
    }

    /** The scene in which the search misses it, or null. */
    @Nullable Scene scene() {
        return this.scene;
    }

    /**
     * What the simulation finds. Not every guard is against duplicate ids alone: nobody
     * but the owner could have used what lies below a bound that a renewal lowers.
     */
    Wrong wrong() {
        return this.wrong;
    }

    /** How many milliseconds too early a lease begins. */
    private long early(LeaseSettings settings) {
        return switch (this) {
            case START_WITHOUT_REACH -> LeaseRules.REACH_MILLIS;
            case START_WITHOUT_DELAY -> LeaseRules.LATEST_MILLIS;
            case START_WITHOUT_BEHIND -> settings.promotedClockBehind().toMillis();
            default -> 0;
        };
    }

    /** How many ticks a lease gets at once. */
    private static long moreTicks(IdLayout layout) {
        return LeaseRules.REACH_MILLIS * 1_000_000 / layout.tick().toNanos();
    }

    /**
     * The rows as a process sees them.
     * @param renews whether it reads them for a lease that it holds
     */
    private LeaseReply.Rows seen(LeaseReply.Rows rows, boolean renews, SimProcess process) {
        LeaseSettings settings = process.leaseSettings;
        long early = renews ? 0 : early(settings);
        boolean local = this == LO_FROM_LOCAL_CLOCK && !renews;
        List<LeaseRow> shown = new ArrayList<>();
        for (LeaseRow row : rows.rows()) {
            if (row.worker() != LeaseRow.LAYOUT) {
                shown.add(seen(row, rows.databaseMillis(), early, renews, process));
            }
            else if (this == LAYOUT_ROW_TAKEN_AS_WORKER) {
                shown.add(row);
                asWorker(row, rows, renews, settings.owner(), shown);
            }
            else if (this != LAYOUT_TOKEN_NOT_COMPARED || !renews) {
                shown.add(row);
            }
        }
        return new LeaseReply.Rows(local ? process.time.epochNanos() / 1_000_000 : rows.databaseMillis() - early,
                shown);
    }

    private LeaseRow seen(LeaseRow row, long millis, long early, boolean renews, SimProcess process) {
        long until = row.leaseUntilMillis() - early;
        long mark = row.hwmTick();
        switch (this) {
            case ONLY_THE_DEADLINE -> mark = 0;
            case ACQUIRE_WITHOUT_MARK, LO_FROM_LOCAL_CLOCK -> mark = renews ? mark : 0;
            case RENEWAL_WITHOUT_ROW_MARK -> mark = renews ? 0 : mark;
            case TAKEN_WHILE_LEASED -> until = renews ? until : 0;
            case TAKEN_AT_ONCE ->
                until = renews ? until : until - process.leaseSettings.promotedClockBehind().toMillis();
            case RENEWAL_AFTER_END -> until = renews ? Math.max(until, millis) : until;
            case BEYOND_REACH -> mark = renews
                    ? Math.max(mark,
                            process.terms.layout().tickAtEpochNanos((millis + 2 * LeaseRules.REACH_MILLIS) * 1_000_000))
                    : mark;
            default -> {
            }
        }
        return new LeaseRow(row.worker(), row.token(), row.acquisitions(), until, mark, row.owner(), row.layout());
    }

    /** The layout row shows up as a free worker, whose id wraps into the range: 0. */
    private static void asWorker(LeaseRow layout, LeaseReply.Rows rows, boolean renews, String owner,
            List<LeaseRow> shown) {
        LeaseRow worker = new LeaseRow(0, layout.token(), layout.acquisitions(), layout.leaseUntilMillis(),
                layout.hwmTick(), layout.owner(), layout.layout());
        if (!renews && rows.row(0).isPresent()) {
            shown.add(worker);
        }
        else if (renews && owner.equals(layout.owner())) {
            // its holder finds it again by the token that it wrote
            shown.add(0, worker);
        }
    }

    /** The reply to the command that changes a table, as it sees it. */
    LeaseReply seenByChange(LeaseReply reply) {
        return (reply instanceof LeaseReply.Rows rows
                && (this == CHANGE_WITHOUT_WAIT || this == CHANGE_WITHOUT_WAIT_AND_ROWS))
                        ? new LeaseReply.Rows(rows.databaseMillis(),
                                rows.rows().stream().map(RemovedGuard::free).toList())
                        : reply;
    }

    private static LeaseRow free(LeaseRow row) {
        return (row.worker() == LeaseRow.LAYOUT) ? row : new LeaseRow(row.worker(), row.token(), row.acquisitions(), 0,
                row.hwmTick(), row.owner(), row.layout());
    }

    /** A write as a process sends it. */
    LeaseStatement sent(LeaseStatement statement, @Nullable TickLease lease, SimProcess process) {
        if (this == NONE) {
            return statement;
        }
        LeaseSettings settings = process.leaseSettings;
        IdLayout layout = process.terms.layout();
        long early = early(settings);
        if (statement instanceof LeaseStatement.Insert insert) {
            LeaseRow row = insert.row();
            Long latest = insert.latestMillis();
            return new LeaseStatement.Insert(
                    new LeaseRow(row.worker(), row.token(), row.acquisitions(), row.leaseUntilMillis() + early,
                            row.hwmTick() + ((this == START_WITH_TICKS) ? moreTicks(layout) : 0), row.owner(),
                            row.layout()),
                    (latest == null) ? null
                            : (this == LATE_WRITES) ? Long.valueOf(Long.MAX_VALUE) : Long.valueOf(latest + early));
        }
        if (!(statement instanceof LeaseStatement.Update update)) {
            return statement;
        }
        boolean acquire = update.acquisitionStep() == 1;
        if (!acquire && update.leaseUntilMillis() == 0 && lease != null && update.worker() != LeaseRow.LAYOUT) {
            return sentLast(update, lease, process.engine);
        }
        long until = (update.leaseUntilMillis() == 0) ? 0 : update.leaseUntilMillis() + (acquire ? early : 0);
        LeaseStatement.Guard guard = update.guard();
        if (guard != null) {
            until = (this == RENEWAL_LOWERS_LEASE_UNTIL && !acquire)
                    ? guard.latestMillis() - LeaseRules.LATEST_MILLIS + settings.window().toMillis() : until;
            guard = new LeaseStatement.Guard(
                    (this == LATE_WRITES) ? Long.MAX_VALUE : guard.latestMillis() + (acquire ? early : 0),
                    guard.whileLeased() && this != RENEWAL_AFTER_END);
        }
        long mark = update.hwmTick() + ((acquire && this == START_WITH_TICKS) ? moreTicks(layout) : 0);
        return new LeaseStatement.Update(update.worker(), update.seenToken(),
                comparesMarks(acquire) ? update.hwmAtMost() : Long.MAX_VALUE, update.token(), update.acquisitionStep(),
                until, mark, update.owner(), update.layout(), guard);
    }

    /** A write that gives a lease back, as a process sends it. */
    private LeaseStatement sentLast(LeaseStatement.Update update, TickLease lease, EngineProbe engine) {
        long mark = switch (this) {
            case RELEASE_TO_LO -> lease.lo();
            case RELEASE_ABOVE_ITS_LEASE -> Math.max(update.hwmTick(), engine.lastTick() + 1);
            default -> update.hwmTick();
        };
        return new LeaseStatement.Update(update.worker(), update.seenToken(),
                comparesMarks(false) ? update.hwmAtMost() : Long.MAX_VALUE, update.token(), 0, 0, mark, null,
                update.layout(), null);
    }

    /** Carries a statement out. */
    LeaseReply execute(LeaseStatement statement, SimDatabase database, long now, long staleNanos) {
        LeaseReply reply = database.execute(carriedOut(statement, database), now, staleNanos);
        return (this == UNCONFIRMED_TAKEN_AS_DONE || database.confirms() || !reply.equals(DONE)) ? reply
                : new LeaseReply.Unknown(new IOException("not confirmed"));
    }

    private LeaseStatement carriedOut(LeaseStatement statement, SimDatabase database) {
        if (statement instanceof LeaseStatement.Insert insert && this == ACQUIRE_COMPARES_NOTHING) {
            LeaseRow row = insert.row();
            LeaseRow found = (row.worker() != LeaseRow.LAYOUT) ? database.row(row.worker()) : null;
            return (found == null) ? insert : new LeaseStatement.Update(row.worker(), found.token(), Long.MAX_VALUE,
                    row.token(), 1, row.leaseUntilMillis(), row.hwmTick(), row.owner(), row.layout(), null);
        }
        if (this == NONE || !(statement instanceof LeaseStatement.Update update)) {
            return statement;
        }
        boolean layout = this == LAYOUT_ROW_TAKEN_AS_WORKER
                && isToken(update.seenToken(), database.row(LeaseRow.LAYOUT));
        LeaseRow row = comparesTokens(update.acquisitionStep() == 1) ? null : database.row(update.worker());
        return new LeaseStatement.Update(layout ? LeaseRow.LAYOUT : update.worker(),
                (row != null) ? row.token() : update.seenToken(), update.hwmAtMost(), update.token(),
                update.acquisitionStep(), update.leaseUntilMillis(), update.hwmTick(), update.owner(),
                layout ? null : update.layout(), update.guard());
    }

    private static boolean isToken(String token, @Nullable LeaseRow row) {
        return row != null && row.token().equals(token);
    }

    /** Whether each write finds its row by the token. */
    boolean comparesTokens() {
        return comparesTokens(true) && comparesTokens(false);
    }

    private boolean comparesTokens(boolean acquire) {
        return switch (this) {
            case NOTHING_COMPARED -> false;
            case ACQUIRE_WITHOUT_TOKEN, ACQUIRE_COMPARES_NOTHING -> !acquire;
            case RENEWAL_WITHOUT_TOKEN -> acquire;
            default -> true;
        };
    }

    private boolean comparesMarks(boolean acquire) {
        return switch (this) {
            case MARK_NOT_COMPARED, NOTHING_COMPARED, ONLY_THE_DEADLINE -> false;
            case ACQUIRE_WITHOUT_MARK, ACQUIRE_COMPARES_NOTHING, LO_FROM_LOCAL_CLOCK -> !acquire;
            case RENEWAL_WITHOUT_ROW_MARK -> acquire;
            default -> true;
        };
    }

    /**
     * What a process makes of a reply.
     * @param renews whether it holds a lease, or reads one row
     * @param renewsNothing whether it has renewed a lease that it does not hold
     */
    LeaseReply heard(LeaseReply reply, boolean renews, boolean renewsNothing, SimProcess process) {
        if (reply instanceof LeaseReply.Rows rows) {
            return (this == NONE) ? rows : seen(rows, renews, process);
        }
        boolean done = reply instanceof LeaseReply.Unknown && !SimProcess.reads(process.sent())
                && (this == UNKNOWN_TAKEN_AS_DONE || (this == GRANTED_WHEN_READ && renewsNothing));
        return done ? DONE : reply;
    }

    /** A lease as a process uses it. */
    TickLease held(TickLease lease, SimProcess process) {
        IdLayout layout = process.terms.layout();
        long beyondReach = Math.max(0, process.leaseSettings.window().toMillis() - LeaseRules.REACH_MILLIS);
        long hi = switch (this) {
            case NO_TICK_BELOW_HI, ONLY_THE_DEADLINE -> layout.lastTick() + 1;
            case ONE_TICK_MORE -> lease.hi() + 1;
            case START_WITH_TICKS -> Math.max(lease.hi(), lease.lo() + moreTicks(layout));
            case REACH_OF_OWN_WINDOW -> lease.hi() + beyondReach * 1_000_000 / layout.tick().toNanos();
            default -> lease.hi();
        };
        long lo = switch (this) {
            case ANCHOR_BELOW_LO -> 0;
            case ONE_TICK_BEFORE -> lease.lo() - 1;
            default -> lease.lo();
        };
        LeaseClock clock = (this == CLOCK_OF_THE_MACHINE)
                ? new LeaseClock(process.time.read(), process.time.epochNanos()) : lease.clock();
        return new TickLease(lease.worker(), lo, hi, lease.deadlineNanos(), clock);
    }

    /** Hands a lease to an engine. */
    void hold(EngineProbe engine, TickLease lease, LeaseSource source) {
        if (this == FRESH_CELLS) {
            engine.forgetCells(source);
        }
        if (this == WORKER_CHANGE_POISONS_BEFORE_ALLOCATION) {
            engine.holdPoisonFirst(lease);
        }
        else {
            engine.holder().hold(lease);
        }
    }

    /**
     * Takes the lease from an engine.
     * @param lost whether the process does not give it back
     */
    long relinquish(EngineProbe engine, boolean lost) {
        if (this == RELEASE_WITHOUT_POISON || (this == LOSS_WITHOUT_POISON && lost)) {
            return engine.relinquishWithoutPoison();
        }
        if (this == LEASE_KEPT_AFTER_LOSS && lost) {
            return engine.keepsLease();
        }
        return switch (this) {
            case RELEASE_FORGETS_UUIDS -> engine.relinquishByNumbersAlone();
            case RELEASE_POISONS_BEFORE_ALLOCATION -> relinquishAgainAndAgain(engine);
            default -> engine.holder().relinquish();
        };
    }

    private static long relinquishAgainAndAgain(EngineProbe engine) {
        while (true) {
            try {
                return engine.relinquishPoisonFirst();
            }
            catch (OutOfMemoryError ex) {
                // the keeper comes again
            }
        }
    }

}
