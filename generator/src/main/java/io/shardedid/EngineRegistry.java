package io.shardedid;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The engines of this JVM by the identity of their workers, so that two session factories
 * or forty Spring contexts on one database are one writer. Safe for use by many threads;
 * engines are opened and closed outside the map.
 *
 * @implNote {@link #JVM} is the one static state of the code base: two engines that both
 * believe to be worker 7 would make equal ids, and nothing smaller than the JVM sees both
 */
final class EngineRegistry {

    static final EngineRegistry JVM = new EngineRegistry();

    private final Map<String, Slot> slots = new ConcurrentHashMap<>();

    /**
     * One number an identity: ids of a reopened engine continue after those of the closed
     * one.
     */
    private final Map<String, Long> lastTicks = new ConcurrentHashMap<>();

    /**
     * Joins the engine of an identity, or opens it as the first.
     * @throws ShardedIdConfigurationException if the engine runs on other terms
     * @throws ShardedIdException if it could not be opened
     */
    Membership join(EngineTerms terms, LeaseSource source) {
        String identity = source.identity(terms);
        Slot mine = new Slot(terms);
        Slot slot = this.slots.merge(identity, mine, (there, ignored) -> there.joinedBy(identity, terms));
        if (slot == mine) {
            open(identity, slot, source);
        }
        else {
            source.close();
        }
        return new Membership(identity, awaited(identity, slot, source));
    }

    private void open(String identity, Slot slot, LeaseSource source) {
        Engine engine = new Engine(slot.terms, source, this.lastTicks.getOrDefault(identity, Engine.NO_TICK));
        try {
            engine.start();
            slot.opened.complete(engine);
        }
        catch (RuntimeException | Error ex) {
            this.slots.remove(identity, slot);
            slot.opened.completeExceptionally(ex);
            source.close();
        }
    }

    private Engine awaited(String identity, Slot slot, LeaseSource source) {
        try {
            return slot.opened.get(source.startTimeout().toNanos(), TimeUnit.NANOSECONDS);
        }
        catch (ExecutionException ex) {
            throw (ex.getCause() instanceof RuntimeException cause) ? cause
                    : new ShardedIdException("Could not open the id engine '%s'".formatted(identity), ex.getCause());
        }
        catch (TimeoutException ex) {
            leave(identity);
            throw new WorkerLeaseException(("Could not open the id engine '%s': another thread of this JVM has been "
                    + "opening it for %s; see its log lines")
                .formatted(identity, source.startTimeout()), ex);
        }
        catch (InterruptedException ex) {
            leave(identity);
            Thread.currentThread().interrupt();
            throw new ShardedIdException("Could not open the id engine '%s': interrupted".formatted(identity), ex);
        }
    }

    private void leave(String identity) {
        Slot[] last = new Slot[1];
        this.slots.computeIfPresent(identity, (key, slot) -> {
            if (--slot.users > 0) {
                return slot;
            }
            last[0] = slot;
            return null;
        });
        Engine unused = (last[0] != null) ? last[0].opened.getNow(null) : null;
        if (unused != null) {
            this.lastTicks.merge(identity, unused.close(), Math::max);
        }
    }

    /** One user of an engine; the last that leaves closes it. */
    final class Membership {

        private final String identity;

        private final Engine engine;

        private Membership(String identity, Engine engine) {
            this.identity = identity;
            this.engine = engine;
        }

        Engine engine() {
            return this.engine;
        }

        void leave() {
            EngineRegistry.this.leave(this.identity);
        }

    }

    private static final class Slot {

        private final EngineTerms terms;

        private final CompletableFuture<Engine> opened = new CompletableFuture<>();

        /** Changed inside the map's atomic operations only. */
        private int users = 1;

        private Slot(EngineTerms terms) {
            this.terms = terms;
        }

        private Slot joinedBy(String identity, EngineTerms others) {
            if (!this.terms.equals(others)) {
                throw new ShardedIdConfigurationException(("Could not open a second id engine '%s' in this JVM: its "
                        + "terms differ: open=%s, second=%s; give both the same 'shardedid.*' settings, or another "
                        + "worker or namespace")
                    .formatted(identity, this.terms.summary(), others.summary()));
            }
            this.users++;
            return this;
        }

    }

}
