package io.shardedid.internal.lease;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.shardedid.EngineProbe;
import io.shardedid.EngineTerms;
import io.shardedid.LeaseClock;
import io.shardedid.LeaseSettings;
import io.shardedid.LeaseSource;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TickLease;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.LeaseHolder;
import org.jspecify.annotations.Nullable;

/**
 * One process of the fleet: the engine, the rounds of the keeper and nothing of ours in
 * between, with callers that ask for ids, a network that may fail, and tasks beside the
 * lease and looks at the rows. Dies and comes back as a fresh object.
 */
final class SimProcess {

    private static final long SHORTEST_WAIT_NANOS = 100_000;

    private static final int ERRANDS = 4;

    private static final long ERRAND_EVERY_NANOS = 2_000_000_000L;

    private static final long LOOK_EVERY_NANOS = 3_000_000_000L;

    /** How long a task may be kept from running while its process leases. */
    private static final long ERRAND_WAITS_NANOS = 12_000_000_000L;

    /** How long the keeper waits after a round that failed. */
    private static final long KEEPER_PAUSE_NANOS = 500_000_000;

    /** How long the application looks for the lease before its start fails. */
    private static final long SEEN_WITHIN_NANOS = 2_000_000_000L;

    private final FleetSimulation fleet;

    private final SimWorld world;

    private final RemovedGuard removed;

    private final SimTime time;

    private final LeaseSettings leaseSettings;

    private final EngineTerms terms;

    private final EngineProbe engine;

    /** The keeper's steps are carried out from outside. */
    private final LeaseSource source = WorkerLeases.fixed(0);

    private final Supplier<String> tokens;

    private final Set<String> written = new HashSet<>();

    /** The database of the application. */
    private final SimDatabase home;

    /** The keeper's connection leads there, and that of the application does not. */
    private final @Nullable SimDatabase copy;

    /** Whether the application has read what the keeper has written. */
    private boolean seen;

    /** Since when the application has read something else, or 0. */
    private long unseenSince;

    private final KeeperRounds rounds;

    private @Nullable EndableHolder holder;

    private final List<SimTask> tasks = new ArrayList<>();

    /** Whether somebody has looked at the rows since they were read. */
    private boolean looked;

    private boolean exchanging;

    private boolean closing;

    private boolean suspended;

    /** Whether a suspension has not reached the rounds yet, without a guard. */
    private boolean suspensionPending;

    /** How often the process was suspended. */
    private int suspensions;

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

    SimProcess(FleetSimulation fleet, LeaseSettings leaseSettings, SimDatabase home, @Nullable TickLease fromFile) {
        this.fleet = fleet;
        this.home = home;
        this.world = fleet.world();
        this.removed = fleet.removed();
        this.time = new SimTime(this.world);
        this.time.stepWall(fleet.wallOffset());
        this.leaseSettings = leaseSettings;
        this.terms = fleet.terms(this.time);
        databaseIsAhead(home.aheadMillis());
        this.engine = new EngineProbe(this.terms, this.source, fleet::heapFull);
        this.tokens = () -> {
            String token = Long.toHexString(this.world.random().nextLong());
            this.written.add(token);
            return token;
        };
        this.copy = fleet.copyForNext();
        this.seen = !fleet.isCopied() || this.removed == RemovedGuard.ANOTHER_TABLE_BELIEVED;
        this.rounds = new KeeperRounds(false, this::protocol, this.time::read);
        this.time.afterRead(this::pauseAfterClockRead);
        if (fromFile != null) {
            holder(0).hold(new TickLease(fromFile.worker(), fromFile.lo(), fromFile.hi(),
                    this.time.read() + 1_000_000_000L, new LeaseClock(this.time.read(), this.time.epochNanos())));
        }
        for (int i = 0; i < ERRANDS; i++) {
            SimTask task = new SimTask(this.time.read() + this.world.random().nextLong(ERRAND_EVERY_NANOS));
            this.tasks.add(task);
            this.rounds.add(task);
        }
        pump();
        for (int caller = 0; caller < 2; caller++) {
            this.world.after(this.world.span(20_000_000), this::call);
        }
        this.world.after(this.world.random().nextLong(LOOK_EVERY_NANOS), this::look);
    }

    /* The keeper. */

    private void pump() {
        long version = ++this.pumps;
        if (this.dead || this.exchanging) {
            return;
        }
        if (this.world.now() < this.pausedUntil) {
            this.world.after(this.pausedUntil - this.world.now(), () -> pumpIf(version));
            return;
        }
        try {
            carryOut(step(), version);
        }
        catch (OutOfMemoryError ex) {
            this.world.after(KEEPER_PAUSE_NANOS, () -> pumpIf(version));
        }
    }

