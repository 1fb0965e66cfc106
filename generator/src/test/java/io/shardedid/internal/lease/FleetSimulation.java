package io.shardedid.internal.lease;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import io.shardedid.EngineProbe;
import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TickLease;
import io.shardedid.TimeSource;
import io.shardedid.WorkerIdRange;
import org.jspecify.annotations.Nullable;

/**
 * A fleet of processes on one lease table for a minute of virtual time, with everything
 * going wrong that can. All ids of all processes are compared.
 *
 * <p>
 * Half of the seeds run without the deadline, so that the intervals alone have to do it.
 */
final class FleetSimulation {

    static final int SHARDS = 2;

    private static final long SECOND = 1_000_000_000L;

    private static final long RUN_NANOS = 60 * SECOND;

    private static final long CHANGES_NANOS = 8 * RUN_NANOS;

    private static final long RARELY_NANOS = 5 * SECOND;

    private static final long WINDOW_NANOS = 3 * SECOND;

    private static final int PROCESSES = 5;

    private static final int WORKERS = 3;

    private static final WorkerIdRange ALL_WORKERS = new WorkerIdRange(0, WORKERS - 1);

    /** How far the clock of a promoted server is behind at most. */
    private static final long BEHIND_MILLIS = 2_500;

    /** The last one is longer than anybody may hold ticks ahead. */
    private static final long[] WINDOWS_MILLIS = { 3_000, 5_000, 15_000 };

    private static final long LATEST_NANOS = 15 * SECOND;

    private static final long STALEST_NANOS = 5 * SECOND;

    private static final Duration MAX_AHEAD = Duration.ofMillis(300);

    /**
     * What the drift of a clock and the way of a reply may add to the clock of the
     * database.
     */
    private static final long CLOCK_ERROR_NANOS = 300_000_000L;

    private static final long YEAR_NANOS = 365L * 24 * 3600 * SECOND;

    /** What goes wrong beside pauses, kills and the network. */
    enum Trouble {

        /** The database's clock is stepped. */
        CLOCKS,

        /** The same, and heaps are full when a lease ends or another worker comes. */
        FULL_HEAP,

        /** The synchronous standby is cut off, and may take over as it was then. */
        STANDBY_CUT,

        /** A replica takes over that had not heard of the latest writes. */
        LOST_COMMITS,

        /** The same, and its clock may be behind. */
        CLOCK_BEHIND,

        /** The same, and each process has a window of its own. */
        WINDOWS,

        /**
         * The same as CLOCKS, until the table is copied. Then the keepers of some
         * processes lease from the copy.
         */
        ANOTHER_TABLE,

        /**
         * Rows are removed, an old state of the table comes back, marks are lowered. Ids
         * may be equal then. A process that has noticed its loss makes none of the lease.
         */
        ROWS_CHANGED,

        /**
         * Mode and worker ids of the table change, by a command that breaks off, beside
         * processes that nobody stops, that are frozen for long, or that find a copy of
         * the table from before. In tolerant mode a replica takes over that had not heard
         * of what was written in the last minute, and its clock may be behind.
         */
        CHANGES,

        /**
         * The same at two tables, whose clocks differ and whose worker ids change hands.
         */
        REGIONS,

        /**
         * Nothing fails, but the keepers have slow tasks and many questions beside their
         * leases, and processes are suspended and go on.
         */
        BUSY_KEEPERS;

        boolean losesCommits() {
            return this == LOST_COMMITS || this == CLOCK_BEHIND || this == WINDOWS;
        }

        boolean changes() {
            return this == CHANGES || this == REGIONS;
        }

        boolean clockBehind() {
            return this == CLOCK_BEHIND || this == WINDOWS || changes();
        }

        /** How many seeds each build runs. */
        int seeds() {
            return switch (this) {
                case CLOCKS -> 100;
                case ROWS_CHANGED -> 20;
                case LOST_COMMITS, CLOCK_BEHIND, WINDOWS -> 17;
                case CHANGES, REGIONS -> 6;
                default -> 33;
            };
        }

        /** What may be then, and is no failure. */
        Set<Wrong> mayBe() {
            return switch (this) {
                case BUSY_KEEPERS -> Set.of();
                case ROWS_CHANGED -> Set.of(Wrong.LAPSED, Wrong.TASK_KEPT, Wrong.DUPLICATE, Wrong.RAISED);
                case LOST_COMMITS, CLOCK_BEHIND, WINDOWS -> Set.of(Wrong.LAPSED, Wrong.TASK_KEPT, Wrong.WITHOUT_LEASE);
                default -> Set.of(Wrong.LAPSED, Wrong.TASK_KEPT);
            };
        }

    }

