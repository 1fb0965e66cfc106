package io.shardedid;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The life of one engine of the registry: opened by its first user, closed by its last,
 * followed by the next of its identity, which begins only when this one has ended. Safe
 * for use by many threads.
 */
final class RegisteredEngine {

    private final String identity;

    private final EngineTerms terms;

    private final CompletableFuture<Engine> opened = new CompletableFuture<>();

    private final CompletableFuture<End> ended = new CompletableFuture<>();

    /** The first user counts from the start. At 0 or less nobody can enter any more. */
    private final AtomicInteger users = new AtomicInteger(1);

    /** How many of them want the engine to stand still. */
    private final AtomicInteger suspended = new AtomicInteger();

    /** The end of the engine before; set before this one is seen by others. */
    private CompletableFuture<End> before;

    RegisteredEngine(String identity, EngineTerms terms) {
        this.identity = identity;
        this.terms = terms;
        this.before = CompletableFuture.completedFuture(new End(terms.layout(), Engine.NO_TICK));
    }

    /**
     * Counts another user, unless the last one has left.
     * @return whether the user was counted
     */
    boolean enter() {
        return this.users.getAndUpdate((now) -> now > 0 ? now + 1 : now) > 0;
    }

    /** Whether somebody uses the engine, so that others can enter. */
    boolean usable() {
        return this.users.get() > 0;
    }

    /**
     * Lets this engine begin only when others have ended, and after their last tick.
     * Comes before this one is seen by others.
     */
    void follow(List<RegisteredEngine> others) {
        for (RegisteredEngine other : others) {
            this.before = this.before.thenCombine(other.ended,
                    (one, two) -> (two.tickOf(this.terms.layout()) > one.tickOf(this.terms.layout())) ? two : one);
        }
    }

    /**
     * Checks that another user has the same terms.
     * @throws ShardedIdConfigurationException if the user has other terms
     */
    void check(EngineTerms other) {
        if (!this.terms.equals(other)) {
            throw new ShardedIdConfigurationException(("Could not open a second id engine '%s' in this JVM: its terms "
                    + "differ: open=%s, second=%s; give both the same 'shardedid.*' settings, or another worker or "
                    + "namespace")
                .formatted(this.identity, this.terms.summary(), other.summary()));
        }
    }

    /** Opens the engine; what goes wrong is told to all who await it. */
    void open(LeaseSource source) {
        try {
            End last = got(this.before, source.startTimeout(), "the one before to close");
            Engine engine = new Engine(this.terms, source, last.tickOf(this.terms.layout()));
            engine.start();
            this.opened.complete(engine);
        }
        catch (RuntimeException | Error ex) {
            this.users.set(0);
            source.close();
            this.before.thenAccept(this.ended::complete);
            this.opened.completeExceptionally(ex);
        }
    }

    Engine awaitEngine(Duration patience) {
        return got(this.opened, patience, "another thread of this JVM to open it");
    }

    /** Lets the lease go when the last user that does not want so comes to want it. */
    void suspend(Engine engine) {
        if (this.suspended.incrementAndGet() >= this.users.get()) {
            engine.source().suspend();
        }
    }

    /** Lets the lease go again if a resumption turns out to have been in vain. */
    void suspendIfAllWant(Engine engine) {
        // one is the user that asks
        if (this.suspended.get() > 0 && this.suspended.get() >= this.users.get() - 1) {
            engine.source().suspend();
        }
    }

    /** Ends the suspension, whatever others want. */
    void resume(Engine engine) {
        this.suspended.decrementAndGet();
        engine.source().resume();
    }

    /**
     * Counts one user less.
     * @return whether it was the last, who has to close the engine
     */
    boolean leave() {
        return this.users.decrementAndGet() == 0;
    }

    /**
     * Closes the engine.
     * @return this entry without the engine and all that it refers to
     */
    RegisteredEngine close() {
        End end = new End(this.terms.layout(), this.opened.join().close());
        this.ended.complete(end);
        RegisteredEngine remains = new RegisteredEngine(this.identity, this.terms);
        remains.users.set(0);
        remains.ended.complete(end);
        return remains;
    }

    String identity() {
        return this.identity;
    }

    private <T> T got(CompletableFuture<T> future, Duration patience, String what) {
        try {
            return future.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        }
        catch (ExecutionException ex) {
            if (ex.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new ShardedIdException("Could not open the id engine '%s'".formatted(this.identity), ex.getCause());
        }
        catch (TimeoutException ex) {
            throw new WorkerLeaseException(
                    "Could not open the id engine '%s': waited for %s: waited=%s; see its log lines"
                        .formatted(this.identity, what, patience),
                    ex);
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new ShardedIdException("Could not open the id engine '%s': interrupted while waiting for %s"
                .formatted(this.identity, what), ex);
        }
    }

    /**
     * The last tick of an engine.
     *
     * @param layout whose ticks they are
     * @param tick the tick, or Engine.NO_TICK
     */
    private record End(IdLayout layout, long tick) {

        /** Ticks of another layout say nothing about this one. */
        private long tickOf(IdLayout other) {
            return this.layout.equals(other) ? this.tick : Engine.NO_TICK;
        }

    }

}
