package io.shardedid.internal.lease;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerIdRange;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.FleetSimulation.Wrong;
import org.jspecify.annotations.Nullable;

/**
 * Operators who change one lease table, or two whose ids meet, by the offline command,
 * while processes run that nobody stopped, that wake after minutes, or that find a copy
 * of the table from before the changes.
 *
 * <p>
 * A run of the command breaks off between any two of its writes, sleeps, or meets another
 * run. A database in plain mode keeps what it has confirmed. One in tolerant mode forgets
 * up to the last 50 seconds, and no commit of a process in plain mode.
 */
final class SimChanges {

    private static final long SECOND = 1_000_000_000L;

    private static final int PROCESSES = 3;

    /** How far the clocks of two databases differ at most. */
    private static final long APART_MILLIS = 8_000;

    /**
     * Longer than several changes and all that they wait for, so an hour adds nothing.
     */
    private static final long FROZEN_NANOS = 300 * SECOND;

    private static final long FORGOTTEN_NANOS = 50 * SECOND;

    private final FleetSimulation fleet;

    private final SimWorld world;

    private final RemovedGuard removed;

    private final int workers;

    private final boolean regions;

    private final Table first;

    private final Table second;

    private final Deque<Change> planned = new ArrayDeque<>();

    /** What is being done, or null. */
    private @Nullable Change current;

    private boolean faults = true;

    /** How often the operator has run the command: an earlier run is not repeated. */
    private int attempts;

    private int done;

    SimChanges(FleetSimulation fleet, SimDatabase database, int workers, boolean regions) {
        this.fleet = fleet;
        this.world = fleet.world();
        this.removed = fleet.removed();
        this.workers = workers;
        this.regions = regions;
        this.first = new Table(database, this.world.chance(0.5), all(), 0);
        this.second = new Table(new SimDatabase(), this.world.chance(0.5), null,
                regions ? this.world.random().nextLong(-APART_MILLIS, APART_MILLIS) : 0);
    }

    private WorkerIdRange all() {
        return new WorkerIdRange(0, this.workers - 1);
    }

    /** A lease table with its processes. */
    private final class Table {

        private final SimDatabase database;

        /** How far its clock is ahead when nothing is wrong with it. */
        private final long aheadMillis;

        private boolean tolerant;

        /** What it gives out, and what processes ask for that start; null if nothing. */
        private @Nullable WorkerIdRange key;

        /** Nothing that was written before may be forgotten. */
        private long kept;

        /** What made it what it is, or null. */
        private @Nullable Change latest;

        Table(SimDatabase database, boolean tolerant, @Nullable WorkerIdRange key, long aheadMillis) {
            this.database = database;
            this.tolerant = tolerant;
            this.key = key;
            this.aheadMillis = aheadMillis;
            database.stepClock(aheadMillis);
        }

        private LeaseSettings settings() {
            return SimChanges.this.fleet.leaseSettings(this.tolerant, this.key);
        }

        private LayoutText text() {
            return LayoutText.of(SimChanges.this.fleet.terms(SimTime.any(SimChanges.this.world)), settings());
        }

        private List<RandomProcess> processes() {
            return SimChanges.this.fleet.processesAt(this.database);
        }

        private int wanted() {
            WorkerIdRange asked = this.key;
            return (asked != null) ? Math.min(PROCESSES, asked.size()) : 0;
        }

        private void join() {
            if (this.key != null && processes().size() < wanted() + (SimChanges.this.faults ? 1 : 0)) {
                SimChanges.this.fleet.join(this.database, settings());
            }
        }

        private void joinAll() {
            for (int i = 0; i < PROCESSES; i++) {
                SimChanges.this.world.after(SimChanges.this.world.span(3 * SECOND), this::join);
            }
        }

        /** Those that nobody stops go on, or sleep through the change. */
        private void stop() {
            for (RandomProcess each : processes()) {
                switch (SimChanges.this.world.random().nextInt(5)) {
                    case 0 -> each.kill();
                    case 1 -> each.pause(SimChanges.this.world.random()
                        .nextLong(SimChanges.this.world.chance(0.3) ? FROZEN_NANOS : 80 * SECOND));
                    case 2 -> {
                        // nobody has thought of it
                    }
                    default -> each.close();
                }
            }
        }

        private @Nullable LeaseRow layoutRow() {
            return this.database.row(LeaseRow.LAYOUT);
        }

