package io.shardedid.internal.lease;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

import io.shardedid.EngineProbe;
import io.shardedid.LeaseClock;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TickLease;
import io.shardedid.internal.lease.FleetSimulation.Wrong;
import org.jspecify.annotations.Nullable;

/**
 * A process to which things happen by chance, in virtual time: callers ask for ids, its
 * network may fail, there are tasks beside the lease, and somebody looks at the rows.
 */
final class RandomProcess extends SimProcess {

    private static final long SHORTEST_WAIT_NANOS = 100_000;

    private static final int TASKS = 4;

    private static final long TASK_EVERY_NANOS = 2_000_000_000L;

    private static final long LOOK_EVERY_NANOS = 3_000_000_000L;

    /** How long a task may be kept from running while its process leases. */
    private static final long TASK_WAITS_NANOS = 12_000_000_000L;

    /** How long the keeper waits after a round that failed. */
    private static final long KEEPER_PAUSE_NANOS = 500_000_000;

    /** How long the application looks for the lease before its start fails. */
    private static final long SEEN_WITHIN_NANOS = 2_000_000_000L;

    private final FleetSimulation fleet;

    private final SimWorld world;

    private final Set<String> written = new HashSet<>();

    /** The database of the application. */
    private final SimDatabase home;

    /** The keeper's connection leads there, and that of the application does not. */
    private final @Nullable SimDatabase copy;

    /** Whether the application has read what the keeper has written. */
    private boolean seen;

    /** Since when the application has read something else, or 0. */
    private long unseenSince;

    private final List<SimTask> tasks = new ArrayList<>();

    /** Whether somebody has looked at the rows since they were read. */
    private boolean looked;

    private boolean exchanging;

    private boolean dead;

    /** Ids of a call that a kill interrupted were never seen by anybody. */
    private boolean killed;

    private long pausedUntil;

    private long pumps;

    /** Whether a lease was ever lost. */
    private boolean hasLost;

    /** Whether the lease was lost, and there is no other yet. */
    private boolean leaseLost;

    /** How far the clock of the database was ahead at most since this process began. */
    private long databaseAheadMillis;

    private final long[] lastIds = new long[FleetSimulation.SHARDS];

    private final long[] lastUuids = new long[FleetSimulation.SHARDS];

    private long lastKeyless;

    /** How many UUIDs were asked for. */
    private int uuids;

    RandomProcess(FleetSimulation fleet, LeaseSettings leaseSettings, SimDatabase home, @Nullable TickLease fromFile) {
        this(fleet, SimTime.any(fleet.world()), leaseSettings, home, fromFile);
    }

    private RandomProcess(FleetSimulation fleet, SimTime time, LeaseSettings leaseSettings, SimDatabase home,
            @Nullable TickLease fromFile) {
        super(fleet.removed(), time, fleet.terms(time), leaseSettings, fleet::heapFull);
        this.fleet = fleet;
        this.home = home;
        this.world = fleet.world();
        time.stepWall(fleet.wallOffset());
        databaseIsAhead(home.aheadMillis());
        this.copy = fleet.copyForNext();
        this.seen = !fleet.isCopied() || this.removed == RemovedGuard.ANOTHER_TABLE_BELIEVED;
        time.afterRead(this::pauseAfterClockRead);
        if (fromFile != null) {
            goOnWith(new TickLease(fromFile.worker(), fromFile.lo(), fromFile.hi(), time.read() + 1_000_000_000L,
                    new LeaseClock(time.read(), time.epochNanos())));
        }
        for (int i = 0; i < TASKS; i++) {
            SimTask task = new SimTask(time.read() + this.world.random().nextLong(TASK_EVERY_NANOS));
            this.tasks.add(task);
            this.rounds.add(task);
        }
        pump();
        for (int caller = 0; caller < 2; caller++) {
            this.world.after(this.world.span(20_000_000), this::call);
        }
        this.world.after(this.world.random().nextLong(LOOK_EVERY_NANOS), this::look);
    }

    @Override
    String token() {
        String token = Long.toHexString(this.world.random().nextLong());
        this.written.add(token);
        return token;
    }

    @Override
    RandomGenerator choice() {
        return this.world.random().split();
    }

    @Override
    LeaseReport report() {
        return new Heard();
    }

    @Override
    TickLease timed(TickLease lease) {
        return this.fleet.timed(lease);
    }

    @Override
    void begun(boolean beforeSuspension) {
        if (beforeSuspension) {
            this.fleet.wrong(Wrong.HELD_BY_A_COPY);
        }
    }

    @Override
    void ending() {
    }

    /* The keeper. */

