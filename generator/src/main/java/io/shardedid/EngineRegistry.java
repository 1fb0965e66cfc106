package io.shardedid;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

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

    /**
     * The engines of each identity: the open ones, one for each database where a database
     * was copied, and the last ones that ended. Each list is immutable.
     */
    private final Map<String, List<EngineSlot>> slots = new ConcurrentHashMap<>();

    /**
     * Joins the engine of an identity, or opens it as the first, after the one before has
     * closed. A source that has the identity of an open engine, but would take its leases
     * from another place, gets an engine of its own. The source is closed with the
     * engine; at once if it is not needed.
     * @throws ShardedIdConfigurationException if the engine runs on other terms
     * @throws ShardedIdException if it could not be opened
     */
    Membership join(EngineTerms terms, LeaseSource source) {
        boolean opened = false;
        try {
            EngineSlot mine = new EngineSlot(source.identity(terms), terms);
            Set<EngineSlot> others = new HashSet<>();
            while (true) {
                EngineSlot slot = entered(mine, others);
                if (slot == mine) {
                    opened = true;
                    slot.open(source);
                }
                Membership joined = joined(slot, terms, source);
                if (joined != null) {
                    return joined;
                }
                others.add(slot);
            }
        }
        finally {
            if (!opened) {
                source.close();
            }
        }
    }

    /** Enters the slot of an engine, or leaves it and returns null for another one's. */
    private @Nullable Membership joined(EngineSlot slot, EngineTerms terms, LeaseSource source) {
        try {
            Engine engine = slot.awaitEngine(source.startTimeout());
            LeaseSource feeding = engine.source();
            if (source != feeding && !feeding.sharesLeasesWith(source)) {
                slot.suspendIfAllWant(engine);
                leave(slot);
                return null;
            }
            slot.check(terms);
            // whoever joins wants ids now, also where the others stand still
            feeding.resume();
            if (source != feeding) {
                feeding.join(source);
            }
            return new Membership(slot, engine, source);
        }
        catch (RuntimeException | Error ex) {
            leave(slot);
            throw ex;
        }
    }

    /**
     * Enters the first slot that is open and not known to be another one's, or adds one
     * behind those that have ended.
     */
    private EngineSlot entered(EngineSlot mine, Set<EngineSlot> others) {
        EngineSlot[] entered = { mine };
        this.slots.compute(mine.identity(), (identity, known) -> {
            List<EngineSlot> before = (known != null) ? known : List.of();
            List<EngineSlot> open = new ArrayList<>();
            List<EngineSlot> ended = new ArrayList<>();
            for (EngineSlot slot : before) {
                if (!others.contains(slot) && slot.enter()) {
                    entered[0] = slot;
                    return before;
                }
                (slot.usable() ? open : ended).add(slot);
            }
            mine.follow(ended);
            open.add(mine);
            return List.copyOf(open);
        });
        return entered[0];
    }

    private void leave(EngineSlot slot) {
        if (slot.leave()) {
            EngineSlot remains = slot.close();
            this.slots.computeIfPresent(slot.identity(),
                    (identity, known) -> known.stream().map((each) -> (each == slot) ? remains : each).toList());
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
