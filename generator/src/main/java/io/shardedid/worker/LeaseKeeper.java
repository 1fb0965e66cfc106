package io.shardedid.worker;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.shardedid.EngineTerms;
import io.shardedid.MessageText;
import io.shardedid.ShardedIdException;
import io.shardedid.TimeSource;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the lease by a thread, the only one that speaks to the store. Callers wake it and
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

    private static final long IDLE_NANOS = 1_000_000_000;

    private final EngineTerms terms;

    private final LeaseTerms leaseTerms;

    private final LeaseStore store;

    private final LeaseReport report;

    private final Supplier<LeaseProtocol> protocols;

    private final LeaseConversation conversation;

    private final ThreadFactory threads;

    /** How long a caller waits for a release. */
    private final Duration patience;

    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

    /** Released when there is a lease, or when it is certain that none will come. */
    private final CountDownLatch decided = new CountDownLatch(1);

    /** Released when the thread has done all that it had to do. */
    private final CountDownLatch end = new CountDownLatch(1);

    private final List<KeeperErrand> errands = new CopyOnWriteArrayList<>();

    private final KeeperQuestions questions;

    private volatile Want want = Want.RUN;

    private volatile boolean woken;

    private volatile boolean renewalWanted;

    /**
     * Whether the lease has to be given back before anything else. It outlasts a
     * suspension that ended before the keeper came to it.
     */
    private volatile boolean releaseWanted;

    /** Released by the keeper when a suspension has taken effect. */
    private volatile CountDownLatch suspended = new CountDownLatch(1);

    /** Used by the thread alone, or by the one that follows it. */
    private @Nullable LeaseProtocol protocol;

    /**
     * An error that nobody was told of yet: while the heap is full, telling would fail.
     */
    private @Nullable Error untold;

    LeaseKeeper(EngineTerms terms, LeaseTerms leaseTerms, LeaseStore store, LeaseReport report,
            Supplier<LeaseProtocol> protocols, Duration patience) {
        this(terms, leaseTerms, store, report, protocols, (task) -> {
            Thread thread = new Thread(task, "shardedid-lease-" + leaseTerms.namespace());
            thread.setDaemon(true);
            return thread;
        }, patience);
    }

    LeaseKeeper(EngineTerms terms, LeaseTerms leaseTerms, LeaseStore store, LeaseReport report,
            Supplier<LeaseProtocol> protocols, ThreadFactory threads, Duration patience) {
        this.terms = terms;
        this.leaseTerms = leaseTerms;
        this.store = store;
        this.report = report;
        this.protocols = protocols;
        this.conversation = new LeaseConversation(store, terms.time());
        this.questions = new KeeperQuestions(terms.time(), report);
        this.threads = threads;
        this.patience = patience;
    }

    private enum Want {

        RUN, SUSPEND, CLOSE

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
        while (this.want != Want.CLOSE || this.protocol != null) {
            try {
                tell();
                this.protocol = round(this.protocol);
                serveOthers();
            }
            catch (Throwable ex) {
                survive(ex);
            }
        }
        endErrands();
        try {
            this.store.close();
        }
        finally {
            this.end.countDown();
            endQuestions();
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

    private @Nullable LeaseProtocol round(@Nullable LeaseProtocol protocol) {
        if (this.want != Want.RUN || this.releaseWanted) {
            if (protocol != null) {
                protocol.release(this.terms.time().nanoTime());
                this.conversation.advance(protocol);
            }
            this.releaseWanted = false;
            if (this.want == Want.SUSPEND) {
                this.store.disconnect();
                this.suspended.countDown();
                this.conversation.park(IDLE_NANOS);
            }
            return null;
        }
        if (protocol == null || protocol.ended()) {
            if (this.leaseTerms.firstUse() && !this.woken) {
                this.conversation.park(IDLE_NANOS);
                return null;
            }
            return this.protocols.get();
        }
        if (this.woken) {
            this.woken = false;
            protocol.want(this.terms.time().nanoTime());
        }
        if (this.renewalWanted) {
            this.renewalWanted = false;
            protocol.renewNow(this.terms.time().nanoTime());
        }
        this.conversation.advance(protocol);
        if (protocol.holding() || this.report.hopeless()) {
            this.decided.countDown();
        }
        return protocol;
    }

    void wake() {
        this.woken = true;
        unpark();
    }

    /** Renews the lease now, or acquires one. */
    void renewNow() {
        this.renewalWanted = true;
        wake();
    }

    void awaitLease() {
        try {
            if (!awaited(this.leaseTerms.startupTimeout(), this.decided) || this.report.hopeless()) {
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

    List<WorkerHolding> workers() {
        try {
            return this.report.holders(this.questions.ask(this.terms.maxWait(), () -> {
                unpark();
                if (this.end.getCount() == 0) {
                    endQuestions();
                }
            }));
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new WorkerLeaseException("Could not read the leases: interrupted", ex);
        }
        catch (ExecutionException | TimeoutException ex) {
            if (ex.getCause() instanceof ShardedIdException refused) {
                throw refused;
            }
            throw new WorkerLeaseException("Could not read the leases of namespace '%s' within %s; is their store up?"
                .formatted(this.leaseTerms.namespace(), MessageText.duration(this.terms.maxWait())), ex);
        }
    }

    /**
     * Answers questions and runs errands. The lease comes first: before each of them, the
     * keeper looks whether the protocol has something to send. While the store does not
     * answer the protocol, all others wait for the next attempt, which then comes soon,
     * since each of them could stand before it for as long as a statement may take.
     */
    private void serveOthers() {
        LeaseProtocol leasing = this.protocol;
        if (this.want != Want.RUN) {
            if (this.questions.asked()) {
                this.questions.refuse(refusal());
            }
            return;
        }
        if (this.questions.asked() && storeIsFree(leasing)) {
            this.questions.answer(this.store);
        }
        for (KeeperErrand errand : this.errands) {
            long due = errand.dueNanos();
            // the clock comes second: an errand may be due now
            if (due - this.terms.time().nanoTime() <= 0 && storeIsFree(leasing) && !errand.run()) {
                this.errands.remove(errand);
            }
        }
    }

    private boolean storeIsFree(@Nullable LeaseProtocol leasing) {
        if (leasing == null || leasing.ended()) {
            return true;
        }
        long now = this.terms.time().nanoTime();
        if (leasing.unanswered()) {
            leasing.want(now);
            return false;
        }
        return leasing.dueNanos() - now > 0;
    }

    /** Whatever an errand throws, the others end too, and so does this thread. */
    private void endErrands() {
        for (KeeperErrand errand : this.errands) {
            try {
                errand.end();
            }
            catch (Throwable ex) {
                // it learns by its own timeout that nobody answers any more
            }
        }
    }

    /** Whether a caller waits for the answer to a question. */
    boolean asked() {
        return this.questions.asked();
    }

    private void endQuestions() {
        try {
            this.questions.refuse(refusal());
        }
        catch (Throwable ex) {
            // who asks learns by the own timeout that nobody answers
        }
    }

    boolean add(KeeperErrand errand) {
        this.errands.add(errand);
        unpark();
        return this.want != Want.CLOSE;
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
        this.releaseWanted = true;
        this.want = Want.SUSPEND;
        unpark();
        return awaitedToTheEnd(done);
    }

    void resume() {
        if (this.want == Want.SUSPEND) {
            this.want = Want.RUN;
            wake();
        }
    }

    /** Gives the lease back and ends the thread. */
    void close() {
        this.want = Want.CLOSE;
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
