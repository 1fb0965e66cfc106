package io.shardedid.internal.lease;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdException;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.LeaseHolder;
import org.jspecify.annotations.Nullable;

/**
 * Runs the {@link KeeperRounds}: until the layout row is known by the thread that starts,
 * then by a thread of its own, the only one that speaks to the store. Callers wake it and
 * never wait for a lock that it holds. It survives everything that a round may throw. If
 * the thread ends all the same, the next caller that needs it starts another one, which
 * goes on with the state of the first.
 */
final class LeaseKeeper {

    /** How long a caller waits for a release, unless another time is set. */
    static final Duration RELEASE_PATIENCE = Duration.ofSeconds(15);

    private static final long PAUSE_NANOS = 500_000_000;

    /** How often a caller that waits looks whether the thread still runs. */
    private static final long LOOK_NANOS = 1_000_000_000;

    /**
     * How many statements a start sends at least, to read the layout row, to make it, and
     * to read it again: on a busy machine, what comes before may take all of the time.
     */
    private static final int LEAST_STATEMENTS = 3;

    private final EngineTerms terms;

    private final LeaseSettings leaseSettings;

    private final LeaseStore store;

    private final LeaseReport report;

    private final KeeperRounds rounds;

    private final LeaseWrites writes = new LeaseWrites();

    private final LeaseLook look;

    private final ThreadFactory threads;

    private final Duration patience;

    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

    /**
     * Released when the layout row is known, or when it is certain that it will not be.
     */
    private final CountDownLatch connected = new CountDownLatch(1);

    /** Released when there is a lease, or when it is certain that none will come. */
    private final CountDownLatch decided = new CountDownLatch(1);

    /** Released when the thread has done all that it had to do. */
    private final CountDownLatch end = new CountDownLatch(1);

    /** Released by the keeper when a suspension has taken effect. */
    private volatile CountDownLatch suspended = new CountDownLatch(1);

    private volatile @Nullable LeaseHolder engine;

    /** What the latest protocol has in its hands. */
    private volatile @Nullable EndableHolder holder;

    /** Whether the store is ready; used by the one that carries out the steps. */
    private boolean ready;

    /**
     * An error that nobody was told of yet: while the heap is full, telling would fail.
     */
    private @Nullable Error untold;

    LeaseKeeper(EngineTerms terms, LeaseSettings leaseSettings, LeaseStore store, LeaseReport report,
            Duration patience) {
        this(terms, leaseSettings, store, report, (task) -> {
            Thread thread = new Thread(task, "shardedid-lease-" + leaseSettings.namespace());
            thread.setDaemon(true);
            return thread;
        }, patience);
    }

    LeaseKeeper(EngineTerms terms, LeaseSettings leaseSettings, LeaseStore store, LeaseReport report,
            ThreadFactory threads, Duration patience) {
        this.terms = terms;
        this.leaseSettings = leaseSettings;
        this.store = store;
        this.report = report;
        this.rounds = new KeeperRounds(leaseSettings.firstUse(), this::protocol, terms.time()::nanoTime);
        this.look = new LeaseLook(leaseSettings.namespace(), () -> this.writes.seenByApplication(store), this::suspend);
        this.threads = threads;
        this.patience = patience;
    }

    /** A protocol that nothing of before a suspension reaches: no lease, no token. */
    private LeaseProtocol protocol() {
        EndableHolder fresh = new EndableHolder(() -> this.engine, this.look::begin);
        this.holder = fresh;
        LeaseProtocol protocol = new LeaseProtocol(this.terms, this.leaseSettings, this.rounds.layoutRow(), fresh,
                this.report, TokenBook.freshSource(), new SplittableRandom(), this.terms.time().nanoTime());
        protocol.ask(this.store::reachedByThisProcessAlone,
                (cause) -> this.store.isTransient(new WorkerLeaseException("The layout row was not written", cause)));
        return protocol;
    }

    /**
     * Finds the layout row on this thread, before there is another one.
     * @throws ShardedIdException if there is none within the startup-timeout, or it names
     * other settings
     */
    LeaseRow connect() {
        TimeSource time = this.terms.time();
        long end = time.nanoTime() + this.leaseSettings.startupTimeout().toNanos();
        int statements = 0;
        LeaseRow row = null;
        while (row == null) {
            KeeperRounds.Step step = this.rounds.next();
            if (step instanceof KeeperRounds.Wait wait) {
                long left = end - time.nanoTime();
                park((left > 0) ? Math.min(wait.nanos(), left) : wait.nanos());
            }
            else {
                carryOut(step);
                statements++;
            }
            row = this.rounds.layoutRow();
            if (row == null && (step instanceof KeeperRounds.End || Thread.currentThread().isInterrupted()
                    || statements >= LEAST_STATEMENTS && end - time.nanoTime() <= 0)) {
                throw this.report.refusalOfStart();
            }
        }
        return row;
    }