    /** The next step of the rounds, with a guard removed if one is to be. */
    private KeeperRounds.Step step() {
        if (this.suspensionPending) {
            this.suspensionPending = false;
            this.rounds.suspend();
        }
        if (this.removed == RemovedGuard.OTHERS_BEFORE_LEASE && !this.suspended && !this.closing) {
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
            this.rounds.sending();
            send(send.statement());
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
        this.tasks.forEach(this::checkOverdue);
        this.exchanging = true;
        this.world.after(this.fleet.besideNanos(), () -> {
            if (!this.dead) {
                this.exchanging = false;
                done.run();
                pump();
            }
        });
    }

    private void checkOverdue(SimTask task) {
        if (task.overdueNanos(this.time.read()) > ERRAND_WAITS_NANOS) {
            this.fleet.kept();
        }
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

    private LeaseProtocol protocol() {
        LeaseHolder now = holder(this.suspensions);
        EndableHolder fresh = new EndableHolder(() -> now, () -> {
        });
        this.holder = fresh;
        return new LeaseProtocol(this.terms, this.leaseSettings, this.rounds.layoutRow(), fresh, new Heard(),
                this.tokens, this.world.random().split(), this.time.read());
    }

    private void send(LeaseStatement statement) {
        this.exchanging = true;
        if (this.removed == RemovedGuard.HI_RAISED_BEFORE_COMMIT && statement instanceof LeaseStatement.Update update
                && update.acquisitionStep() == 0 && this.engine.lease().leased() && !givesBack()) {
            TickLease lease = this.engine.lease();
            holder(this.suspensions).hold(
                    new TickLease(lease.worker(), lease.lo(), update.hwmTick(), lease.deadlineNanos(), lease.clock()));
        }
        this.fleet.network()
            .send((this.copy != null) ? this.copy : this.home, sent(statement), this.time, this.leaseSettings,
                    (reply) -> received(statement, reply));
    }

    private boolean givesBack() {
        return this.closing || this.suspended;
    }

    private LeaseStatement sent(LeaseStatement statement) {
        return (this.removed == RemovedGuard.RELEASE_ABOVE_ITS_LEASE && givesBack()
                && statement instanceof LeaseStatement.Update update && update.leaseUntilMillis() == 0)
                        ? new LeaseStatement.Update(update.worker(), update.seenToken(), update.hwmAtMost(),
                                update.token(), 0, 0, Math.max(update.hwmTick(), this.engine.lastTick() + 1), null,
                                update.layout(), null)
                        : statement;
    }

    private void received(LeaseStatement statement, LeaseReply reply) {
        if (this.dead) {
            return;
        }
        if (this.world.now() < this.pausedUntil) {
            this.world.after(this.pausedUntil - this.world.now(), () -> received(statement, reply));
            return;
        }
        this.exchanging = false;
        boolean read = statement instanceof LeaseStatement.ReadAll || statement instanceof LeaseStatement.ReadOne;
        LeaseReply taken = reply;
        if (this.removed == RemovedGuard.UNKNOWN_TAKEN_AS_SUCCESS && !read && reply instanceof LeaseReply.Unknown) {
            taken = new LeaseReply.Written(1);
        }
        if (this.removed == RemovedGuard.LEASE_HELD_WHEN_READ && reply instanceof LeaseReply.Unknown
                && confirmsWhatWasRead(statement)) {
            taken = new LeaseReply.Written(1);
        }
        try {
            this.rounds.reply(taken);
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

    /** Nobody renews who holds no lease, but for a lease that a read has shown. */
    private boolean confirmsWhatWasRead(LeaseStatement statement) {
        return statement instanceof LeaseStatement.Update update && update.acquisitionStep() == 0
                && !this.engine.lease().leased() && !givesBack();
    }

    /** The engine as the protocol sees it, with a guard removed if one is to be. */
    private LeaseHolder holder(int suspensionsBefore) {
        return new LeaseHolder() {
            @Override
            public void hold(TickLease lease) {
                if (lease.leased() && !SimProcess.this.suspended && suspensionsBefore < SimProcess.this.suspensions) {
                    SimProcess.this.fleet.heldByACopy();
                }
                TickLease held = SimProcess.this.fleet.weakened(lease, SimProcess.this.leaseSettings,
                        SimProcess.this.time);
                if (SimProcess.this.removed == RemovedGuard.NO_IN_PROCESS_LAST_TICK && lease.leased()) {
                    SimProcess.this.engine.forgetCells(SimProcess.this.source);
                }
                if (SimProcess.this.removed == RemovedGuard.WORKER_CHANGE_POISONS_BEFORE_ALLOCATION) {
                    SimProcess.this.engine.holdPoisonFirst(held);
                }
                else {
                    SimProcess.this.engine.holder().hold(held);
                }
            }

            @Override
            public long relinquish() {
                boolean lost = !givesBack();
                return switch (SimProcess.this.removed) {
                    case RELEASE_WITHOUT_POISON -> SimProcess.this.engine.relinquishWithoutPoison();
                    case RELEASE_FORGETS_UUIDS -> SimProcess.this.engine.relinquishByNumbersAlone();
                    case RELEASE_POISONS_BEFORE_ALLOCATION -> relinquishAgainAndAgain();
                    case LEASE_KEPT_AFTER_LOSS ->
                        lost ? SimProcess.this.engine.keepsLease() : SimProcess.this.engine.holder().relinquish();
                    case LOSS_WITHOUT_POISON -> lost ? SimProcess.this.engine.relinquishWithoutPoison()
                            : SimProcess.this.engine.holder().relinquish();
                    default -> SimProcess.this.engine.holder().relinquish();
                };
            }
        };
    }

    private long relinquishAgainAndAgain() {
        while (true) {
            try {
                return this.engine.relinquishPoisonFirst();
            }
            catch (OutOfMemoryError ex) {
                // the keeper comes again
            }
        }
    }

    /* The callers. */

    private void call() {
        if (this.dead || this.closing) {
            return;
        }
        if (this.world.now() < this.pausedUntil) {
            this.world.after(this.pausedUntil - this.world.now(), this::call);
            return;
        }
        boolean served = seen() && make();
        if (!served && !givesBack()) {
            if (this.engine.lapsed()) {
                this.fleet.lapsed();
            }
            this.rounds.wake();
            pump();
        }
        this.world.after(this.world.span(60_000_000), this::call);
    }

    /** Somebody looks who holds which worker id. */
    private void look() {
        if (!this.dead && !this.closing) {
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
            this.seen = this.home.rows()
                .stream()
                .anyMatch((row) -> row.worker() == lease.worker() && this.written.contains(row.token()));
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
                madeKeyless(id);
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
            if (claim.cell() <= this.lastUuids[shard]) {
                this.fleet.disordered();
            }
            this.lastUuids[shard] = claim.cell();
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
            if (id <= this.lastIds[shard]) {
                this.fleet.disordered();
            }
            this.lastIds[shard] = id;
        }
    }

    /** Ids without a key are in order over all shards. */
    private void madeKeyless(long id) {
        if (id <= this.lastKeyless) {
            this.fleet.disordered();
        }
        this.lastKeyless = id;
    }

    private void madeNow() {
        if (this.leaseLost) {
            this.fleet.madeAfterLoss();
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
                this.pausedUntil = Math.max(this.pausedUntil, this.world.now() + pause);
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

    void stepWall(long offsetNanos) {
        this.time.stepWall(offsetNanos);
    }

    /**
     * Gives the lease back, as before a checkpoint of its memory, and goes on with
     * another one, which may be wanted before the keeper has come to the first.
     */
    void checkpoint(long nanos) {
        if (givesBack()) {
            return;
        }
        this.suspended = true;
        this.suspensions++;
        this.engine.suspend();
        EndableHolder held = this.holder;
        if (held != null && this.removed != RemovedGuard.LATE_REPLY_AFTER_SUSPENSION) {
            held.end();
        }
        if (this.removed == RemovedGuard.SUSPENSION_FORGOTTEN) {
            this.suspensionPending = true;
        }
        else {
            this.rounds.suspend();
        }
        this.world.after(nanos, this::resume);
        pump();
    }

    private void resume() {
        if (!this.dead && this.suspended) {
            this.engine.resume();
            this.suspended = false;
            this.suspensionPending = false;
            this.rounds.resume();
            pump();
        }
    }

    void kill() {
        this.killed = true;
        this.dead = true;
        this.fleet.left(this, (this.removed == RemovedGuard.RESTART_FROM_LOCAL_FILE) ? this.engine.lease() : null);
    }

    void close() {
        this.closing = true;
        this.rounds.close();
        pump();
    }

    boolean isAt(SimDatabase database) {
        return this.home == database;
    }

    SimDatabase home() {
        return this.home;
    }

    boolean tolerates() {
        return this.leaseSettings.tolerateLostCommits();
    }

    boolean hasLostALease() {
        return this.hasLost;
    }

    void databaseIsAhead(long millis) {
        this.databaseAheadMillis = Math.max(this.databaseAheadMillis, millis);
    }

    long databaseAheadMillis() {
        return this.databaseAheadMillis;
    }

    boolean usable() {
        return this.engine.usable();
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
            this.dueNanos = now + ERRAND_EVERY_NANOS;
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
            super(SimProcess.this.terms, SimProcess.this.leaseSettings);
        }

        @Override
        boolean wantsRows() {
            return SimProcess.this.looked;
        }

        @Override
        void read(LeaseReply.Rows read) {
            SimProcess.this.looked = false;
        }

        @Override
        void held(RequestedLease lease, boolean fresh, LeaseReply.@Nullable Rows before) {
            SimProcess.this.leaseLost = false;
        }

        @Override
        void lost(int worker, String why) {
            SimProcess.this.leaseLost = true;
            SimProcess.this.hasLost = true;
            SimProcess.this.fleet.lost();
        }

    }

}