    private void pump() {
        long version = ++this.pumps;
        if (this.dead || this.exchanging || waits(() -> pumpIf(version))) {
            return;
        }
        try {
            carryOut(step(), version);
        }
        catch (OutOfMemoryError ex) {
            this.world.after(KEEPER_PAUSE_NANOS, () -> pumpIf(version));
        }
    }

    /** Whether it is paused, and what it was to do comes afterwards. */
    private boolean waits(Runnable afterwards) {
        boolean paused = this.world.now() < this.pausedUntil;
        if (paused) {
            this.world.after(this.pausedUntil - this.world.now(), afterwards);
        }
        return paused;
    }

    /** The next step of the rounds, with a guard removed if one is to be. */
    private KeeperRounds.Step step() {
        if (this.removed == RemovedGuard.SUSPENSION_FORGOTTEN && suspended()) {
            this.rounds.suspend();
        }
        if (this.removed == RemovedGuard.OTHERS_BEFORE_LEASE && !givesBack()) {
            for (SimTask task : this.tasks) {
                if (task.overdueNanos(this.time.read()) >= 0) {
                    return new KeeperRounds.Run(task);
                }
            }
        }
        return this.rounds.next();
    }

    private void carryOut(KeeperRounds.Step step, long version) {
        if (step instanceof KeeperRounds.Send send) {
            this.exchanging = true;
            LeaseStatement statement = send(send.statement());
            this.fleet.send((this.copy != null) ? this.copy : this.home, statement, this::received);
        }
        else if (step instanceof KeeperRounds.Run run && run.task() instanceof SimTask task) {
            beside(() -> task.ran(this.time.read()));
        }
        else if (step instanceof KeeperRounds.StandStill still) {
            this.world.after(still.nanos(), () -> pumpIf(version));
        }
        else if (step instanceof KeeperRounds.Wait wait) {
            this.world.after(Math.max(SHORTEST_WAIT_NANOS, wait.nanos()), () -> pumpIf(version));
        }
        else {
            end();
        }
    }

    /** Uses the store for something else than the lease. */
    private void beside(Runnable done) {
        for (SimTask task : this.tasks) {
            if (task.overdueNanos(this.time.read()) > TASK_WAITS_NANOS) {
                this.fleet.wrong(Wrong.TASK_KEPT);
            }
        }
        this.exchanging = true;
        this.world.after(this.fleet.besideNanos(), () -> {
            if (!this.dead) {
                this.exchanging = false;
                done.run();
                pump();
            }
        });
    }

    private void end() {
        this.dead = true;
        this.fleet.left(this, null);
    }

    private void pumpIf(long version) {
        if (version == this.pumps) {
            pump();
        }
    }

    private void received(LeaseReply reply) {
        if (this.dead || waits(() -> received(reply))) {
            return;
        }
        this.exchanging = false;
        try {
            hear(reply);
        }
        catch (OutOfMemoryError ex) {
            this.world.after(KEEPER_PAUSE_NANOS, this::pump);
            return;
        }
        catch (ShardedIdConfigurationException ex) {
            this.fleet.refused(ex);
            end();
            return;
        }
        pump();
    }

    /* The callers. */

    private void call() {
        if (this.dead || closing() || waits(this::call)) {
            return;
        }
        boolean served = seen() && make();
        if (!served && !givesBack()) {
            if (this.engine.lapsed()) {
                this.fleet.wrong(Wrong.LAPSED);
            }
            this.rounds.wake();
            pump();
        }
        this.world.after(this.world.span(60_000_000), this::call);
    }

    /** Somebody looks who holds which worker id. */
    private void look() {
        if (!this.dead && !closing()) {
            // a guard is removed from what a renewal reads by itself
            this.looked = this.removed == RemovedGuard.NONE;
            this.world.after(LOOK_EVERY_NANOS, this::look);
        }
    }

    private boolean make() {
        int shard = this.world.random().nextInt(FleetSimulation.SHARDS);
        return this.world.chance(0.05) ? fill(shard) : some(shard);
    }

    /**
     * Whether the application reads the first lease in its own table. If it does not, the
     * start fails.
     */
    private boolean seen() {
        TickLease lease = this.engine.lease();
        if (!this.seen && lease.leased()) {
            LeaseRow row = this.home.row(lease.worker());
            this.seen = row != null && this.written.contains(row.token());
            if (this.seen || this.unseenSince == 0) {
                this.unseenSince = this.world.now();
            }
            else if (this.world.now() - this.unseenSince > SEEN_WITHIN_NANOS) {
                close();
            }
        }
        return this.seen;
    }

