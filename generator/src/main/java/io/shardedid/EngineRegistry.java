package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import io.shardedid.internal.ConnectedLeases;
import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * The engines of this JVM by the identity of their workers, so that two session factories
 * or forty Spring contexts on one database are one writer. Thread-safe; engines are
 * opened and closed outside the map.
 *
 * @implNote {@link #JVM} is the one static state of the code base: two engines that both
 * believe to be worker 7 would make duplicate ids, and nothing smaller than the JVM sees
 * both
 */
final class EngineRegistry {

    static final EngineRegistry JVM = new EngineRegistry();

    private static final System.Logger LOG = System.getLogger(EngineRegistry.class.getName());

    /** Of how many identities whose store keeps their end it is also kept here. */
    static final int ENDS_KEPT = 16;

    /**
     * The engines of each identity: the open ones, one for each database where a database
     * was copied, and those that are about to close. Each list is immutable.
     */
    private final Map<String, List<Entry>> entries = new ConcurrentHashMap<>();

    /** The time of the last id of each identity. */
    private final Map<String, Instant> ends = new ConcurrentHashMap<>();

    /** The identities that ended last and whose store keeps their end, oldest first. */
    private final Queue<String> ended = new ConcurrentLinkedQueue<>();

    /** The open handles, the oldest first. */
    private final List<ShardedIdEngine> handles = new CopyOnWriteArrayList<>();

    List<ShardedIdEngine> handles() {
        return List.copyOf(this.handles);
    }

    /** Lets others of this JVM find a handle until it is closed. */
    void list(EngineHandle handle) {
        this.handles.add(handle);
    }

    /**
     * Joins the engine of an identity, or opens it as the first, after the one before has
     * closed. A source that has the identity of an open engine, but would take its leases
     * from another place, gets an engine of its own. The source is closed with the
     * engine; at once if it is not needed. A source that feeds an engine joins that one.
     * @return a handle, which is not listed yet
     * @throws ShardedIdConfigurationException if the engine runs on other terms
     * @throws ShardedIdException if it could not be opened
     */
    EngineHandle join(EngineTerms terms, ShardFunction shardFunction, LeaseSource source) {
        Entry fed = fedBy(source);
        if (fed != null) {
            Engine engine = Objects.requireNonNull(joined(fed, terms, source));
            return new EngineHandle(this, fed, engine, source, shardFunction);
        }
        boolean feeds = false;
        try {
            Entry mine = new Entry(source.connect(terms), terms, source);
            Set<Entry> others = new HashSet<>();
            while (true) {
                Entry entry = entered(mine, others);
                if (entry == mine) {
                    feeds = true;
                    if (!entry.open(this.ends)) {
                        forget(entry);
                    }
                }
                Engine engine = joined(entry, terms, source);
                if (engine != null) {
                    feeds |= engine.source() == source;
                    return new EngineHandle(this, entry, engine, source, shardFunction);
                }
                others.add(entry);
            }
        }
        finally {
            if (!feeds) {
                source.close();
            }
        }
    }

    /** Enters the entry whose engine a source feeds, if there is one. */
    private @Nullable Entry fedBy(LeaseSource source) {
        for (List<Entry> known : this.entries.values()) {
            for (Entry entry : known) {
                if (entry.source == source && entry.enter()) {
                    return entry;
                }
            }
        }
        return null;
    }

    /** The engine of an entry; if it is another one's, null, and the entry is left. */
    private @Nullable Engine joined(Entry entry, EngineTerms terms, LeaseSource source) {
        try {
            Engine engine = entry.awaitEngine(source.startTimeout());
            LeaseSource feeding = engine.source();
            // a source that stands still begins to lease as soon as it is asked
            engine.beforeResumption();
            if (source != feeding && !feeding.sharesLeasesWith(source)) {
                leave(entry);
                return null;
            }
            entry.check(terms);
            // a source that joins wants ids now, also where the others stand still
            feeding.resume();
            if (source != feeding) {
                feeding.join(source);
            }
            return engine;
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
    private Entry entered(Entry mine, Set<Entry> others) {
        Entry[] entered = { mine };
        this.entries.compute(mine.identity, (identity, known) -> {
            List<Entry> before = (known != null) ? known : List.of();
            List<Entry> all = new ArrayList<>();
            for (Entry entry : before) {
                if (!others.contains(entry) && entry.enter()) {
                    entered[0] = entry;
                    return before;
                }
                if (entry.usable()) {
                    all.add(entry);
                }
                else {
                    mine.follow(entry);
                }
            }
            all.add(mine);
            return List.copyOf(all);
        });
        return entered[0];
    }

    void unlist(EngineHandle handle) {
        this.handles.remove(handle);
    }

    /**
     * Takes a user from an engine, which closes after the last, and stands still if all
     * who remain want that.
     */
    void leave(Entry entry) {
        if (entry.leave()) {
            entry.close(this::remember);
            forget(entry);
        }
        else {
            entry.suspendIfAllWant();
        }
    }

    private void forget(Entry entry) {
        this.entries.computeIfPresent(entry.identity, (identity, known) -> {
            List<Entry> left = known.stream().filter((each) -> each != entry).toList();
            return left.isEmpty() ? null : left;
        });
    }

    /**
     * Remembers when an engine made its last id. Where the store keeps that, it matters
     * here only for the order of ids, and the latest engines are enough.
     */
    private void remember(Entry entry, Instant last) {
        this.ends.merge(entry.identity, last, (one, other) -> one.isAfter(other) ? one : other);
        if (entry.source.keepsItsEnd()) {
            this.ended.remove(entry.identity);
            this.ended.add(entry.identity);
            String oldest = (this.ended.size() > ENDS_KEPT) ? this.ended.poll() : null;
            if (oldest != null) {
                this.ends.remove(oldest);
            }
        }
    }

    int size() {
        return this.entries.values().stream().mapToInt(List::size).sum() + this.ends.size();
    }

    /**
     * The life of one engine: opened by its first user, closed by its last, followed by
     * the next of its identity, which begins only when this one has ended. Thread-safe.
     */
    static final class Entry {

        private final String identity;

        private final EngineTerms terms;

        private final LeaseSource source;

        private final ConnectedLeases connected;

        private final CompletableFuture<Engine> opened = new CompletableFuture<>();

        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        /** Counts the first from the start. At 0 or less nobody can enter any more. */
        private final AtomicInteger users = new AtomicInteger(1);

        /** How many of them want the engine to stand still. */
        private final AtomicInteger suspended = new AtomicInteger();

        /** The end of the engines before; set before this one is seen by others. */
        private CompletableFuture<Void> before = CompletableFuture.completedFuture(null);

        Entry(ConnectedLeases connected, EngineTerms terms, LeaseSource source) {
            this.identity = connected.name();
            this.terms = terms;
            this.source = source;
            this.connected = connected;
        }

        /** Counts another user, unless the last one has left. */
        boolean enter() {
            return this.users.getAndUpdate((now) -> now > 0 ? now + 1 : now) > 0;
        }

        /** Whether the engine has a user, so that others can enter. */
        boolean usable() {
            return this.users.get() > 0;
        }

        /**
         * Lets this engine begin only when another one has ended. Comes before this one
         * is seen by others.
         */
        void follow(Entry other) {
            this.before = CompletableFuture.allOf(this.before, other.ended);
        }

        /** Refuses another user that has other terms. */
        void check(EngineTerms other) {
            if (!this.terms.equals(other)) {
                throw new ShardedIdConfigurationException(
                        "Could not open a second id engine '%s' in this JVM: its settings differ: open=%s, second=%s"
                            .formatted(this.identity, this.terms.summary(), other.summary()),
                        "give both the same 'shardedid.*' settings, or another worker or namespace");
            }
        }

        /** Opens the engine; what goes wrong is told to all who await it. */
        boolean open(Map<String, Instant> ends) {
            try {
                got(this.before, this.source.startTimeout(), "the one before to close");
                Instant last = ends.getOrDefault(this.identity, Instant.MIN);
                Engine engine = new Engine(this.terms, this.source, tickOf(last, this.terms.layout()));
                this.connected.start().accept(engine);
                this.opened.complete(engine);
                return true;
            }
            catch (RuntimeException | Error ex) {
                this.users.set(0);
                this.source.close();
                this.before.thenAccept(this.ended::complete);
                this.opened.completeExceptionally(ex);
                return false;
            }
        }

        Engine awaitEngine(Duration patience) {
            return got(this.opened, patience, "another thread of this JVM to open it");
        }

        void suspend(Engine engine) {
            int wanting = this.suspended.incrementAndGet();
            int all = this.users.get();
            if (wanting >= all) {
                standStillIfAllWant(engine);
            }
            else {
                LOG.log(System.Logger.Level.WARNING,
                        "The id engine ''{0}'' goes on and keeps its lease: {1} of its {2} users in this JVM suspended it; "
                                + "suspend the others too before a checkpoint of the process",
                        this.identity, Integer.toString(wanting), Integer.toString(all));
            }
        }

        private void suspendIfAllWant() {
            if (allWantStandstill()) {
                standStillIfAllWant(this.opened.join());
            }
        }

        /**
         * Asks again afterwards: who came, left or went on meanwhile may have done so
         * before the engine stood still.
         */
        private void standStillIfAllWant(Engine engine) {
            while (allWantStandstill()) {
                engine.suspend();
                if (allWantStandstill()) {
                    return;
                }
                goOn(engine);
            }
        }

        private boolean allWantStandstill() {
            int wanting = this.suspended.get();
            return wanting > 0 && wanting >= this.users.get();
        }

        private static void goOn(Engine engine) {
            engine.beforeResumption();
            engine.source().resume();
        }

        void forgetSuspension() {
            this.suspended.decrementAndGet();
        }

        /** Ends the suspension, whatever others want. */
        void resume(Engine engine) {
            this.suspended.decrementAndGet();
            goOn(engine);
            standStillIfAllWant(engine);
        }

        /** Returns whether this was the last user, who has to close the engine. */
        boolean leave() {
            return this.users.decrementAndGet() == 0;
        }

        /** Closes the engine, and tells when it made its last id before others go on. */
        void close(BiConsumer<Entry, Instant> remember) {
            long tick = this.opened.join().close();
            if (tick >= 0) {
                remember.accept(this, this.terms.layout().instantAt(tick));
            }
            this.ended.complete(null);
        }

        /** The tick of the very first lease, or 0; see {@link ConnectedLeases}. */
        long firstTick(Duration patience) {
            return this.connected.firstTick().applyAsLong(patience);
        }

        private <T> T got(CompletableFuture<T> future, Duration patience, String what) {
            try {
                return future.get(patience.toNanos(), TimeUnit.NANOSECONDS);
            }
            catch (ExecutionException ex) {
                if (ex.getCause() instanceof RuntimeException cause) {
                    throw cause;
                }
                throw new ShardedIdException("Could not open the id engine '%s'".formatted(this.identity),
                        ex.getCause());
            }
            catch (TimeoutException ex) {
                throw new WorkerLeaseException(
                        "Could not open the id engine '%s': waited for %s: waited=%s; see its log lines"
                            .formatted(this.identity, what, MessageText.duration(patience)),
                        ex);
            }
            catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
                throw new ShardedIdException("Could not open the id engine '%s': interrupted while waiting for %s"
                    .formatted(this.identity, what), ex);
            }
        }

        /** The tick that holds a time, or the nearest one; NO_TICK before the epoch. */
        private static long tickOf(Instant last, IdLayout layout) {
            if (last.isBefore(layout.epoch())) {
                return CellClaims.NO_TICK;
            }
            Instant end = layout.lastUsableInstant();
            return layout.tickAt(last.isAfter(end) ? end : last);
        }

    }

}
