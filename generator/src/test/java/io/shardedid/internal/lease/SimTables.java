package io.shardedid.internal.lease;

import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerIdRange;
import io.shardedid.WorkerLeaseException;
import org.jspecify.annotations.Nullable;

/**
 * Two lease tables whose ids meet, with processes at both, and an operator who makes the
 * second one and hands worker ids over, back and forth.
 *
 * <p>
 * A database in plain mode keeps what it has confirmed, so that the rows alone have to do
 * it, and the operator tells the processes in any order. One in tolerant mode forgets up
 * to six seconds: there the processes of the giver end first, those of the receiver are
 * told last, and nobody hands a worker id back before these six seconds are over.
 */
final class SimTables {

    private static final long SECOND = 1_000_000_000L;

    private static final int PROCESSES = 3;

    /** How far the clocks of the two databases differ at most. */
    private static final long APART_MILLIS = 8_000;

    /** More than a failover forgets. */
    private static final long FORGOTTEN_NANOS = 7 * SECOND;

    private static final long LONGEST_DRAIN_NANOS = 40 * SECOND;

    private final FleetSimulation fleet;

    private final SimWorld world;

    private final RemovedGuard removed;

    private final int workers;

    private final Table first;

    private final Table second;

    /** The second table has the worker ids from here on. */
    private int boundary;

    /** The identity of the first table, and since when it has it. */
    private String identity = "";

    private long identifiedAt;

    private boolean faults = true;

    /** Whether all have to stay away. */
    private boolean stopped;

    SimTables(FleetSimulation fleet, SimDatabase first, int workers, boolean tolerant) {
        this.fleet = fleet;
        this.world = fleet.world();
        this.removed = fleet.removed();
        this.workers = workers;
        this.boundary = workers;
        // one of the two may be in plain mode
        int modes = tolerant ? 1 + this.world.random().nextInt(3) : 0;
        this.first = new Table(first, (modes & 1) != 0, 0);
        this.second = new Table(new SimDatabase(this.removed), (modes & 2) != 0,
                this.world.random().nextLong(-APART_MILLIS, APART_MILLIS));
    }

    /** A lease table with its processes. */
    private final class Table {

        private final SimDatabase database;

        private final boolean tolerant;

        /** How far its clock is ahead when nothing is wrong with it. */
        private final long aheadMillis;

        /** What processes that start may ask for; none starts without. */
        private @Nullable WorkerIdRange key;

        private Table(SimDatabase database, boolean tolerant, long aheadMillis) {
            this.database = database;
            this.tolerant = tolerant;
            this.aheadMillis = aheadMillis;
            database.stepClock(aheadMillis);
        }

        private int wanted() {
            return (this.key != null) ? Math.min(PROCESSES, this.key.size()) : 0;
        }

        private void join() {
            WorkerIdRange asked = this.key;
            if (asked != null && !SimTables.this.stopped && processes().size() < wanted()) {
                SimTables.this.fleet.join(this.database, settings(asked));
            }
        }

        private void joinAll() {
            for (int i = 0; i < PROCESSES; i++) {
                SimTables.this.world.after(SimTables.this.world.span(2 * SECOND), this::join);
            }
        }

        private LeaseSettings settings(@Nullable WorkerIdRange asked) {
            return SimTables.this.fleet.leaseSettings(this.tolerant, asked);
        }

        private List<SimProcess> processes() {
            return SimTables.this.fleet.processesAt(this.database);
        }

        /** The processes that were told something else end, one after another. */
        private void restart(boolean gives) {
            for (SimProcess each : processes()) {
                if (!each.asksFor(this.key) && !each.ends()) {
                    SimTables.this.world.after(SimTables.this.world.span(3 * SECOND), () -> retire(each, gives));
                }
            }
        }

        private void retire(SimProcess process, boolean gives) {
            // those who give go on for a while, those who get begin soon
            switch (SimTables.this.world.random().nextInt(gives ? 4 : 2)) {
                case 0 -> process.kill();
                case 1 -> process.close();
                default -> {
                    process.drain();
                    SimTables.this.world.after(SimTables.this.world.random().nextLong(LONGEST_DRAIN_NANOS),
                            process::kill);
                }
            }
        }

        /** Whether a process asks for what it may not ask for any more. */
        private boolean isAskedForMore() {
            return processes().stream().anyMatch((each) -> !each.asksFor(this.key) && !each.ends());
        }

        /** What has no row in the first table was never leased, and belongs to it. */
        private boolean has(int worker) {
            return this.database.rows()
                .stream()
                .filter((row) -> row.worker() == worker)
                .findFirst()
                .map((row) -> !LeaseHandOver.elsewhere(row))
                .orElse(this == SimTables.this.first);
        }

    }

    /** Worker ids on their way from one table to the other one. */
    private final class HandOver {

        private final Table from;

        private final Table to;

        private final int boundaryBefore;

