package io.shardedid.internal.lease;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdException;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLeaseException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the {@link KeeperRounds} by a thread, the only one that speaks to the store.
 * Callers wake it and never wait for a lock that it holds. It survives everything that a
 * round may throw. If the thread ends all the same, the next caller that needs it starts
 * another one, which goes on with the state of the first.
 */
final class LeaseKeeper {

    /** How long a caller waits for a release, unless another time is set. */
    static final Duration RELEASE_PATIENCE = Duration.ofSeconds(15);

    private static final long PAUSE_NANOS = 500_000_000;

    /** How often a caller that waits looks whether the thread still runs. */
    private static final long LOOK_NANOS = 1_000_000_000;

    private final EngineTerms terms;

    private final LeaseSettings leaseSettings;

    private final LeaseStore store;

    private final LeaseReport report;

    private final KeeperRounds rounds;

    private final ThreadFactory threads;

    /** How long a caller waits for a release. */
    private final Duration patience;

    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

    /** Released when there is a lease, or when it is certain that none will come. */
    private final CountDownLatch decided = new CountDownLatch(1);

    /** Released when the thread has done all that it had to do. */
    private final CountDownLatch end = new CountDownLatch(1);

    /** Released by the keeper when a suspension has taken effect. */
    private volatile CountDownLatch suspended = new CountDownLatch(1);

    /**
     * An error that nobody was told of yet: while the heap is full, telling would fail.
     */
    private @Nullable Error untold;

    LeaseKeeper(EngineTerms terms, LeaseSettings leaseSettings, LeaseStore store, LeaseReport report,
            Supplier<LeaseProtocol> protocols, Duration patience) {
        this(terms, leaseSettings, store, report, protocols, (task) -> {
            Thread thread = new Thread(task, "shardedid-lease-" + leaseSettings.namespace());
            thread.setDaemon(true);
            return thread;
        }, patience);
    }

    LeaseKeeper(EngineTerms terms, LeaseSettings leaseSettings, LeaseStore store, LeaseReport report,
            Supplier<LeaseProtocol> protocols, ThreadFactory threads, Duration patience) {
        this.terms = terms;
        this.leaseSettings = leaseSettings;
        this.store = store;
        this.report = report;
        this.rounds = new KeeperRounds(leaseSettings.firstUse(), protocols, terms.time()::nanoTime);
        this.threads = threads;
        this.patience = patience;
    }

    void start() {
        startInPlaceOf(null);
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

    private void unpark() {
        ensureRunning();
        LockSupport.unpark(this.thread.get());
    }

    private void run() {
        boolean ended = false;
        while (!ended) {
            try {
                tell();
                KeeperRounds.Step step = this.rounds.next();
                ended = step instanceof KeeperRounds.End;
                carryOut(step);
            }
            catch (Throwable ex) {
                survive(ex);
            }
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
                this.report.failed(failure, this.terms.time().nanoTime());
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
            this.report.failed(new WorkerLeaseException("Could not keep the worker lease: " + error, error),
                    this.terms.time().nanoTime());
            this.untold = null;
        }
    }

    private void carryOut(KeeperRounds.Step step) {
        if (step instanceof KeeperRounds.Send send) {
            this.rounds.sending();
            this.rounds.reply(this.store.execute(send.statement()));
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
        if (this.rounds.holding() || this.report.hopeless()) {
            this.decided.countDown();
        }
    }

    private void park(long nanos) {
        if (nanos > 0) {
            this.terms.time().park(nanos);
        }
    }

    void wake() {
        this.rounds.wake();
        unpark();
    }

    /** Renews the lease now, or acquires one. */
    void renewNow() {
        this.rounds.renewNow();
        unpark();
    }

    void awaitLease() {
        try {
            if (!awaited(this.leaseSettings.startupTimeout(), this.decided) || this.report.hopeless()) {
                throw refusal();
            }
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new WorkerLeaseException("Could not lease a worker id: interrupted while waiting for it", ex);
        }
    }

    ShardedIdException refusal() {
        return this.report.refusal(this.terms.time().nanoTime());
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

    void look() {
        unpark();
    }

    /**
     * Gives the lease back and waits until that is done; {@link #resume()} acquires
     * another, also when it was not done in time.
     * @return whether it was done in time
     */
    boolean suspend() {
        CountDownLatch done = new CountDownLatch(1);
        this.suspended = done;
        this.rounds.suspend();
        unpark();
        return awaitedToTheEnd(done);
    }

    void resume() {
        if (this.rounds.resume()) {
            unpark();
        }
    }

    /** Gives the lease back and ends the thread. */
    void close() {
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
