package io.shardedid;

import java.math.BigInteger;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * One user's hold on an {@link Engine} that others of this JVM may use too. Each is
 * closed by its opener, and the last that closes gives the worker back. Thread-safe.
 */
final class EngineHandle implements ShardedIdEngine {

    /**
     * The smallest number of 41 significant bits. An id of the standard layout is larger
     * from two minutes after its epoch on, and a sequence never comes so far.
     */
    private static final long SMALLEST_OF_TWO_READINGS = 1L << 40;

    /** How far the clocks of processes may differ before they say so themselves. */
    private static final Duration CLOCK_ERROR = Duration.ofSeconds(10);

    /** What stands for the shard of a key that is no id, and for its number. */
    private static final int NO_ID = -1;

    /** A text of fewer digits is a smaller number. */
    private static final int FEWEST_DIGITS = Long.toString(SMALLEST_OF_TWO_READINGS).length();

    private static final int LETTERS_OF_A_UUID = 36;

    private final EngineRegistry registry;

    private final EngineRegistry.Entry entry;

    private final Engine engine;

    private final NumberMaker numbers;

    /** What this user brought along; it feeds the engine of the first user. */
    private final LeaseSource source;

    private final EngineTerms terms;

    private final ShardFunction shardFunction;

    private final @Nullable Instant legacyBefore;

    private final Clock clock;

    private final Uuids uuids = new Uuids();

    private final AtomicBoolean suspended = new AtomicBoolean();

    private final AtomicBoolean left = new AtomicBoolean();

    private volatile boolean closed;

    EngineHandle(EngineRegistry registry, EngineRegistry.Entry entry, Engine engine, LeaseSource source,
            ShardFunction shardFunction, @Nullable Instant legacyBefore) {
        this.registry = registry;
        this.entry = entry;
        this.engine = engine;
        this.numbers = engine.numbers();
        this.source = source;
        this.terms = engine.terms();
        this.shardFunction = shardFunction;
        this.legacyBefore = legacyBefore;
        this.clock = new IdClock(engine, ZoneOffset.UTC);
    }

    @Override
    public long next(int shard) {
        return numbers().next(shard);
    }

    @Override
    public void next(int shard, long[] into) {
        numbers().next(shard, into);
    }

    @Override
    public long next() {
        return numbers().nextKeyless();
    }

    @Override
    public ShardedUuids uuids() {
        return this.uuids;
    }

    @Override
    public boolean onlyUuids() {
        return open().source().onlyUuids();
    }

    @Override
    public EngineTerms terms() {
        return this.terms;
    }

    @Override
    public IdLayout layout() {
        return this.terms.layout();
    }

    @Override
    public int shards() {
        return this.terms.shards();
    }

    @Override
    public int shardFor(Object key) {
        int shard = shardForPlain(key);
        int carried = shardCarriedBy(key);
        if (carried != NO_ID && carried != shard) {
            throw new ShardKeyException(
                    ("Could not find the shard of a key: key=%s is an id of shard %s, and as a plain key it leads to shard "
                            + "%s (an id carries its shard, where its row and the children of that row are); use "
                            + "shardHome(id), and next(shardHome(id)) for the id of a child, or shardForPlain(key) if rows "
                            + "have this value as a plain key")
                        .formatted(key, carried, shard),
                    ShardKeyException.Reason.KEY_IS_ID);
        }
        return shard;
    }

    /**
     * The shard of the id that a key is, or {@link #NO_ID}. A short number is a key, also
     * where nobody knows since when ids are made.
     */
    private int shardCarriedBy(Object key) {
        UUID uuid = uuidOf(key);
        if (uuid != null) {
            return this.uuids.mayBeMade(uuid) ? UuidLayout.shardOf(uuid) : NO_ID;
        }
        long id = numberOf(key);
        return (id >= SMALLEST_OF_TWO_READINGS && mayBeMade(id)) ? shardOf(id) : NO_ID;
    }

    /** Whether there are no {@link #doubts}, without words for them. */
    private boolean mayBeMade(long id) {
        return !legacy(id) && shardOf(id) < shards() && !layout().instantOf(id).isAfter(latestNow());
    }