        /** Whether a failover has brought back what was there before its last change. */
        private boolean isForgotten() {
            LeaseRow row = layoutRow();
            return this.latest != null && this.key != null && (row == null || !text().toString().equals(row.layout()));
        }

    }

    /**
     * What is to be done to a table.
     *
     * @param table the table
     * @param tolerant its mode from then on
     * @param key the worker ids that it gives out from then on
     * @param from the table that they come from, or null
     */
    private record Change(Table table, boolean tolerant, WorkerIdRange key, @Nullable Table from) {
    }

    void begin() {
        // a new namespace in tolerant mode would wait for a minute
        this.first.database.begin(this.world.now(), "begin",
                this.fleet.tickAt(this.first.database.millis(this.world.now()) - 2 * 60_000), this.first.text());
        this.first.kept = this.world.now() + 1;
        this.first.joinAll();
        this.world.after(5 * SECOND + this.world.span(15 * SECOND), this::next);
    }

    /* The operators. */

    private void next() {
        for (Table table : List.of(this.first, this.second)) {
            Change latest = table.latest;
            if (table.isForgotten() && latest != null) {
                attempt(latest);
                return;
            }
        }
        if (this.planned.isEmpty() && !this.faults) {
            this.first.joinAll();
            this.second.joinAll();
            return;
        }
        if (this.planned.isEmpty()) {
            plan();
        }
        Change change = this.planned.removeFirst();
        Table from = change.from();
        change.table().stop();
        if (from != null && from != change.table() && isWhole(change)) {
            from.stop();
        }
        this.world.after(this.world.span(6 * SECOND), () -> attempt(change));
    }

    private void plan() {
        boolean mode = this.world.chance(0.5);
        WorkerIdRange here = this.first.key;
        if (!this.regions) {
            int from = this.world.random().nextInt(this.workers);
            WorkerIdRange range = this.world.chance(0.4) ? all()
                    : new WorkerIdRange(from, from + this.world.random().nextInt(this.workers - from));
            // no other table has ever given them out
            this.planned.add(new Change(this.first, this.first.tolerant != mode, range, this.first));
            return;
        }
        int boundary = 1 + this.world.random().nextInt(this.workers - 1);
        WorkerIdRange low = new WorkerIdRange(0, boundary - 1);
        WorkerIdRange high = new WorkerIdRange(boundary, this.workers - 1);
        if (this.second.key == null) {
            this.planned.add(new Change(this.first, this.first.tolerant != mode, low, null));
            this.planned.add(new Change(this.second, this.second.tolerant, high, this.first));
        }
        else if (this.world.chance(0.3)) {
            this.planned.add(new Change(this.first, this.first.tolerant, all(), this.second));
        }
        else if (here != null && boundary <= here.last()) {
            this.planned.add(new Change(this.first, this.first.tolerant != mode, low, null));
            this.planned.add(new Change(this.second, this.second.tolerant, high, this.first));
        }
        else {
            this.planned.add(new Change(this.second, this.second.tolerant != mode, high, null));
            this.planned.add(new Change(this.first, this.first.tolerant, low, this.second));
        }
    }

    /** Whether the other table gives out nothing afterwards. */
    private static boolean isWhole(Change change) {
        Table from = change.from();
        WorkerIdRange theirs = (from != null) ? from.key : null;
        return theirs != null && change.key().first() <= theirs.first() && theirs.last() <= change.key().last();
    }

    private void attempt(Change change) {
        this.current = change;
        new Run(change, ++this.attempts).step();
        if (this.faults && this.world.chance(0.2)) {
            this.world.after(this.world.random().nextLong(30 * SECOND), () -> new Run(change, 0).step());
        }
    }

    private void again(Change change, int attempt) {
        if (this.current != change || this.attempts != attempt) {
            // another run has done it, or is doing it
            return;
        }
        Table from = change.from();
        Change before = (from != null && from != change.table() && from.isForgotten()) ? from.latest : null;
        if (before != null) {
            this.planned.addFirst(change);
            attempt(before);
        }
        else {
            attempt(change);
        }
    }

