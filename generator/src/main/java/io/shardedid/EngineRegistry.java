package io.shardedid;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

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

    /** The engine of each identity, open or ended. */
    private final Map<String, EngineSlot> slots = new ConcurrentHashMap<>();

    /**
     * Joins the engine of an identity, or opens it as the first, after the one before has
     * closed. The source is closed with the engine; at once if it is not needed.
     * @throws ShardedIdConfigurationException if the engine runs on other terms
     * @throws ShardedIdException if it could not be opened
     */
    Membership join(EngineTerms terms, LeaseSource source) {
        EngineSlot slot = entered(terms, source);
        try {
            Engine engine = slot.awaitEngine(source.startTimeout());
            // whoever joins wants ids now, also where the others stand still
            engine.source().resume();
            if (source != engine.source()) {
                engine.source().join(source);
            }
            return new Membership(slot, engine, source);
        }
        catch (RuntimeException ex) {
            leave(slot);
            throw ex;
        }
    }

    private EngineSlot entered(EngineTerms terms, LeaseSource source) {
        EngineSlot mine;
        EngineSlot slot;
        try {
            mine = new EngineSlot(source.identity(terms), terms);
            slot = this.slots.merge(mine.identity(), mine, EngineSlot::entered);
        }
        catch (RuntimeException | Error ex) {
            source.close();
            throw ex;
        }
        if (slot == mine) {
            slot.open(source);
        }
        else {
            source.close();
        }
        return slot;
    }

    private void leave(EngineSlot slot) {
        if (slot.leave()) {
            this.slots.replace(slot.identity(), slot, slot.close());
        }
    }

    /** One user of an engine; the last that leaves closes it. */
    final class Membership {

        private final EngineSlot slot;

        private final Engine engine;

        private final LeaseSource source;

        private final AtomicBoolean left = new AtomicBoolean();

        private final AtomicBoolean suspended = new AtomicBoolean();

        private Membership(EngineSlot slot, Engine engine, LeaseSource source) {
            this.slot = slot;
            this.engine = engine;
            this.source = source;
        }

        Engine engine() {
            return this.engine;
        }

        /** Wants the engine to stand still; again, does nothing. */
        void suspend() {
            if (!this.left.get() && this.suspended.compareAndSet(false, true)) {
                this.slot.suspend(this.engine);
            }
        }

        /** Wants it to go on; again, does nothing. */
        void resume() {
            if (this.suspended.compareAndSet(true, false)) {
                this.slot.resume(this.engine);
            }
        }

        /** Leaves; again, does nothing. */
        void leave() {
            if (this.left.compareAndSet(false, true)) {
                resume();
                EngineRegistry.this.leave(this.slot);
                // last: who leaves as the last one hears that the lease was given back
                this.engine.source().leave(this.source);
            }
        }

    }

}