        private final int boundaryAfter;

        private final WorkerIdRange given;

        private final boolean narrowsFirst;

        private final boolean widensFirst;

        /** Whether a run that broke off may have written something. */
        private boolean begun;

        private HandOver(Table from, int boundaryBefore, int boundaryAfter, WorkerIdRange given) {
            this.from = from;
            this.to = (from == SimTables.this.first) ? SimTables.this.second : SimTables.this.first;
            this.boundaryBefore = boundaryBefore;
            this.boundaryAfter = boundaryAfter;
            this.given = given;
            boolean narrows = this.from.tolerant || SimTables.this.world.chance(0.6);
            this.narrowsFirst = narrows && SimTables.this.removed != RemovedGuard.HAND_OVER_WITHOUT_GIVER
                    && SimTables.this.removed != RemovedGuard.KEYS_NOT_NARROWED;
            this.widensFirst = boundaryBefore != boundaryAfter
                    && (SimTables.this.removed == RemovedGuard.KEYS_WIDENED_FIRST
                            || (SimTables.this.world.chance(0.3) && !this.to.tolerant));
        }

    }

    void begin() {
        this.first.key = new WorkerIdRange(0, this.workers - 1);
        this.first.joinAll();
        if (this.removed == RemovedGuard.TABLES_WITHOUT_RANGES) {
            this.second.key = this.first.key;
            this.second.joinAll();
        }
        else {
            this.world.after(SECOND, this::make);
        }
    }

    /** How long the operator waits so that no failover forgets what was done. */
    private long pause() {
        return (this.first.tolerant || this.second.tolerant) ? FORGOTTEN_NANOS : 0;
    }

    private void make() {
        String found = layout(this.first, LeaseRow::token);
        if (!found.equals(this.identity)) {
            this.identity = found;
            this.identifiedAt = this.world.now();
        }
        if (found.isEmpty() || this.world.now() - this.identifiedAt < pause()) {
            this.world.after(SECOND / 2, this::make);
            return;
        }
        if (!isMade() && !makes()) {
            this.world.after(this.world.span(2 * SECOND), this::make);
            return;
        }
        this.world.after(pause() + this.world.span(3 * SECOND), this::next);
    }

    private boolean makes() {
        SimCommand command = new SimCommand(this.fleet, this.faults);
        try {
            command(this.first, this.second, command).make();
            return true;
        }
        catch (WorkerLeaseException ex) {
            return false;
        }
        catch (ShardedIdConfigurationException ex) {
            // a write came late, to a table that a failover has emptied
            if (this.second.tolerant && layout(this.second, LeaseRow::layout).isEmpty()) {
                this.second.database.remove(this.world.now(), (row) -> true);
            }
            else if (!command.sawThePast()) {
                throw ex;
            }
            return false;
        }
    }

    private boolean isMade() {
        return layout(this.second, LeaseRow::layout).equals(layout(this.first, LeaseRow::layout));
    }

    private static String layout(Table table, Function<LeaseRow, @Nullable String> what) {
        return table.database.rows()
            .stream()
            .filter((row) -> row.worker() == LeaseRow.LAYOUT)
            .map((row) -> String.valueOf(what.apply(row)))
            .findFirst()
            .orElse("");
    }

    private LeaseHandOver command(Table from, Table to, SimCommand command) {
        return new LeaseHandOver(new LeaseHandOver.Place("giver", from.settings(null), command.giver(from.database)),
                new LeaseHandOver.Place("receiver", to.settings(null), command.receiver(to.database)));
    }

    /** The next hand-over, or one again that a database has forgotten. */
    private void next() {
        if (!isMade()) {
            make();
            return;
        }
        for (int worker = 0; worker < this.workers; worker++) {
            boolean atFirst = worker < this.boundary;
            if (!(atFirst ? this.first : this.second).has(worker)) {
                start(new HandOver(atFirst ? this.second : this.first, this.boundary, this.boundary,
                        new WorkerIdRange(worker, worker)));
                return;
            }
        }
        if (!this.faults) {
            settle();
            return;
        }
        int after = 1 + this.world.random().nextInt(this.workers - 1);
        if (after < this.boundary) {
            start(new HandOver(this.first, this.boundary, after, new WorkerIdRange(after, this.boundary - 1)));
        }
        else if (after > this.boundary) {
            start(new HandOver(this.second, this.boundary, after, new WorkerIdRange(this.boundary, after - 1)));
        }
        else {
            this.world.after(SECOND / 10, this::next);
        }
    }

    private void start(HandOver handOver) {
        if (handOver.narrowsFirst) {
            handOver.from.key = key(handOver.from, handOver.boundaryAfter);
            handOver.from.restart(true);
        }
        if (handOver.widensFirst) {
            handOver.to.key = key(handOver.to, handOver.boundaryAfter);
        }
        this.world.after(this.world.span(4 * SECOND), () -> attempt(handOver));
    }