    /**
     * Returns the layout row. Where it is not known, the thread finds it, and takes no
     * lease for that.
     * @throws ShardedIdException if it could not be found in time
     */
    LeaseRow layoutRow(Duration patience) {
        LeaseRow row = this.rounds.layoutRow();
        if (row == null) {
            this.rounds.wantLayoutRow();
            unpark();
            try {
                awaited(patience, this.connected);
            }
            catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
            row = this.rounds.layoutRow();
        }
        if (row == null) {
            throw refusal();
        }
        return row;
    }

    /** Leases for an engine from here on, by a thread of its own. */
    void start(LeaseHolder leasing) {
        this.engine = leasing;
        startInPlaceOf(null);
    }

    /**
     * Waits for the first lease, unless it comes with the first id.
     * @throws ShardedIdException if there is none in time, or the application reads
     * another one
     */
    void awaitStart() {
        boolean waits = !this.leaseSettings.firstUse();
        if (waits) {
            awaitLease();
        }
        this.look.open(waits);
    }

    /**
     * Starts the thread again if it ended before its time. Many callers may notice that
     * at once; one of them starts it.
     */
    private void ensureRunning() {
        Thread seen = this.thread.get();
        if (seen != null && seen.getState() == Thread.State.TERMINATED && this.end.getCount() > 0) {
            try {
                startInPlaceOf(seen);
            }
            catch (Throwable ex) {
                // no thread can be made now; the next caller that waits tries again
            }
        }
    }

    private void startInPlaceOf(@Nullable Thread ended) {
        Thread next = this.threads.newThread(this::run);
        if (this.thread.compareAndSet(ended, next)) {
            boolean started = false;
            try {
                next.start();
                started = true;
            }
            finally {
                if (!started) {
                    this.thread.set(ended);
                }
            }
        }
    }

    /** Lets the thread look for what is due. */
    void unpark() {
        ensureRunning();
        LockSupport.unpark(this.thread.get());
    }

    private void run() {
        boolean ended = false;
        while (!ended) {
            // an interrupt would end each wait at once
            Thread.interrupted();
            try {
                tell();
                KeeperRounds.Step step = this.rounds.next();
                ended = step instanceof KeeperRounds.End;
                carryOut(step);
            }
            catch (Throwable ex) {
                survive(ex);
            }
            decide();
        }
        endTasks();
        try {
            this.store.close();
        }
        finally {
            this.end.countDown();
        }
    }

    /**
     * Neither throws nor, after an error, allocates: the first thing that an error
     * handler would need in a full heap is memory.
     */
    private void survive(Throwable thrown) {
        try {
            if (thrown instanceof Error error) {
                this.untold = error;
            }
            else if (thrown instanceof Exception failure) {
                this.report.failed(failure);
            }
        }
        catch (Throwable ex) {
            this.untold = (ex instanceof Error error) ? error : this.untold;
        }
        try {
            this.terms.time().park(PAUSE_NANOS);
        }
        catch (Throwable ex) {
            // without the pause the next round comes sooner
        }
    }

    /** Reports an error as soon as that is possible again. */
    private void tell() {
        Error error = this.untold;
        if (error != null) {
            this.report.failed(new WorkerLeaseException("Could not keep the worker lease: " + error, error));
            this.untold = null;
        }
    }

    private void carryOut(KeeperRounds.Step step) {
        if (step instanceof KeeperRounds.Send send) {
            Exception hindrance = hindrance();
            this.rounds.sending();
            this.rounds.reply((hindrance != null) ? new LeaseReply.Unknown(hindrance)
                    : this.writes.carryOut(send.statement(), this.store));
        }
        else if (step instanceof KeeperRounds.Run run) {
            if (!run.task().run()) {
                this.rounds.forget(run.task());
            }
        }
        else if (step instanceof KeeperRounds.StandStill still) {
            this.store.disconnect();
            this.suspended.countDown();
            park(still.nanos());
        }
        else if (step instanceof KeeperRounds.Wait wait) {
            park(wait.nanos());
        }
    }

    /** Lets those go who wait for what is there, or will not come. */
    private void decide() {
        boolean hopeless = hopeless();
        if (hopeless || this.rounds.layoutRow() != null) {
            this.connected.countDown();
        }
        if (hopeless || this.rounds.holding()) {
            this.decided.countDown();
        }
    }