    /** A UUID, also as the text in which JSON and a URL have it, or null. */
    private static @Nullable UUID uuidOf(Object key) {
        if (key instanceof String text && text.length() == LETTERS_OF_A_UUID) {
            try {
                UUID uuid = UUID.fromString(text);
                return uuid.toString().equalsIgnoreCase(text) ? uuid : null;
            }
            catch (IllegalArgumentException ex) {
                return null;
            }
        }
        return (key instanceof UUID uuid) ? uuid : null;
    }

    /**
     * The number of an id, also as the text in which JSON and a URL have it; small if a
     * key is none.
     */
    private static long numberOf(Object key) {
        if (key instanceof Long number) {
            return number;
        }
        if (key instanceof BigInteger number) {
            return (number.bitLength() < Long.SIZE) ? number.longValue() : NO_ID;
        }
        return (key instanceof String text && text.length() >= FEWEST_DIGITS) ? IdLayout.parseText(text).orElse(NO_ID)
                : NO_ID;
    }

    @Override
    public int shardForPlain(Object key) {
        if (key == null) {
            throw new ShardKeyException(
                    "Could not find the shard of a key: key=null; set the key first, or use next() for a row that has none");
        }
        int shards = this.terms.shards();
        int shard = this.shardFunction.shardOf(key, shards);
        if (shard < 0 || shard >= shards) {
            throw new ShardKeyException(
                    ("Could not find the shard of a key: function '%s' must return a shard in [0, %s]: "
                            + "key=%s, shard=%s")
                        .formatted(this.shardFunction.id(), shards - 1, key, shard));
        }
        return shard;
    }

    @Override
    public ShardFunction shardFunction() {
        return this.shardFunction;
    }

    @Override
    public int shardHome(long id) {
        if (!legacy(id)) {
            int shard = shardOf(id);
            if (shard >= shards()) {
                throw new ShardKeyException(
                        "Could not find the shard of an id: shard must be in [0, %s]: id=%s, shard=%s; use an id of this layout"
                            .formatted(shards() - 1, id, shard),
                        ShardKeyException.Reason.NO_SUCH_ID);
            }
            return shard;
        }
        if (this.legacyBefore == null && id >= SMALLEST_OF_TWO_READINGS && id <= layout().lastId() && shards() > 1) {
            throw twoReadings(id);
        }
        return shardForPlain(id);
    }

    private ShardKeyException twoReadings(long id) {
        Instant time = layout().instantOf(id);
        return new ShardKeyException(
                ("Could not find the shard of an id: id=%s, time of its bits=%s, first lease=%s, shard by its bits=%s, "
                        + "shard as a plain number=%s (an id that is older than the first lease has two readings); set "
                        + "'shardedid.legacy-before' to %2$s or earlier if this fleet made the id, for example before "
                        + "the lease table was lost, or to %3$s if another system made it")
                    .formatted(id, time, layout().instantAt(firstTick()), shardOf(id), shardForPlain(id)));
    }

    @Override
    public boolean legacy(long id) {
        return id < 0 || id > layout().lastId() || layout().tickOf(id) < firstTick();
    }

    @Override
    public List<String> doubts(long id) {
        List<String> doubts = layout().doubts(id, shards(), latestNow());
        return (doubts.isEmpty() && legacy(id)) ? List.of("its time, %s, is before %s, from which on ids are made here"
            .formatted(layout().instantOf(id), layout().instantAt(firstTick()))) : doubts;
    }

    /** The time that an id may have by now in any process. */
    private Instant latestNow() {
        return clock().instant().plus(this.terms.maxAhead()).plus(CLOCK_ERROR);
    }

    @Override
    public long firstTick() {
        Instant line = this.legacyBefore;
        return (line != null) ? layout().tickAt(line) : open().source().firstTick();
    }

    @Override
    public Optional<Instant> legacyBefore() {
        return Optional.ofNullable(this.legacyBefore);
    }

    @Override
    public Clock clock() {
        return this.clock;
    }

    @Override
    public List<WorkerHolding> workers() {
        return open().source().workers();
    }

    @Override
    public LeaseSource leaseSource() {
        return open().source();
    }

    @Override
    public EngineStats stats() {
        return open().stats();
    }

