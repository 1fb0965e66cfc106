package io.shardedid.internal.lease;

import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

import io.shardedid.EngineProbe;
import io.shardedid.EngineTerms;
import io.shardedid.LeaseSettings;
import io.shardedid.LeaseSource;
import io.shardedid.TickLease;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.LeaseHolder;
import org.jspecify.annotations.Nullable;

/**
 * One process: the engine, the rounds of the keeper and nothing of ours in between, with
 * a clock and a statement that is under way. What happens to it, and when, its scheduler
 * says: by chance, or each thing that may happen in its turn. Dies and comes back as a
 * fresh object.
 */
abstract class SimProcess {

    final RemovedGuard removed;

    final SimTime time;

    final EngineTerms terms;

    final LeaseSettings leaseSettings;

    /** The keeper's steps are carried out from outside. */
    private final LeaseSource source = WorkerLeases.fixed(0);

    final EngineProbe engine;

    final KeeperRounds rounds;

    private @Nullable EndableHolder holder;

    private boolean suspended;

    /** How often the process was suspended. */
    private int suspensions;

    private boolean closing;

    /** The latest lease, and whether it goes on. */
    private @Nullable TickLease latest;

    private boolean leased;

    /** What is under way. */
    private @Nullable LeaseStatement sent;

    SimProcess(RemovedGuard removed, SimTime time, EngineTerms terms, LeaseSettings leaseSettings,
            BooleanSupplier heapFull) {
        this.removed = removed;
        this.time = time;
        this.terms = terms;
        this.leaseSettings = leaseSettings;
        this.engine = new EngineProbe(terms, this.source, heapFull);
        this.rounds = new KeeperRounds(false, this::protocol, time::read);
    }

    /* What the scheduler adds. */

    abstract String token();

    /** What the protocol chooses by. */
    abstract RandomGenerator choice();

    abstract LeaseReport report();

    /** The lease with the deadline and the clock that it has here. */
    abstract TickLease timed(TickLease lease);

    /** There is a lease, which was asked for after or before the latest suspension. */
    abstract void begun(boolean beforeSuspension);

    /** A lease ends, and what was claimed in it will be told. */
    abstract void ending();

    /* The keeper. */

    private LeaseProtocol protocol() {
        LeaseHolder now = holder(this.suspensions);
        EndableHolder fresh = new EndableHolder(() -> now, () -> {
        });
        this.holder = fresh;
        return new LeaseProtocol(this.terms, this.leaseSettings, this.rounds.layoutRow(), fresh, report(), this::token,
                choice(), this.time.read());
    }

    /** The engine as the protocol sees it, with a guard removed if one is to be. */
    private LeaseHolder holder(int suspensionsBefore) {
        SimProcess me = this;
        return new LeaseHolder() {
            @Override
            public void hold(TickLease lease) {
                me.removed.hold(me.engine, timed(me.removed.held(lease, me)), me.source);
                me.latest = lease;
                me.leased = true;
                begun(!me.suspended && suspensionsBefore < me.suspensions);
            }

            @Override
            public long relinquish() {
                ending();
                me.leased = false;
                return me.removed.relinquish(me.engine, !givesBack());
            }
        };
    }

    /** Holds a lease that nobody has confirmed to it. */
    void goOnWith(TickLease lease) {
        holder(this.suspensions).hold(lease);
    }

    /** The statement goes out, with a guard removed if one is to be. */
    LeaseStatement send(LeaseStatement statement) {
        this.rounds.sending();
        TickLease lease = this.latest;
        if (this.removed == RemovedGuard.GRANTED_WHEN_ASKED && statement instanceof LeaseStatement.Update update
                && update.acquisitionStep() == 0 && this.leased && lease != null && !givesBack()) {
            goOnWith(new TickLease(lease.worker(), lease.lo(), update.hwmTick(), lease.deadlineNanos(), lease.clock()));
        }
        LeaseStatement out = this.removed.sent(statement, lease, this);
        this.sent = out;
        return out;
    }

    /** The reply to what is under way. */
    void hear(LeaseReply reply) {
        LeaseStatement statement = this.sent;
        // nobody renews who holds no lease, but for a lease that a read has shown
        boolean renewsNothing = statement instanceof LeaseStatement.Update update && update.acquisitionStep() == 0
                && !this.leased && !givesBack();
        LeaseReply heard = this.removed.heard(reply, this.leased || statement instanceof LeaseStatement.ReadOne,
                renewsNothing, this);
        this.sent = null;
        this.rounds.reply(heard);
    }

    static boolean reads(@Nullable LeaseStatement statement) {
        return statement instanceof LeaseStatement.ReadAll || statement instanceof LeaseStatement.ReadOne;
    }

    /** What is under way, or null. */
    @Nullable LeaseStatement sent() {
        return this.sent;
    }

    /* What happens to it. */

    /** Gives the lease back, as before a checkpoint of its memory. */
    void suspend() {
        this.suspended = true;
        this.suspensions++;
        if (this.removed != RemovedGuard.RELEASE_WITHOUT_POISON) {
            this.engine.suspend();
        }
        EndableHolder held = this.holder;
        if (held != null && this.removed != RemovedGuard.LATE_REPLY_AFTER_SUSPENSION) {
            held.end();
        }
        if (this.removed != RemovedGuard.SUSPENSION_FORGOTTEN) {
            this.rounds.suspend();
        }
    }

    /** Goes on with another lease, perhaps before the keeper has come to the first. */
    void resume() {
        this.engine.resume();
        this.suspended = false;
        this.rounds.resume();
    }

    void close() {
        this.closing = true;
        this.rounds.close();
    }

    boolean givesBack() {
        return this.closing || this.suspended;
    }

    boolean suspended() {
        return this.suspended;
    }

    boolean closing() {
        return this.closing;
    }

    /** The lease that the next process goes on with without a guard, or null. */
    @Nullable TickLease file() {
        return (this.removed == RemovedGuard.LEASE_FROM_FILE && this.leased) ? this.latest : null;
    }

}
