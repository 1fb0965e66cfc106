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

    /** Calls that hang are few: each begins after the one before was given up. */
    private static final int THREADS = 8;

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
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            this.threads.execute(() -> answer(answer, call, late));
        }
        catch (RejectedExecutionException ex) {
            throw new SQLTransientException("Could not %s: %s".formatted(what, this.threads.isShutdown()
                    ? "the lease table is closed" : THREADS + " earlier calls still hang in the driver"), ex);
        }
        TimeSource time = TimeSource.system();
        long until = time.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return answer.get(Math.max(0, until - time.nanoTime()), TimeUnit.NANOSECONDS);
                }
                catch (InterruptedException ex) {
                    interrupted = true;
                }
                catch (TimeoutException ex) {
                    answer.completeExceptionally(
                            new SQLTimeoutException("Could not %s: no answer within %s".formatted(what, limit)));
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