    @Override
    public void suspend() {
        if (!this.closed && this.suspended.compareAndSet(false, true)) {
            this.entry.suspend(this.engine);
        }
    }

    @Override
    public void resume() {
        if (this.suspended.compareAndSet(true, false)) {
            this.entry.resume(this.engine);
        }
    }

    @Override
    public void close() {
        this.closed = true;
        if (this.left.compareAndSet(false, true)) {
            this.registry.unlist(this);
            if (this.suspended.compareAndSet(true, false)) {
                this.entry.forgetSuspension();
            }
            this.registry.leave(this.entry);
            // last: who leaves as the last one hears that the lease was given back
            if (this.registry.handles().stream().noneMatch(this::hasSameSource)) {
                this.engine.source().leave(this.source);
            }
        }
    }

    private boolean hasSameSource(ShardedIdEngine other) {
        return other instanceof EngineHandle handle && handle.source == this.source;
    }

    /** The engine, also after this was closed. */
    Engine engine() {
        return this.engine;
    }

    private Engine open() {
        checkOpen();
        return this.engine;
    }

    private NumberMaker numbers() {
        checkOpen();
        return this.numbers;
    }

    private void checkOpen() {
        if (this.closed) {
            throw IdWaits.closed("Could not make or look up an id: this ShardedIds was closed");
        }
    }

    /** The clock that ids carry. */
    private static final class IdClock extends Clock {

        private final Engine engine;

        private final ZoneId zone;

        private IdClock(Engine engine, ZoneId zone) {
            this.engine = engine;
            this.zone = zone;
        }

        @Override
        public Instant instant() {
            return this.engine.instant();
        }

        @Override
        public ZoneId getZone() {
            return this.zone;
        }

        @Override
        public Clock withZone(ZoneId other) {
            return new IdClock(this.engine, other);
        }

    }

    /** The UUIDs of the engine, as long as this is open. */
    private final class Uuids implements ShardedUuids {

        @Override
        public UUID next(int shard) {
            return open().uuids().next(shard);
        }

        @Override
        public UUID nextFor(Object shardKey) {
            return next(shardFor(shardKey));
        }

        /**
         * Whether a UUID can be one that this fleet has made by now. One of another maker
         * names any of 65,536 workers, and so hardly ever one that there can be here.
         */
        private boolean mayBeMade(UUID id) {
            return UuidLayout.isVersion7(id) && !UuidLayout.instantOf(id).isBefore(layout().instantAt(firstTick()))
                    && !UuidLayout.instantOf(id).isAfter(latestNow()) && UuidLayout.shardOf(id) < shards()
                    && (onlyUuids() || UuidLayout.parse(id).worker() < 1 << layout().workerBits());
        }

        @Override
        public UUID next() {
            return open().uuids().nextKeyless();
        }

        @Override
        public int shardHome(UUID id) {
            if (!UuidLayout.isVersion7(id)) {
                throw new ShardKeyException(
                        ("Could not find the shard of a UUID: it must be of version 7 and variant 2, which alone carries a "
                                + "shard: uuid=%s, version=%s, variant=%s; give the row an id by '@ShardedId', or use a plain "
                                + "key as shard key")
                            .formatted(id, id.version(), id.variant()));
            }
            Instant line = layout().instantAt(firstTick());
            if (UuidLayout.instantOf(id).isBefore(line)) {
                throw new ShardKeyException(
                        ("Could not find the shard of a UUID: its time must not be before ids were made here: uuid=%s, "
                                + "time=%s, first lease=%s; set 'shardedid.legacy-before' to the time of the UUID or "
                                + "earlier if this fleet made it, or use a plain key as shard key if another system did")
                            .formatted(id, UuidLayout.instantOf(id), line));
            }
            int shard = UuidLayout.shardOf(id);
            if (shard >= shards()) {
                throw new ShardKeyException(
                        ("Could not find the shard of a UUID: shard must be in [0, %s]: uuid=%s, shard=%s; use a UUID "
                                + "that this fleet made, or a plain key as shard key")
                            .formatted(shards() - 1, id, shard),
                        ShardKeyException.Reason.NO_SUCH_ID);
            }
            return shard;
        }

    }

}