    private boolean some(int shard) {
        int wanted = 1 + this.world.random().nextInt(6);
        for (int i = 0; i < wanted; i++) {
            boolean keyless = this.world.chance(0.1);
            long id = keyless ? this.engine.tryNextKeyless() : next(shard);
            if (id < 0) {
                return false;
            }
            made(id);
            if (keyless) {
                // in order over all shards
                this.lastKeyless = inOrder(this.lastKeyless, id);
            }
        }
        return !this.fleet.makesUuids() || uuid(shard);
    }

    private boolean uuid(int shard) {
        int ahead = (++this.uuids % 4 == 0) ? this.uuids % 13 * 65_536 : 0;
        EngineProbe.UuidClaim claim = this.engine.tryNextUuid(shard, ahead);
        if (claim.made() && !this.killed) {
            madeNow();
            this.fleet.made(claim, this);
            this.lastUuids[shard] = inOrder(this.lastUuids[shard], claim.cell());
        }
        return claim.made();
    }

    private boolean fill(int shard) {
        long[] ids = new long[200];
        long count = this.engine.tryFill(shard, ids);
        for (int i = 0; i < count; i++) {
            made(ids[i]);
        }
        return count > 0;
    }

    private void made(long id) {
        if (!this.killed) {
            madeNow();
            this.fleet.made(id, this);
            int shard = this.terms.layout().shardOf(id);
            this.lastIds[shard] = inOrder(this.lastIds[shard], id);
        }
    }

    private long inOrder(long before, long id) {
        if (id <= before) {
            this.fleet.wrong(Wrong.DISORDERED);
        }
        return id;
    }

    private void madeNow() {
        if (this.leaseLost) {
            this.fleet.wrong(Wrong.AFTER_LOSS);
        }
    }

    private long next(int shard) {
        return (this.removed == RemovedGuard.CHECK_FIRST_READ_CLOCK_AFTER)
                ? this.engine.checkFirstThenReadTheClock(shard) : this.engine.tryNext(shard);
    }

    private void pauseAfterClockRead() {
        if (this.fleet.faults() && this.world.chance(this.fleet.leasesGoOn() ? 0.0002 : 0.002)) {
            long pause = this.world.span(8_000_000_000L);
            if (this.world.chance(0.5)) {
                pause(pause);
            }
            if (this.world.chance(0.1)) {
                close();
            }
            this.world.standStill(pause);
        }
    }

    /* What happens to it. */

    void pause(long nanos) {
        this.pausedUntil = Math.max(this.pausedUntil, this.world.now() + nanos);
    }

    void suspendMachine(long nanos) {
        pause(nanos);
        this.world.after(nanos, () -> this.time.suspended(nanos));
    }

    /** Is suspended for a while. */
    void checkpoint(long nanos) {
        if (givesBack()) {
            return;
        }
        suspend();
        this.world.after(nanos, () -> {
            if (!this.dead && suspended()) {
                resume();
                pump();
            }
        });
        pump();
    }

    void kill() {
        this.killed = true;
        this.dead = true;
        this.fleet.left(this, file());
    }

    @Override
    void close() {
        super.close();
        pump();
    }

    SimDatabase home() {
        return this.home;
    }

    /**
     * Whether its ids may run ahead of the clock of the database as it has seen it, which
     * they do after a loss, and by design on a database that may lose commits.
     */
    boolean mayRunAhead() {
        return this.leaseSettings.tolerateLostCommits() || this.hasLost;
    }

    void databaseIsAhead(long millis) {
        this.databaseAheadMillis = Math.max(this.databaseAheadMillis, millis);
    }

    long databaseAheadMillis() {
        return this.databaseAheadMillis;
    }

    /** Work beside the lease. */
    private static final class SimTask implements LeaseThreadTask {

        private long dueNanos;

        SimTask(long dueNanos) {
            this.dueNanos = dueNanos;
        }

        @Override
        public long dueNanos() {
            return this.dueNanos;
        }

        long overdueNanos(long now) {
            return now - this.dueNanos;
        }

        void ran(long now) {
            this.dueNanos = now + TASK_EVERY_NANOS;
        }

        @Override
        public boolean run() {
            throw new IllegalStateException("the simulation carries it out");
        }

        @Override
        public void end() {
        }

    }

    private final class Heard extends SilentReport {

        Heard() {
            super(RandomProcess.this.terms, RandomProcess.this.leaseSettings);
        }

        @Override
        boolean wantsRows() {
            return RandomProcess.this.looked;
        }

        @Override
        void read(LeaseReply.Rows read) {
            RandomProcess.this.looked = false;
        }

        @Override
        void held(RequestedLease lease, boolean fresh, LeaseReply.@Nullable Rows before) {
            RandomProcess.this.leaseLost = false;
        }

        @Override
        void lost(int worker, String why) {
            RandomProcess.this.leaseLost = true;
            RandomProcess.this.hasLost = true;
            RandomProcess.this.fleet.lost();
        }

    }

}