    private void completed(Change change) {
        if (this.current != change) {
            return;
        }
        this.current = null;
        this.done++;
        Table table = change.table();
        Table from = change.from();
        if (from != null && from != table && isWhole(change)) {
            from.key = null;
            from.latest = null;
        }
        table.key = change.key();
        table.tolerant = change.tolerant();
        table.latest = change;
        // processes in plain mode have written until the table was closed
        table.kept = change.tolerant() ? this.world.now() - 30 * SECOND : Long.MAX_VALUE;
        if (table.tolerant) {
            // a promoted server is so far behind a clock that was right
            this.fleet.stepClock(table.database, table.aheadMillis);
        }
        if (!this.faults) {
            // the operator stops what began with the settings of before
            new ArrayList<>(table.processes()).forEach(RandomProcess::kill);
        }
        table.joinAll();
        if (this.faults && table.tolerant && this.world.chance(0.7)) {
            // a failover that forgets what it can
            this.world.after(this.world.span(20 * SECOND), () -> {
                if (this.faults) {
                    loseCommits(table, FORGOTTEN_NANOS);
                }
            });
        }
        this.world.after(5 * SECOND + this.world.span(20 * SECOND), this::next);
    }

    /** A run of the command. */
    private final class Run {

        private final Change change;

        private final LeaseChange command;

        /** How many writes there are before it breaks off. */
        private int left;

        /** Its number, or 0 for the run of a second operator, who does not repeat it. */
        private final int attempt;

        private boolean waited;

        private boolean begun;

        /** The tokens that rows have by what a run without a guard believes. */
        private final Map<Integer, String> believed = new HashMap<>();

        Run(Change change, int attempt) {
            SimChanges simulation = SimChanges.this;
            this.change = change;
            this.attempt = attempt;
            this.left = (simulation.faults && simulation.world.chance(0.4)) ? simulation.world.random().nextInt(14)
                    : Integer.MAX_VALUE;
            LeaseStore none = new SimStore(change.table().database, simulation.world);
            Table from = change.from();
            this.command = new LeaseChange(simulation.fleet.terms(SimTime.any(simulation.world)),
                    simulation.fleet.leaseSettings(change.tolerant(), change.key()), none,
                    (from != null) ? new SimStore(from.database, simulation.world) : null,
                    () -> Long.toHexString(simulation.world.random().nextLong()));
        }

        private SimWorld world() {
            return SimChanges.this.world;
        }

        void step() {
            long due = this.command.dueNanos();
            boolean skips = !this.waited && due - world().now() > 5 * SECOND && withoutWait();
            LeaseChange.Step step = this.command.next(skips ? due : world().now());
            this.waited |= skips;
            if (step == null) {
                world().after(Math.max(1_000_000, due - world().now()), this::step);
                return;
            }
            long delay = 1_000_000;
            if (SimChanges.this.faults) {
                delay = world().span(world().chance(0.1) ? 2 * SECOND : SECOND / 50);
                delay = world().chance(0.01) ? world().random().nextLong(90 * SECOND) : delay;
            }
            world().after(delay, () -> carryOut(step));
        }

        private boolean withoutWait() {
            return switch (SimChanges.this.removed) {
                case CHANGE_WITHOUT_MARGIN, CHANGE_WITHOUT_WAIT, CHANGE_WITHOUT_WAIT_AND_ROWS -> true;
                default -> false;
            };
        }

        private void carryOut(LeaseChange.Step step) {
            if (!this.begun && SimChanges.this.current != this.change) {
                // somebody has done it, and an operator who looks sees it
                return;
            }
            this.begun = true;
            SimDatabase database = ((SimStore) step.place().store).rows();
            LeaseReply reply = (step.statement() instanceof LeaseStatement.ReadAll) ? read(step, database)
                    : write(step.statement(), database);
            if (reply == null) {
                // nobody hears of this run again
                retry();
                return;
            }
            try {
                this.command.reply(reply, world().now());
            }
            catch (WorkerLeaseException ex) {
                if (ex.getMessage().contains("all the same")) {
                    SimChanges.this.fleet.wrong(Wrong.RENEWED_IN_CLOSED_TABLE);
                }
                retry();
                return;
            }
            catch (ShardedIdConfigurationException ex) {
                // an answer was older than the moment, or a failover came
                retry();
                return;
            }
            if (this.command.ended()) {
                completed(this.change);
            }
            else {
                step();
            }
        }

        private void retry() {
            if (this.attempt != 0) {
                world().after(SECOND / 4 + world().span(5 * SECOND), () -> again(this.change, this.attempt));
            }
        }

