package io.shardedid;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
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
    private final Map<String, List<RegisteredEngine>> entries = new ConcurrentHashMap<>();

    /** What those who use the engines have in their hands, the oldest first. */
    private final List<ShardedIdEngine> users = new CopyOnWriteArrayList<>();

    /** Returns the engines as their users have them, the oldest first. */
    List<ShardedIdEngine> users() {
        return List.copyOf(this.users);
    }

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
            RegisteredEngine mine = new RegisteredEngine(source.identity(terms), terms);
            Set<RegisteredEngine> others = new HashSet<>();
            while (true) {
                RegisteredEngine entry = entered(mine, others);
                if (entry == mine) {
                    opened = true;
                    entry.open(source);
                }
                Membership joined = joined(entry, terms, source);
                if (joined != null) {
                    return joined;
                }
                others.add(entry);
            }
        }
        finally {
            if (!opened) {
                source.close();
            }
        }
    }

    /** Enters the entry of an engine, or leaves it and returns null for another one's. */
    private @Nullable Membership joined(RegisteredEngine entry, EngineTerms terms, LeaseSource source) {
        try {
            Engine engine = entry.awaitEngine(source.startTimeout());
            LeaseSource feeding = engine.source();
            // a source that stands still begins to lease as soon as it is asked
            engine.beforeResumption();
            boolean joins = false;
            try {
                if (source == feeding || feeding.sharesLeasesWith(source)) {
                    entry.check(terms);
                    joins = true;
                }
            }
            finally {
                if (!joins) {
                    entry.suspendIfAllWant(engine);
                }
            }
            if (!joins) {
                leave(entry);
                return null;
            }
            // whoever joins wants ids now, also where the others stand still
            feeding.resume();
            if (source != feeding) {
                feeding.join(source);
            }
            return new Membership(entry, engine, source);
        }
        catch (RuntimeException | Error ex) {
            leave(entry);
            throw ex;
        }
    }

    /**
     * Enters the first entry that is open and not known to be another one's, or adds one
     * behind those that have ended.
     */
    private RegisteredEngine entered(RegisteredEngine mine, Set<RegisteredEngine> others) {
        RegisteredEngine[] entered = { mine };
        this.entries.compute(mine.identity(), (identity, known) -> {
            List<RegisteredEngine> before = (known != null) ? known : List.of();
            List<RegisteredEngine> open = new ArrayList<>();
            List<RegisteredEngine> ended = new ArrayList<>();
            for (RegisteredEngine entry : before) {
                if (!others.contains(entry) && entry.enter()) {
                    entered[0] = entry;
                    return before;
                }
                (entry.usable() ? open : ended).add(entry);
            }
            mine.follow(ended);
            open.add(mine);
            return List.copyOf(open);
        });
        return entered[0];
    }

    private void leave(RegisteredEngine entry) {
        if (entry.leave()) {
            RegisteredEngine remains = entry.close();
            this.entries.computeIfPresent(entry.identity(),
                    (identity, known) -> known.stream().map((each) -> (each == entry) ? remains : each).toList());
        }
    }

    /** One user of an engine; the last that leaves closes it. */
    final class Membership {

        private final RegisteredEngine entry;

        private final Engine engine;

        private final LeaseSource source;

        private final AtomicBoolean left = new AtomicBoolean();

        private final AtomicBoolean suspended = new AtomicBoolean();

        private volatile @Nullable ShardedIdEngine user;

        private Membership(RegisteredEngine entry, Engine engine, LeaseSource source) {
            this.entry = entry;
            this.engine = engine;
            this.source = source;
        }

        Engine engine() {
            return this.engine;
        }

        /** Lets others of this JVM find what the user has, until the user leaves. */
        void usedBy(ShardedIdEngine user) {
            this.user = user;
            EngineRegistry.this.users.add(user);
        }

        /** Wants the engine to stand still; again, does nothing. */
        void suspend() {
            if (!this.left.get() && this.suspended.compareAndSet(false, true)) {
                this.entry.suspend(this.engine);
            }
        }

        /** Wants it to go on; again, does nothing. */
        void resume() {
            if (this.suspended.compareAndSet(true, false)) {
                this.entry.resume(this.engine);
            }
        }

        /** Leaves; again, does nothing. */
        void leave() {
            if (this.left.compareAndSet(false, true)) {
                ShardedIdEngine gone = this.user;
                if (gone != null) {
                    EngineRegistry.this.users.remove(gone);
                }
                resume();
                EngineRegistry.this.leave(this.entry);
                // last: who leaves as the last one hears that the lease was given back
                this.engine.source().leave(this.source);
            }
        }

    }

}
