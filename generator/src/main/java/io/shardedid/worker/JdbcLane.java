package io.shardedid.worker;

import java.sql.SQLTimeoutException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.shardedid.TimeSource;

/**
 * Bounded calls into a driver. Drivers bound most waits themselves, but not all: a name
 * that resolves for a minute, a pool's own wait, a data source without timeouts. What
 * they leave unbounded is waited for on a thread of the lane.
 */
final class JdbcLane implements AutoCloseable {

    /**
     * Calls that hang are few: the connections of two rounds that a network has
     * swallowed, and a few to spare.
     */
    private static final int THREADS = 16;

    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(0, THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
            new SynchronousQueue<>(), JdbcLane::daemon);

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
     * @param late takes an answer that came after the limit
     * @throws SQLTimeoutException if there was no answer in time
     */
    <T> T call(String what, Duration limit, Callable<T> call, Consumer<T> late) throws Exception {
        return race(what, limit, limit, call, late);
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
        try {
            this.threads.execute(attempt);
        }
        catch (RejectedExecutionException ex) {
            throw new SQLTransientException("Could not %s: %s".formatted(what, this.threads.isShutdown()
                    ? "the lease table is closed" : THREADS + " earlier calls still hang in the driver"), ex);
        }
        TimeSource time = TimeSource.system();
        long began = time.nanoTime();
        long again = overdue.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                long waited = time.nanoTime() - began;
                try {
                    return answer.get(Math.max(0, Math.min(again, limit.toNanos()) - waited), TimeUnit.NANOSECONDS);
                }
                catch (InterruptedException ex) {
                    interrupted = true;
                }
                catch (TimeoutException ex) {
                    if (again < limit.toNanos()) {
                        aside(attempt);
                        again += overdue.toNanos();
                    }
                    else {
                        answer.completeExceptionally(
                                new SQLTimeoutException("Could not %s: no answer within %s".formatted(what, limit)));
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
        try {
            this.threads.execute(task);
            return true;
        }
        catch (RejectedExecutionException ex) {
            return false;
        }
    }

    /** Takes no more calls. Those under way end by themselves. */
    @Override
    public void close() {
        this.threads.shutdown();
    }

}