        private LeaseReply read(LeaseChange.Step step, SimDatabase database) {
            boolean past = SimChanges.this.faults && world().chance(0.1);
            LeaseReply.Rows rows = (LeaseReply.Rows) SimChanges.this.removed.seenByChange(database
                .execute(step.statement(), world().now(), past ? world().random().nextLong(5 * SECOND) : 0));
            return new LeaseReply.Rows(rows.databaseMillis(), rows.rows().stream().map(this::seen).toList());
        }

        private LeaseRow seen(LeaseRow row) {
            return new LeaseRow(row.worker(), this.believed.getOrDefault(row.worker(), row.token()), row.acquisitions(),
                    row.leaseUntilMillis(), row.hwmTick(), row.owner(), row.layout());
        }

        private @Nullable LeaseReply write(LeaseStatement statement, SimDatabase database) {
            boolean row = statement instanceof LeaseStatement.Update update && LeaseChange.OWNER.equals(update.owner())
                    || statement instanceof LeaseStatement.Insert insert && insert.row().worker() != LeaseRow.LAYOUT;
            if (row && SimChanges.this.removed == RemovedGuard.CHANGE_WITHOUT_WAIT_AND_ROWS) {
                believe(statement);
                return new LeaseReply.Written(1);
            }
            if (this.left-- > 0) {
                return database.execute(opened(statement), world().now(), 0);
            }
            switch (world().random().nextInt(4)) {
                case 0 -> database.execute(statement, world().now(), 0);
                case 1 -> world().after(world().random().nextLong(15 * SECOND),
                        () -> database.execute(statement, world().now(), 0));
                case 2 -> {
                    return new LeaseReply.Unknown(new IOException("it never arrives"));
                }
                default -> {
                    // it never arrives, and the command was killed
                }
            }
            return null;
        }

        /** The table says at once what it is to say in the end, without a guard. */
        private LeaseStatement opened(LeaseStatement statement) {
            if (SimChanges.this.removed != RemovedGuard.CHANGE_OPENS_FIRST
                    || !(statement instanceof LeaseStatement.Update update) || update.worker() != LeaseRow.LAYOUT) {
                return statement;
            }
            Table table = this.change.table();
            table.tolerant = this.change.tolerant();
            table.key = this.change.key();
            return new LeaseStatement.Update(update.worker(), update.seenToken(), update.hwmAtMost(), update.token(), 0,
                    update.leaseUntilMillis(), update.hwmTick(), null, table.text().toString(), null);
        }

        private void believe(LeaseStatement statement) {
            if (statement instanceof LeaseStatement.Update update) {
                this.believed.put(update.worker(), update.token());
            }
        }

    }

    /* What goes wrong. */

    void trouble() {
        Table table = (this.regions && this.world.chance(0.5)) ? this.second : this.first;
        if (table.tolerant) {
            loseCommits(table, 6 * SECOND);
        }
        else {
            this.fleet.stepClock(table.database, table.aheadMillis + this.fleet.step());
        }
    }

    private void loseCommits(Table table, long most) {
        long oldest = Math.max(table.kept, this.world.now() - most);
        if (table.tolerant && oldest < this.world.now() && table.layoutRow() != null) {
            long since = this.world.chance(0.5) ? oldest
                    : oldest + this.world.random().nextLong(this.world.now() - oldest);
            table.database.loseCommitsSince(since);
            this.fleet.stepClock(table.database, table.aheadMillis - this.fleet.behind());
            table.kept = Math.max(table.kept, Math.min(this.world.now(), since));
        }
    }

    void left(SimDatabase database) {
        Table table = (database == this.first.database) ? this.first : this.second;
        this.world.after(this.world.span(3 * SECOND), table::join);
    }

    /** The faults end; the operators complete what there is. */
    void quieten() {
        this.faults = false;
        for (Table table : List.of(this.first, this.second)) {
            this.fleet.stepClock(table.database, table.aheadMillis);
            new ArrayList<>(table.processes()).forEach(RandomProcess::kill);
        }
    }

    /** How many processes must have a lease when nothing has failed for a while. */
    int expectedAtEnd() {
        int expected = 0;
        for (Table table : List.of(this.first, this.second)) {
            WorkerIdRange asked = table.key;
            expected += (asked != null) ? Math.min(table.wanted(), this.fleet.rowsInReach(table.database, asked)) : 0;
        }
        return expected;
    }

    int done() {
        return this.done;
    }

    List<SimDatabase> databases() {
        return List.of(this.first.database, this.second.database);
    }

}