    private @Nullable WorkerIdRange key(Table table, int between) {
        if (table == this.first) {
            return new WorkerIdRange(0, between - 1);
        }
        return (between < this.workers) ? new WorkerIdRange(between, this.workers - 1) : null;
    }

    private void attempt(HandOver handOver) {
        if (handOver.narrowsFirst && handOver.from.tolerant && handOver.from.isAskedForMore()) {
            this.world.after(SECOND / 4, () -> attempt(handOver));
            return;
        }
        SimCommand command = new SimCommand(this.fleet, this.faults);
        try {
            command(handOver.from, handOver.to, command).give(handOver.given);
        }
        catch (WorkerLeaseException ex) {
            handOver.begun |= command.hasWritten();
            if (this.faults && this.world.chance(0.2) && canGoBack(handOver)) {
                start(new HandOver(handOver.to, handOver.boundaryAfter, handOver.boundaryBefore, handOver.given));
            }
            else {
                this.world.after(SECOND / 4 + this.world.span(3 * SECOND), () -> attempt(handOver));
            }
            return;
        }
        catch (ShardedIdConfigurationException ex) {
            refused(handOver, command, ex);
            return;
        }
        complete(handOver);
    }

    /**
     * After a failover of the giver, which has forgotten that it gave a worker id. The
     * receiver keeps what it has: its keys, and those of the giver, say so.
     */
    private void refused(HandOver handOver, SimCommand command, ShardedIdConfigurationException why) {
        if (command.sawThePast()) {
            this.world.after(SECOND / 4, () -> attempt(handOver));
        }
        else if (pause() == 0 && this.removed == RemovedGuard.NONE) {
            throw why;
        }
        else if (handOver.begun) {
            completeOneByOne(handOver);
        }
        else {
            tell(handOver.from, false);
            if (this.removed != RemovedGuard.KEYS_WIDENED_FIRST) {
                tell(handOver.to, false);
            }
            this.world.after(pause() + SECOND, this::next);
        }
    }

    private void completeOneByOne(HandOver handOver) {
        for (int worker = handOver.given.first(); worker <= handOver.given.last(); worker++) {
            if (handOver.to.has(worker)) {
                continue;
            }
            try {
                command(handOver.from, handOver.to, new SimCommand(this.fleet, this.faults))
                    .give(new WorkerIdRange(worker, worker));
            }
            catch (WorkerLeaseException | ShardedIdConfigurationException ex) {
                this.world.after(SECOND / 4 + this.world.span(3 * SECOND), () -> attempt(handOver));
                return;
            }
        }
        complete(handOver);
    }

    /** Before anybody may have made ids at the receiver that a failover forgets. */
    private boolean canGoBack(HandOver handOver) {
        return pause() == 0 || (!handOver.widensFirst && handOver.boundaryBefore != handOver.boundaryAfter);
    }

    private void complete(HandOver handOver) {
        this.boundary = handOver.boundaryAfter;
        tell(handOver.from, true);
        tell(handOver.to, false);
        handOver.to.joinAll();
        if (this.faults && handOver.from.tolerant && this.world.chance(0.8)) {
            this.world.after(this.world.span(SECOND),
                    () -> this.fleet.loseCommits(handOver.from.database, handOver.from.aheadMillis));
        }
        this.world.after(pause() + SECOND + this.world.span(8 * SECOND), this::next);
    }

    private void tell(Table table, boolean gives) {
        if (table.tolerant || this.world.chance(0.6)) {
            table.key = key(table, this.boundary);
        }
        if (this.removed != RemovedGuard.KEYS_NOT_NARROWED && this.world.chance(0.7)) {
            table.restart(gives);
        }
    }

    void trouble() {
        Table table = this.world.chance(0.5) ? this.first : this.second;
        if (table.tolerant) {
            this.fleet.loseCommits(table.database, table.aheadMillis);
        }
        else {
            this.fleet.stepClock(table.database, table.aheadMillis + this.fleet.step());
        }
    }

    void left(SimDatabase database) {
        Table table = (database == this.first.database) ? this.first : this.second;
        this.world.after(this.world.span(3 * SECOND), table::join);
    }

    /** The faults end, and so do all processes; the operator completes what there is. */
    void quieten() {
        this.faults = false;
        this.stopped = true;
        for (Table table : List.of(this.first, this.second)) {
            this.fleet.stepClock(table.database, table.aheadMillis);
            table.processes().forEach(SimProcess::kill);
        }
    }

    private void settle() {
        this.stopped = false;
        this.first.key = key(this.first, this.boundary);
        this.second.key = key(this.second, this.boundary);
        this.first.joinAll();
        this.second.joinAll();
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

    int lowered() {
        return this.first.database.lowered() + this.second.database.lowered();
    }

    int raised() {
        return this.first.database.raised() + this.second.database.raised();
    }

}