    /** What must not be. */
    enum Wrong {

        /** An id was made before, or by another process. */
        DUPLICATE,

        /** A process made a smaller id after a larger one in one shard. */
        DISORDERED,

        /** A renewal lowered a bound. */
        LOWERED,

        /** A release gave back what was never leased. */
        RAISED,

        /** An id of a lease was made between its loss and the next lease. */
        AFTER_LOSS,

        /** An id carries a time to come. */
        EARLY,

        /** A keeper let its lease run out. */
        LAPSED,

        /** A keeper kept a task from running for too long. */
        TASK_KEPT,

        /** A process holds a lease that each copy of its memory may hold, too. */
        HELD_BY_A_COPY,

        /** A process renewed its lease in a closed table. */
        RENEWED_IN_CLOSED_TABLE,

        /** After the faults, fewer processes have a lease than could. */
        WITHOUT_LEASE

    }

    private final RemovedGuard removed;

    private final Trouble trouble;

    private final boolean tolerant;

    private final SimWorld world;

    private SimDatabase database;

    /** Another table, which was made from this one. */
    private @Nullable SimDatabase copy;

    private final @Nullable SimChanges changes;

    private long networkDownUntil;

    private final IdLayout layout;

    private final boolean deadline;

    private final boolean years;

    private final IdSet ids = new IdSet();

    /** Who has made UUIDs in a tick of a worker. */
    private final Map<Long, RandomProcess> owners = new HashMap<>();

    private final List<RandomProcess> processes = new ArrayList<>();

    private boolean faults = true;

    private int wanted = PROCESSES;

    private int started;

    private int losses;

    private final Map<Wrong, Integer> wrong = new EnumMap<>(Wrong.class);

    FleetSimulation(long seed, RemovedGuard removed, Trouble trouble, boolean tolerant) {
        this.removed = removed;
        this.trouble = trouble;
        this.tolerant = tolerant;
        this.world = new SimWorld(seed);
        boolean longTicks = seed % 2 == 0 || removed == RemovedGuard.ONE_TICK_MORE;
        this.layout = IdLayout.builder()
            .tick(longTicks ? Duration.ofMillis(10) : Duration.ofMillis(1))
            .shardBits(2)
            .workerBits((trouble == Trouble.REGIONS) ? 3 : 2)
            .sequenceBits(3)
            .build();
        this.deadline = seed / 2 % 2 == 0 || removed == RemovedGuard.ONLY_THE_DEADLINE;
        this.years = trouble == Trouble.CLOCKS && seed % 5 == 0;
        this.database = new SimDatabase();
        this.changes = trouble.changes() ? new SimChanges(this, this.database,
                (trouble == Trouble.REGIONS) ? LeaseRules.workers(this.layout) : WORKERS, trouble == Trouble.REGIONS)
                : null;
    }

    /**
     * What a run came to.
     *
     * @param ids how many ids were made
     * @param losses how many losses of a lease were noticed
     * @param changes how many changes of operators were made
     * @param wrong what was wrong, and how often
     */
    record Outcome(int ids, int losses, int changes, Map<Wrong, Integer> wrong) {
    }

    Outcome run() {
        SimChanges operators = this.changes;
        if (operators != null) {
            operators.begin();
        }
        else {
            beginAged();
            joinAll();
        }
        if (isCopied()) {
            this.world.after(5 * SECOND + this.world.random().nextLong(20 * SECOND),
                    () -> this.copy = this.database.copy());
        }
        this.world.after(SECOND, this::somethingGoesWrong);
        long end = (operators != null) ? CHANGES_NANOS : RUN_NANOS;
        this.world.runUntil(end);
        quieten();
        this.world.runUntil(end + ((operators != null) ? 6 * RUN_NANOS : 30 * SECOND));
        int usable = (int) this.processes.stream().filter((each) -> each.engine.usable()).count();
        int expected = (operators != null) ? operators.expectedAtEnd()
                : Math.min(this.processes.size(), rowsInReach(this.database, ALL_WORKERS));
        wrong(Wrong.WITHOUT_LEASE, Math.max(0, expected - usable));
        for (SimDatabase each : (operators != null) ? operators.databases() : List.of(this.database)) {
            wrong(Wrong.LOWERED, each.lowered());
            wrong(Wrong.RAISED, each.raised());
        }
        return new Outcome(this.ids.size(), this.losses, (operators != null) ? operators.done() : 0, this.wrong);
    }

