package io.shardedid.internal.lease.jdbc;

import java.sql.SQLTimeoutException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.shardedid.TimeSource;
import io.shardedid.internal.MessageText;

/**
 * Bounded calls into a driver. Drivers bound most waits themselves, but not all: a name
 * that resolves for a minute, a pool's own wait, a data source without timeouts. What
 * they leave unbounded is waited for on a thread of its own.
 *
 * <p>
 * A call that is not answered within its limit is discarded: its thread hangs in the
 * driver until that gives up, and other calls run instead of it, so that a network that
 * works again is noticed. The number of threads is bounded. It is not tried to end them:
 * an interrupt does not end a read from a socket, but it closes the file of an embedded
 * H2 under everybody who uses it.
 */
final class BoundedCalls implements AutoCloseable {

    /** How many calls hang before new ones become rare: more than a minute's. */
    static final int HANGING = 64;

    /** How many threads there are at most, whatever the driver does. */
    static final int MOST_HANGING = 256;

    /**
     * Beyond {@link #HANGING}, a call waits until the oldest has hung longer by this
     * part: a network that was gone for ten minutes is noticed within one.
     */
    private static final int PART = 10;

    private static final long IDLE_SECONDS = 30;

    private final TimeSource time;

    /** When each call began that a thread is busy with. */
    private final Map<Object, Long> running = new ConcurrentHashMap<>();

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(0, MOST_HANGING, IDLE_SECONDS, TimeUnit.SECONDS,
            new SynchronousQueue<>(), BoundedCalls::daemon);

    BoundedCalls() {
        this(TimeSource.system());
    }

    BoundedCalls(TimeSource time) {
        this.time = time;
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "shardedid-lease-jdbc");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Calls a driver. An interrupt does not end the wait, which is bounded anyway: a
     * lease is given back also by a thread that is being stopped. The flag stays set.
     * @param what what is called, for the message
     * @param limit how long the answer may take
     * @throws SQLTimeoutException if there was no answer in time
     */
    <T> T call(String what, Duration limit, Callable<T> call) throws Exception {
        return race(what, limit, limit, call, (late) -> {
        });
    }

    /**
     * Calls a driver again each time an answer is overdue, and takes the first. What a
     * network has swallowed is never answered: once it passes again, a fresh call
     * succeeds at once, where the one before would still wait for its timeout.
     * @param what what is called, for the message
     * @param limit how long the answer may take
     * @param overdue when to call again
     * @param late takes each answer that came after the first
     * @throws SQLTimeoutException if there was no answer in time
     */
    <T> T race(String what, Duration limit, Duration overdue, Callable<T> call, Consumer<T> late) throws Exception {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Runnable attempt = () -> answer(answer, call, late);
        start(what, attempt);
        return await(what, answer, limit, overdue, () -> aside(attempt));
    }

    /**
     * Waits for the answer to a call of {@link #begin}, which goes on when the wait ends.
     * @param what what was called, for the message
     * @param limit how long to wait
     * @throws Unanswered if there was no answer in time
     */
    <T> T await(String what, CompletableFuture<T> answer, Duration limit) throws Exception {
        return await(what, answer.copy(), limit, limit, () -> {
        });
    }

    private <T> T await(String what, CompletableFuture<T> answer, Duration limit, Duration overdue, Runnable again)
            throws Exception {
        long began = this.time.nanoTime();
        long next = overdue.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                long waited = this.time.nanoTime() - began;
                try {
                    return answer.get(Math.max(0, Math.min(next, limit.toNanos()) - waited), TimeUnit.NANOSECONDS);
                }
                catch (InterruptedException ex) {
                    interrupted = true;
                }
                catch (TimeoutException ex) {
                    if (next < limit.toNanos()) {
                        again.run();
                        next += overdue.toNanos();
                    }
                    else {
                        answer.completeExceptionally(new Unanswered(
                                "Could not %s: no answer within %s".formatted(what, MessageText.duration(limit))));
                    }
                }
            }
        }
        catch (ExecutionException ex) {
            if (ex.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw ex;
        }
        finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Begins a call that is waited for again and again.
     * @param what what is called, for the message
     * @return the answer, however late
     */
    <T> CompletableFuture<T> begin(String what, Callable<T> call) throws SQLTransientException {
        CompletableFuture<T> answer = new CompletableFuture<>();
        start(what, () -> answer(answer, call, (late) -> {
        }));
        return answer;
    }

    private void start(String what, Runnable attempt) throws SQLTransientException {
        if (!aside(attempt)) {
            throw new SQLTransientException("Could not %s: %s".formatted(what, this.threads.isShutdown()
                    ? "the lease table is closed" : this.running.size() + " earlier calls still hang in the driver"));
        }
    }

    private static <T> void answer(CompletableFuture<T> answer, Callable<T> call, Consumer<T> late) {
        try {
            T result = call.call();
            if (!answer.complete(result)) {
                late.accept(result);
            }
        }
        catch (Throwable ex) {
            answer.completeExceptionally(ex);
        }
    }

    /**
     * Runs what nobody waits for, such as closing a connection that may be dead.
     * @return false if too many calls hang; it was not run then
     */
    boolean aside(Runnable task) {
        long now = this.time.nanoTime();
        if (!admitted(now)) {
            return false;
        }
        Object call = new Object();
        this.running.put(call, now);
        boolean begun = false;
        try {
            this.threads.execute(() -> {
                try {
                    task.run();
                }
                finally {
                    this.running.remove(call);
                }
            });
            begun = true;
        }
        catch (RejectedExecutionException ex) {
            // closed, or no thread is left
        }
        finally {
            if (!begun) {
                this.running.remove(call);
            }
        }
        return begun;
    }

    private boolean admitted(long now) {
        LongSummaryStatistics ages = this.running.values()
            .stream()
            .mapToLong((began) -> now - began)
            .summaryStatistics();
        return ages.getCount() < HANGING || ages.getMin() > ages.getMax() / PART;
    }

    /** Takes no more calls. Those under way end by themselves. */
    @Override
    public void close() {
        this.threads.shutdown();
    }

    /** Nobody has answered a call, which still hangs in the driver. */
    static final class Unanswered extends SQLTimeoutException {

        private static final long serialVersionUID = 1L;

        Unanswered(String message) {
            super(message);
        }

    }

}