    private boolean hopeless() {
        return this.report.hopeless() || this.look.refusal() != null;
    }

    /** Makes the store ready once, or returns why it is not ready yet. */
    private @Nullable WorkerLeaseException hindrance() {
        try {
            if (!this.ready) {
                this.store.ensure();
                LeaseRules.of(this.leaseSettings).checkDurability(this.store);
                this.ready = true;
            }
            return null;
        }
        catch (WorkerLeaseException ex) {
            if (!this.store.isTransient(ex)) {
                throw ex;
            }
            return ex;
        }
    }

    private void park(long nanos) {
        if (nanos > 0) {
            this.terms.time().park(nanos);
        }
    }

    /** What the store refuses is not asked for more often because callers want it. */
    void wake() {
        this.rounds.wake();
        if (hopeless()) {
            ensureRunning();
        }
        else {
            unpark();
        }
    }

    /** Renews the lease now, or acquires one. */
    void renewNow() {
        this.rounds.renewNow();
        unpark();
    }

    void awaitLease() {
        try {
            if (!awaited(this.leaseSettings.startupTimeout(), this.decided) || hopeless()) {
                throw refusal();
            }
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new WorkerLeaseException("Could not lease a worker id: interrupted while waiting for it", ex);
        }
    }

    ShardedIdException refusal() {
        ShardedIdException unseen = this.look.refusal();
        return (unseen != null) ? unseen : this.report.refusal();
    }

    /**
     * Tells a caller that waits when that is pointless.
     * @throws ShardedIdException if no lease comes while it waits
     */
    void refuseIfHopeless() {
        this.look.refuse();
        if (this.store.waitsForCallers()) {
            throw new WorkerLeaseException(
                    ("No worker lease: its renewal waits for a connection of the pool, and callers hold them while they "
                            + "wait for an id: namespace='%s'; give the pool more connections")
                        .formatted(this.leaseSettings.namespace()),
                    true, "Give the connection pool more connections than callers hold at once.", null);
        }
        if (this.report.hopeless()) {
            throw refusal();
        }
    }

    LeaseReport report() {
        return this.report;
    }

    LeaseWrites writes() {
        return this.writes;
    }

    /** Whatever a task throws, the others end too, and so does this thread. */
    private void endTasks() {
        for (LeaseThreadTask task : this.rounds.tasks()) {
            try {
                task.end();
            }
            catch (Throwable ex) {
                // it learns by its own timeout that nobody answers any more
            }
        }
    }

    boolean add(LeaseThreadTask task) {
        boolean mayRun = this.rounds.add(task);
        unpark();
        return mayRun;
    }

    /**
     * Gives the lease back and waits until that is done; {@link #resume()} acquires
     * another, also when it was not done in time.
     * @return whether it was done in time
     */
    boolean suspend() {
        EndableHolder held = this.holder;
        if (held != null) {
            held.end();
        }
        CountDownLatch done = new CountDownLatch(1);
        this.suspended = done;
        this.rounds.suspend();
        unpark();
        boolean inTime = awaitedToTheEnd(done);
        if (!inTime) {
            this.report.stillHeld();
        }
        return inTime;
    }

    void resume() {
        if (this.rounds.resume()) {
            unpark();
        }
    }

    /** Gives the lease back and ends the thread. */
    void close() {
        this.look.close();
        this.rounds.close();
        Thread running = this.thread.get();
        if (running == null) {
            // it was never started: there is nothing to give back
            this.store.close();
            return;
        }
        unpark();
        awaitedToTheEnd(this.end);
    }

    /** Waits in an interrupted thread, too: what is awaited takes bounded time. */
    private boolean awaitedToTheEnd(CountDownLatch what) {
        boolean interrupted = false;
        TimeSource clock = TimeSource.system();
        long began = clock.nanoTime();
        try {
            while (true) {
                try {
                    return awaited(this.patience.minusNanos(clock.nanoTime() - began), what);
                }
                catch (InterruptedException ex) {
                    interrupted = true;
                }
            }
        }
        finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits for the thread, and sees to it that there is one to wait for. */
    private boolean awaited(Duration patience, CountDownLatch what) throws InterruptedException {
        boolean done = false;
        for (long left = patience.toNanos(); !done && left > 0; left -= LOOK_NANOS) {
            ensureRunning();
            done = what.await(Math.min(left, LOOK_NANOS), TimeUnit.NANOSECONDS);
        }
        return done;
    }

}