    void wrong(Wrong what) {
        wrong(what, 1);
    }

    private void wrong(Wrong what, int times) {
        if (times > 0) {
            this.wrong.merge(what, times, Integer::sum);
        }
    }

    /** In a new namespace, tolerant processes would wait for a minute. */
    private void beginAged() {
        if (this.tolerant) {
            this.database.begin(this.world.now(), "begin", tickAt(this.database.millis(this.world.now()) - 2 * 60_000),
                    LayoutText.of(terms(SimTime.any(this.world)), leaseSettings(true, null)));
        }
    }

    /**
     * What lies between a process and the database: it loses, delays and delivers late,
     * and shows a past that is gone.
     */
    void send(SimDatabase database, LeaseStatement statement, Consumer<LeaseReply> receiver) {
        boolean faults = faults();
        double fate = this.world.random().nextDouble();
        long there = 100_000 + this.world.span(this.world.chance(0.05) ? 400_000_000 : 5_000_000);
        long back = 100_000 + this.world.span(this.world.chance(0.05) ? 400_000_000 : 5_000_000);
        if (faults && (this.world.now() < this.networkDownUntil || fate < 0.03)) {
            timeOut(receiver);
        }
        else if (faults && fate < 0.08) {
            this.world.after(there, () -> execute(database, statement));
            timeOut(receiver);
        }
        else if (faults && fate < 0.13) {
            this.world.after(this.world.random().nextLong(LATEST_NANOS), () -> execute(database, statement));
            timeOut(receiver);
        }
        else {
            this.world.after(there, () -> {
                LeaseReply reply = execute(database, statement);
                this.world.after(back, () -> receiver.accept(reply));
            });
        }
    }

    private void timeOut(Consumer<LeaseReply> receiver) {
        this.world.after(SECOND, () -> receiver.accept(new LeaseReply.Unknown(new IOException("timed out"))));
    }

    private LeaseReply execute(SimDatabase database, LeaseStatement statement) {
        long stale = (faults() && this.world.chance(0.1)) ? this.world.random().nextLong(STALEST_NANOS) : 0;
        return this.removed.execute(statement, database, this.world.now(), stale);
    }

    long tickAt(long millis) {
        return this.layout.tickAtEpochNanos(millis * 1_000_000);
    }

    /** How far the clock of a promoted server is behind. */
    long behind() {
        return this.world.chance(0.5) ? BEHIND_MILLIS : this.world.random().nextLong(BEHIND_MILLIS);
    }

    /** The faults end; as many processes stay as there are worker ids. */
    private void quieten() {
        this.faults = false;
        if (this.changes != null) {
            this.changes.quieten();
            return;
        }
        this.wanted = WORKERS;
        stepClock(0);
        this.database.standbyReturns();
        while (this.processes.size() > WORKERS) {
            this.processes.get(0).kill();
        }
    }

    /**
     * How many worker ids are not leased into a future that a wrong clock has made, or
     * the clock of another table.
     */
    int rowsInReach(SimDatabase rows, WorkerIdRange workers) {
        long now = this.layout.tickAtEpochNanos(rows.millis(this.world.now()) * 1_000_000);
        long windowTicks = 2 * WINDOW_NANOS / this.layout.tick().toNanos();
        long until = rows.millis(this.world.now()) + 2 * WINDOW_NANOS / 1_000_000;
        return workers.size() - (int) rows.rows()
            .stream()
            .filter((row) -> workers.contains(row.worker()))
            .filter((row) -> row.hwmTick() > now + ((row.leaseUntilMillis() != 0) ? windowTicks : -windowTicks)
                    || row.leaseUntilMillis() > until)
            .count();
    }

