package io.shardedid;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * How one user comes by its engine: at once, or on a thread of its own. Safe for use by
 * many threads.
 */
final class Opening {

    /** How long who closes waits for an engine that is not even open. */
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

    private final Duration patience;

    private final CompletableFuture<EngineRegistry.Membership> outcome = new CompletableFuture<>();

    private Opening(Duration patience) {
        this.patience = patience;
    }

    /** What is open already. */
    static Opening done(EngineRegistry.Membership membership) {
        Opening opening = new Opening(Duration.ZERO);
        opening.outcome.complete(membership);
        return opening;
    }

    /**
     * Begins to open.
     * @param patience how long that may take
     * @param join opens; its own waits end before
     */
    static Opening begin(Duration patience, Supplier<EngineRegistry.Membership> join) {
        Opening opening = new Opening(patience);
        Thread thread = new Thread(() -> opening.run(join), "shardedid-open");
        thread.setDaemon(true);
        thread.start();
        return opening;
    }

    private void run(Supplier<EngineRegistry.Membership> join) {
        try {
            this.outcome.complete(join.get());
        }
        catch (Throwable ex) {
            this.outcome.completeExceptionally(ex);
        }
    }

    /** The engine, or null while it is not open. */
    @Nullable Engine engineIfOpen() {
        boolean open = this.outcome.isDone() && !this.outcome.isCompletedExceptionally();
        return open ? this.outcome.join().engine() : null;
    }

    /**
     * Waits until it is open.
     * @throws ShardedIdException if it could not be opened, to each who asks
     */
    EngineRegistry.Membership await() {
        try {
            return this.outcome.get(this.patience.toNanos(), TimeUnit.NANOSECONDS);
        }
        catch (ExecutionException ex) {
            if (ex.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new ShardedIdException("Could not open the id engine", ex.getCause());
        }
        catch (TimeoutException ex) {
            throw new WorkerLeaseException(
                    "Could not open the id engine: waited=%s; see its log lines".formatted(this.patience), ex);
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new ShardedIdException("Could not open the id engine: interrupted while waiting for it", ex);
        }
    }

    /**
     * Leaves the engine. One that takes longer to open than anybody wants to wait is left
     * as soon as it is open, by the thread that opens it.
     */
    void leave() {
        CompletableFuture<Void> left = this.outcome.thenAccept(EngineRegistry.Membership::leave);
        try {
            left.get(CLOSE_PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        }
        catch (ExecutionException | TimeoutException ex) {
            // not open: nothing to give back, or not yet
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

}
