package io.shardedid.worker;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.shardedid.EngineTerms;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import org.jspecify.annotations.Nullable;

/**
 * The thread that speaks to the lease table, the only one that does. Callers wake it and
 * never wait on a lock of its. It survives everything that a round may throw: a keeper
 * that dies silently is how others lost their worker ids.
 */
final class KeeperThread {

    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(15);

    private static final long PAUSE_NANOS = 500_000_000;

    private static final long IDLE_NANOS = 1_000_000_000;

    private final EngineTerms terms;

    private final LeaseSettings settings;

    private final LeaseTable table;

    private final LeaseNews news;

    private final LeaseRefusal refusals;

    private final Supplier<LeaseProtocol> protocols;

    private final Exchange exchange;

    private final Thread thread;

    private final CountDownLatch firstLease = new CountDownLatch(1);

    private final Queue<CompletableFuture<LeaseReply.Rows>> questions = new ArrayBlockingQueue<>(64);

    private volatile Want want = Want.RUN;

    private volatile boolean woken;

    /** Released by the keeper when a suspension has taken effect. */
    private volatile CountDownLatch suspended = new CountDownLatch(1);

    KeeperThread(EngineTerms terms, LeaseSettings settings, LeaseTable table, LeaseNews news,
            Supplier<LeaseProtocol> protocols) {
        this.terms = terms;
        this.settings = settings;
        this.table = table;
        this.news = news;
        this.refusals = new LeaseRefusal(terms, settings);
        this.protocols = protocols;
        this.exchange = new Exchange(table, terms.time());
        this.thread = new Thread(this::run, "shardedid-lease-" + settings.namespace());
        this.thread.setDaemon(true);
    }

    private enum Want {

        RUN, SUSPEND, CLOSE

    }

    void start() {
        this.thread.start();
    }

    private void run() {
        LeaseProtocol protocol = null;
        while (this.want != Want.CLOSE || protocol != null) {
            try {
                protocol = round(protocol);
                answerQuestions();
            }
            catch (Throwable ex) {
                this.news.failed(
                        (ex instanceof Exception failure) ? failure
                                : new WorkerLeaseException("Could not keep " + "the worker lease: " + ex, ex),
                        this.terms.time().nanoTime());
                this.terms.time().park(PAUSE_NANOS);
            }
        }
        this.table.close();
    }

    private @Nullable LeaseProtocol round(@Nullable LeaseProtocol protocol) {
        if (this.want != Want.RUN) {
            if (protocol != null) {
                protocol.release(this.terms.time().nanoTime());
                this.exchange.advance(protocol);
            }
            if (this.want == Want.SUSPEND) {
                this.table.disconnect();
                this.suspended.countDown();
                this.exchange.park(IDLE_NANOS);
            }
            return null;
        }
        if (protocol == null || protocol.ended()) {
            if (this.settings.firstUse() && !this.woken) {
                this.exchange.park(IDLE_NANOS);
                return null;
            }
            return this.protocols.get();
        }
        if (this.woken) {
            this.woken = false;
            protocol.want(this.terms.time().nanoTime());
        }
        this.exchange.advance(protocol);
        if (protocol.holding()) {
            this.firstLease.countDown();
        }
        return protocol;
    }

    void wake() {
        this.woken = true;
        LockSupport.unpark(this.thread);
    }

    void awaitLease() {
        try {
            if (!this.firstLease.await(this.settings.startupTimeout().toNanos(), TimeUnit.NANOSECONDS)) {
                throw refusal();
            }
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new WorkerLeaseException("Could not lease a worker id: interrupted while waiting for it", ex);
        }
    }

    ShardedIdException refusal() {
        return this.refusals.of(this.news.snapshot(), this.terms.time().nanoTime());
    }

    List<WorkerHolding> workers() {
        CompletableFuture<LeaseReply.Rows> answer = new CompletableFuture<>();
        if (!this.questions.offer(answer)) {
            throw new WorkerLeaseException("Could not read the lease table: too many ask at once; try again");
        }
        LockSupport.unpark(this.thread);
        try {
            return this.news.holders(answer.get(this.terms.maxWait().toNanos(), TimeUnit.NANOSECONDS));
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new WorkerLeaseException("Could not read the lease table: interrupted", ex);
        }
        catch (ExecutionException | TimeoutException ex) {
            throw new WorkerLeaseException(
                    "Could not read the lease table of namespace '%s' within %s; is the database "
                        .formatted(this.settings.namespace(), this.terms.maxWait()) + "up?",
                    ex);
        }
    }

    private void answerQuestions() {
        CompletableFuture<LeaseReply.Rows> question = this.questions.poll();
        while (question != null) {
            LeaseReply reply = question.isDone() ? null : this.table.execute(new LeaseStatement.ReadAll());
            if (reply instanceof LeaseReply.Rows rows) {
                question.complete(rows);
            }
            else if (reply instanceof LeaseReply.Unknown unknown) {
                question.completeExceptionally(unknown.cause());
            }
            question = this.questions.poll();
        }
    }

    /**
     * Gives the lease back and waits until that is done; {@link #resume()} acquires
     * another.
     */
    void suspend() {
        this.suspended = new CountDownLatch(1);
        this.want = Want.SUSPEND;
        LockSupport.unpark(this.thread);
        await(() -> this.suspended.await(CLOSE_PATIENCE.toNanos(), TimeUnit.NANOSECONDS));
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
        LockSupport.unpark(this.thread);
        await(() -> {
            this.thread.join(CLOSE_PATIENCE.toMillis());
            return true;
        });
    }

    private static void await(Awaited awaited) {
        try {
            awaited.await();
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private interface Awaited {

        boolean await() throws InterruptedException;

    }

}