    private void somethingGoesWrong() {
        if (!this.faults) {
            return;
        }
        this.world.after(this.world.random().nextLong(leasesGoOn() ? RARELY_NANOS : SECOND), this::somethingGoesWrong);
        if (this.processes.isEmpty()) {
            return;
        }
        RandomProcess one = this.processes.get(this.world.random().nextInt(this.processes.size()));
        if (this.trouble == Trouble.BUSY_KEEPERS) {
            one.checkpoint(this.world.span(3 * SECOND));
            return;
        }
        switch (this.world.random().nextInt(8)) {
            case 0 -> one.kill();
            case 1 -> stop(one);
            case 2 -> one.pause(this.world.span(10 * SECOND));
            case 3 -> one.suspendMachine(this.world.span(10 * SECOND));
            case 4 -> one.time.stepWall(this.years && this.world.chance(0.3) ? signed(YEAR_NANOS) : wallOffset());
            case 5 -> this.networkDownUntil = this.world.now() + this.world.span(8 * SECOND);
            default -> databaseTrouble();
        }
    }

    private void stop(RandomProcess process) {
        switch (this.trouble) {
            case FULL_HEAP -> process.checkpoint(this.world.span(2 * SECOND));
            default -> {
                if (this.world.chance(0.5)) {
                    process.checkpoint(this.world.span(2 * SECOND));
                }
                else {
                    process.close();
                }
            }
        }
    }

    private void joinAll() {
        for (int i = 0; i < PROCESSES; i++) {
            this.world.after(this.world.span(2 * SECOND), () -> join(null));
        }
    }

    private void databaseTrouble() {
        if (this.changes != null) {
            this.changes.trouble();
            return;
        }
        if (this.database.rows().isEmpty()) {
            // a namespace that begins in the future has its first tick there forever
            return;
        }
        if (this.trouble == Trouble.ROWS_CHANGED) {
            changeRows();
        }
        else if (this.trouble.losesCommits()) {
            loseCommits();
        }
        else if (this.trouble == Trouble.STANDBY_CUT) {
            if (this.database.confirms()) {
                this.database.cutStandby();
            }
            else if (this.world.chance(0.5)) {
                this.database.promoteStandby();
            }
            else {
                this.database.standbyReturns();
            }
        }
        else if (this.years && this.world.chance(0.1)) {
            stepClock(signed(YEAR_NANOS) / 1_000_000);
            this.world.after(this.world.span(SECOND), () -> stepClock(0));
        }
        else {
            stepClock(step());
        }
    }

    /** How far a clock is set from the true time. */
    long step() {
        return signed(this.world.random().nextLong(4 * SECOND)) / 1_000_000;
    }

    private void loseCommits() {
        long lost = this.trouble.clockBehind() ? 6 * SECOND - this.world.span(6 * SECOND)
                : this.world.random().nextLong(5 * SECOND);
        this.database.loseCommitsSince(Math.max(1, this.world.now() - lost));
        if (this.trouble.clockBehind()) {
            stepClock(behind());
        }
    }

    private void stepClock(long offsetMillis) {
        stepClock(this.database, offsetMillis);
    }

    void stepClock(SimDatabase rows, long offsetMillis) {
        rows.stepClock(offsetMillis);
        processesAt(rows).forEach((each) -> each.databaseIsAhead(offsetMillis));
    }

    List<RandomProcess> processesAt(SimDatabase rows) {
        return this.processes.stream().filter((each) -> each.home() == rows).toList();
    }

    /** What the promise forbids. */
    private void changeRows() {
        int worker = this.world.random().nextInt(WORKERS);
        long now = this.world.now();
        switch (this.world.random().nextInt(4)) {
            case 0 -> this.database.remove(now, (row) -> row.worker() == worker);
            case 1 -> this.database.remove(now, (row) -> true);
            case 2 -> this.database.loseCommitsSince(now - this.world.random().nextLong(5 * SECOND));
            default -> this.database.lowerMark(now, worker,
                    this.world.random().nextLong(5 * SECOND) / this.layout.tick().toNanos());
        }
    }

    private long signed(long nanos) {
        return this.world.chance(0.5) ? nanos : -nanos;
    }

    long wallOffset() {
        return signed(this.world.random().nextLong(5 * SECOND));
    }

    private void join(@Nullable TickLease fromFile) {
        if (this.processes.size() < this.wanted) {
            this.processes.add(new RandomProcess(this, leaseSettings(this.tolerant, null), this.database, fromFile));
        }
    }

    void join(SimDatabase rows, LeaseSettings leaseSettings) {
        this.processes.add(new RandomProcess(this, leaseSettings, rows, null));
    }

    void left(RandomProcess process, @Nullable TickLease file) {
        if (!this.processes.remove(process)) {
            return;
        }
        if (this.changes != null) {
            this.changes.left(process.home());
        }
        else if (this.faults) {
            this.world.after(this.world.span(3 * SECOND), () -> join(file));
        }
    }

    void made(long id, RandomProcess process) {
        if (!this.ids.add(id)) {
            wrong(Wrong.DUPLICATE);
        }
        checkTime(this.layout.tickOf(id), process);
    }

    /** Ids go by the clock of the database as a process has seen it. */
    private void checkTime(long tick, RandomProcess process) {
        if (process.mayRunAhead()) {
            return;
        }
        long ahead = MAX_AHEAD.toNanos() + process.databaseAheadMillis() * 1_000_000;
        long latest = SimWorld.BASE_EPOCH_NANOS + this.world.now() + ahead + CLOCK_ERROR_NANOS;
        if (tick > this.layout.tickAtEpochNanos(latest)) {
            wrong(Wrong.EARLY);
        }
    }

    /** UUIDs need ticks of a millisecond. */
    boolean makesUuids() {
        return this.layout.tick().equals(Duration.ofMillis(1));
    }

    /**
     * No two processes may claim in one tick of one worker, in whatever sequence. What is
     * equal in one process shows in the order.
     */
    void made(EngineProbe.UuidClaim claim, RandomProcess process) {
        RandomProcess owner = this.owners.putIfAbsent(claim.tick() << 3 | claim.worker(), process);
        if (owner != null && owner != process) {
            wrong(Wrong.DUPLICATE);
        }
        checkTime(claim.tick(), process);
    }

    /** A process does not know yet what its table says, or the table is closed. */
    void refused(ShardedIdConfigurationException why) {
        if (this.changes == null) {
            throw why;
        }
    }

    /** A process has noticed that its lease was lost. */
    void lost() {
        this.losses++;
    }

    /** Whether there are fewer faults, so that changes come to their end. */
    boolean leasesGoOn() {
        return this.trouble.changes();
    }

    /** How long a keeper uses its store for something else than its lease. */
    long besideNanos() {
        if (this.trouble == Trouble.BUSY_KEEPERS) {
            return SECOND / 4 + this.world.random().nextLong(SECOND / 2);
        }
        return this.world.span(this.world.chance(0.05) ? SECOND : 5_000_000);
    }

    /** Whether a process finds no memory for new cells now. */
    boolean heapFull() {
        return this.trouble == Trouble.FULL_HEAP && this.faults && this.world.chance(0.5);
    }

    /** The lease with its deadline, or without. */
    TickLease timed(TickLease lease) {
        return this.deadline ? lease : new TickLease(lease.worker(), lease.lo(), lease.hi(),
                lease.deadlineNanos() + 1000 * SECOND, lease.clock());
    }

    EngineTerms terms(TimeSource time) {
        return new EngineTerms(this.layout, SHARDS, "modulo", MAX_AHEAD, Duration.ofSeconds(1), null, time);
    }

    LeaseSettings leaseSettings(boolean tolerates, @Nullable WorkerIdRange asked) {
        boolean anyWindow = this.trouble == Trouble.WINDOWS;
        long window = anyWindow ? WINDOWS_MILLIS[this.world.random().nextInt(WINDOWS_MILLIS.length)]
                : WINDOW_NANOS / 1_000_000;
        LeaseSettings.Builder settings = LeaseSettings.builder()
            .namespace("sim")
            .window(Duration.ofMillis(window))
            .renewEvery(Duration.ofMillis(800))
            .startupTimeout(Duration.ofSeconds(40))
            .tolerateLostCommits(tolerates)
            .promotedClockBehind(Duration.ofMillis(this.trouble.clockBehind() ? BEHIND_MILLIS : 0))
            .owner((tolerates ? "process " : "plain process ") + this.started++);
        if (asked != null) {
            settings.workerIds(asked);
        }
        return settings.build();
    }

    SimWorld world() {
        return this.world;
    }

    /** Whether there is another table at some time. */
    boolean isCopied() {
        return this.trouble == Trouble.ANOTHER_TABLE || this.trouble == Trouble.CHANGES;
    }

    /** The table of the next process if it is not that of the application. */
    @Nullable SimDatabase copyForNext() {
        double often = (this.changes != null) ? 0.15 : 0.5;
        return (this.copy != null && this.faults && this.world.chance(often)) ? this.copy : null;
    }

    RemovedGuard removed() {
        return this.removed;
    }

    boolean faults() {
        return this.faults && this.trouble != Trouble.BUSY_KEEPERS;
    }

}
