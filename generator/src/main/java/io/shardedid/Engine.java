package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;

/**
 * Makes ids: reads the lease once, the clock once, and claims a cell. One engine serves
 * all {@link ShardedIds} of a JVM that share a worker. Safe for use by many threads; no
 * lock, nothing allocated per id.
 */
final class Engine implements LeaseHolder {

    private static final System.Logger LOG = System.getLogger(Engine.class.getName());

    /* Attempts that made no id. All negative, as no id is. */

    static final long NO_LEASE = -1;

    static final long AHEAD_OF_CLOCK = -2;

    static final long LEASE_SPENT = -3;

    static final long RANGE_SPENT = -4;

    /** The last tick of an engine that made no id. */
    static final long NO_TICK = -1;

    /** In place of a shard: any will do. */
    static final int KEYLESS = -1;

    /**
     * The engine whose lease these cells are claimed under, null for an engine itself.
     */
    private final @Nullable Engine parent;

    private final EngineTerms terms;

    private final LeaseSource source;

    private final IdLayout layout;

    private final TimeSource time;

    private final TickRate rate;

    private final int shards;

    private final int sequenceBits;

    private final long sequenceMask;

    /**
     * Which bits of a shard pick its cell: all, or none if one cell serves all shards.
     */
    private final int cellMask;

    /** Makes fresh cells for a number of shards; fails when the heap is full. */
    private final IntFunction<ShardCells> freshCells;

    private final AtomicLong keylessTick = new AtomicLong();

    private final LongAdder issued = new LongAdder();

    private final LongAdder sequencesSpent = new LongAdder();

    private final LongAdder waits = new LongAdder();

    private final LongAdder waitedNanos = new LongAdder();

    private volatile LeasedCells current;

    /** The latest cells of a lease: their clock outlives the lease. */
    private volatile @Nullable LeasedCells clock;

    private volatile boolean closed;

    /** The tick after which the first UUIDs come, or NO_TICK. */
    private final long lastUuidTick;

    /** The UUIDs, once somebody has asked for them; written under the lock of this. */
    private volatile @Nullable EngineUuids uuids;

    /** Whether the process stands still, so that no lease is taken; guarded by this. */
    private boolean suspended;

    /** Whether the present cells are poisoned; guarded by this. */
    private boolean cellsSpent;

    /** The worker whose ids the present cells have made; guarded by this. */
    private int cellsWorker = TickLease.NONE.worker();

    /**
     * The highest tick that was found in poisoned cells, or NO_TICK; guarded by this. It
     * is kept because cells tell it once only: an attempt that fails after the poison
     * must not lose it.
     */
    private long spentTick = NO_TICK;

    /**
     * Makes an engine whose ids are all later than a tick.
     * @param lastTick the tick, or NO_TICK
     * @param lastUuidTick the tick after which UUIDs come, or NO_TICK
     */
    Engine(EngineTerms terms, LeaseSource source, long lastTick, long lastUuidTick) {
        this(terms, source, lastTick, lastUuidTick, (shards) -> new ShardCells(shards, -1), null,
                terms.layout().sequenceBits(), terms.layout().sequenceAboveShard());
    }

    /**
     * Makes an engine whose fresh cells come from a factory that may fail.
     * @param freshCells makes cells that nothing was claimed in
     */
    Engine(EngineTerms terms, LeaseSource source, long lastTick, IntFunction<ShardCells> freshCells) {
        this(terms, source, lastTick, lastTick, freshCells, null, terms.layout().sequenceBits(),
                terms.layout().sequenceAboveShard());
    }

    /** Makes the cells of UUIDs, which are claimed under the lease of an engine. */
    private Engine(Engine parent) {
        this(parent.terms, parent.source, parent.lastUuidTick, parent.lastUuidTick, parent.freshCells, parent,
                UuidLayout.SEQUENCE_BITS, false);
    }

    private Engine(EngineTerms terms, LeaseSource source, long lastTick, long lastUuidTick,
            IntFunction<ShardCells> freshCells, @Nullable Engine parent, int sequenceBits, boolean oneCell) {
        this.parent = parent;
        this.terms = terms;
        this.source = source;
        this.layout = terms.layout();
        this.time = terms.time();
        this.shards = terms.shards();
        this.sequenceBits = sequenceBits;
        this.sequenceMask = (1L << this.sequenceBits) - 1;
        this.cellMask = (oneCell || this.shards == 1) ? 0 : -1;
        this.rate = new TickRate(this.layout.tick().toNanos(), this.sequenceBits);
        this.freshCells = freshCells;
        this.lastUuidTick = lastUuidTick;
        ShardCells first = fresh();
        first.startAfter(lastCellOf(lastTick));
        this.current = leasedCells(TickLease.NONE, first);
    }

    void start() {
        this.source.start(this.terms, this);
    }

    /**
     * Gives the lease back and ends the engine: callers that wait are refused. No id is
     * made after it, whatever fails meanwhile.
     * @return the highest tick of its ids, or NO_TICK
     */
    long close() {
        this.closed = true;
        try {
            this.source.close();
        }
        catch (RuntimeException | Error ex) {
            notGivenBack(ex);
        }
        return end();
    }

    private static void notGivenBack(Throwable ex) {
        try {
            LOG.log(System.Logger.Level.WARNING, "Could not give the worker lease back; it runs out by itself", ex);
        }
        catch (Error noLine) {
            // The engine has to end in any case; the lease runs out by itself.
        }
    }

    /** Ends for good: what is closed needs no fresh cells. */
    private synchronized long end() {
        EngineUuids made = this.uuids;
        long highestOfUuids = (made != null) ? made.cells().end() : NO_TICK;
        letGo();
        return Math.max(this.spentTick, highestOfUuids);
    }

    /**
     * Lets the lease go for as long as the process stands still. No id is made from here
     * on, whatever the source does and however long it takes.
     */
    void suspend() {
        standStill();
        this.source.suspend();
    }

    private synchronized void standStill() {
        this.suspended = true;
        EngineUuids made = this.uuids;
        if (made != null) {
            made.cells().letGo();
        }
        letGo();
    }

    /**
     * Poisons the cells, and makes no fresh ones, so that it cannot fail: the next lease
     * has to.
     */
    private synchronized void letGo() {
        ShardCells spent = this.current.cells;
        spend(spent);
        this.cellsSpent = true;
        try {
            this.current = leasedCells(TickLease.NONE, spent);
        }
        catch (OutOfMemoryError ex) {
            // The leased cells of before make no id either: they are poisoned.
        }
    }

    /** The highest tick of the UUIDs of an engine that was closed, or NO_TICK. */
    long highestUuidTick() {
        EngineUuids made = this.uuids;
        return (made != null) ? made.cells().highestSpent() : NO_TICK;
    }

    private synchronized long highestSpent() {
        return this.spentTick;
    }

    /**
     * Prepares for going on after a suspension, before the source does: a copy of the
     * memory of this process goes on as well. Reads the system's source of randomness,
     * under no lock.
     */
    void beforeResumption() {
        EngineUuids made = this.uuids;
        if (made != null) {
            made.redraw();
        }
        synchronized (this) {
            this.suspended = false;
        }
    }

    long next(int shard) {
        checkShard(shard);
        long id = tryNext(shard);
        return issued(id >= 0 ? id : await(id, shard));
    }

    /** One attempt, which never waits: an id, or why there is none. */
    long tryNext(int shard) {
        LeasedCells held = this.current;
        int at = shard & this.cellMask;
        if (this.cellMask != 0) {
            // where all claim in one cell, its line would be gone again before the claim
            held.cells.fetch(at);
        }
        long elapsed = held.elapsedAt(this.time.nanoTime());
        if (elapsed < 0) {
            return NO_LEASE;
        }
        long floor = held.floor(elapsed);
        long cell = held.cells.claim(at, floor, held.start(elapsed), held.limit(floor));
        return cell >= 0 ? held.pack(cell, shard) : refused(held, floor);
    }

    /**
     * One attempt at a value of a cell, which never waits: for ids that are wider than a
     * number.
     * @param held the lease, read once, so that the id carries the worker under which the
     * value was claimed
     * @param shard the shard, or KEYLESS
     * @return the value, or why there is none
     */
    long tryClaim(LeasedCells held, int shard) {
        long elapsed = held.elapsedAt(this.time.nanoTime());
        if (elapsed < 0) {
            return NO_LEASE;
        }
        if (shard == KEYLESS && this.cellMask != 0) {
            return claimInTicks(held, elapsed, false);
        }
        long floor = held.floor(elapsed);
        // the sequence follows the clock inside a tick, too: it has room for that, and
        // ids of all shards come in order to the index
        long start = held.start(elapsed);
        long cell = held.cells.claim(shard & this.cellMask, start, start, held.limit(floor));
        return (cell >= 0) ? cell : refused(held, floor);
    }

    /** The shard of a value that was claimed without a shard key in a cell per shard. */
    int keylessShard(LeasedCells held, long cell) {
        return shardOf(cell >> this.sequenceBits, held.lease.worker());
    }

    void next(int shard, long[] into) {
        checkShard(shard);
        IdWait wait = null;
        int made = 0;
        while (made < into.length) {
            long now = tryFill(shard, into, made);
            if (now > 0) {
                made += (int) now;
                this.issued.add(now);
                wait = null;
            }
            else {
                wait = (wait != null) ? wait : waitFor(now);
                wait.once(now, shard);
            }
        }
    }

    /** One attempt at the rest of an array: how many ids it made, or why none. */
    long tryFill(int shard, long[] into, int from) {
        LeasedCells held = this.current;
        long elapsed = held.elapsedAt(this.time.nanoTime());
        if (elapsed < 0) {
            return NO_LEASE;
        }
        long floor = held.floor(elapsed);
        long limit = held.limit(floor);
        int wanted = into.length - from;
        long first = held.cells.claim(shard & this.cellMask, floor, held.start(elapsed), limit, wanted);
        if (first < 0) {
            return refused(held, floor);
        }
        long count = Math.min(wanted, limit - first);
        for (int i = 0; i < count; i++) {
            into[from + i] = held.pack(first + i, shard);
        }
        return count;
    }

    long nextKeyless() {
        long id = tryNextKeyless();
        return issued(id >= 0 ? id : await(id, KEYLESS));
    }

    private long issued(long id) {
        counted();
        return id;
    }

    void counted() {
        this.issued.increment();
    }

    /**
     * One attempt at an id without a shard key. With a cell per shard the tick alone
     * picks the shard, and a tick that is left is never returned to: so such ids increase
     * over all shards.
     */
    long tryNextKeyless() {
        LeasedCells held = this.current;
        long elapsed = held.elapsedAt(this.time.nanoTime());
        if (elapsed < 0) {
            return NO_LEASE;
        }
        return (this.cellMask == 0) ? claimInOrder(held, elapsed) : claimInTicks(held, elapsed, true);
    }

    /** One cell for all shards: its values are in order whatever the shard. */
    private long claimInOrder(LeasedCells held, long elapsed) {
        long floor = held.floor(elapsed);
        long cell = held.cells.claim(0, floor, held.start(elapsed), held.limit(floor));
        return (cell >= 0) ? held.pack(cell, shardOf(cell, held.lease.worker())) : refused(held, floor);
    }

    /** Claims a value; returns the id that is made of it, or the value itself. */
    private long claimInTicks(LeasedCells held, long elapsed, boolean packed) {
        long present = held.floor(elapsed);
        long limit = held.limit(present);
        long now = present >> this.sequenceBits;
        long seen = this.keylessTick.get();
        for (long tick = Math.max(now, seen); tick << this.sequenceBits < limit; tick++) {
            int shard = shardOf(tick, held.lease.worker());
            long floor = tick << this.sequenceBits;
            long start = tick == now ? held.start(elapsed) : floor;
            long cell = held.cells.claim(shard, floor, start, floor + this.sequenceMask + 1);
            if (cell >= 0) {
                if (tick > seen) {
                    this.keylessTick.accumulateAndGet(tick, Math::max);
                }
                return packed ? held.pack(cell, shard) : cell;
            }
        }
        return refused(held, present);
    }

    private int shardOf(long value, int worker) {
        long mixed = KeyShardFunction.mix(value * 31 + worker);
        return (int) ((mixed >>> 32) * this.shards >>> 32);
    }

    private long refused(LeasedCells held, long floor) {
        if (!held.endsBeforeAhead(floor)) {
            return AHEAD_OF_CLOCK;
        }
        return held.lease.hi() > this.layout.lastTick() ? RANGE_SPENT : LEASE_SPENT;
    }

    private long await(long refusal, int shard) {
        IdWait wait = waitFor(refusal);
        long id = refusal;
        while (id < 0) {
            wait.once(id, shard);
            id = (shard == KEYLESS) ? tryNextKeyless() : tryNext(shard);
        }
        return id;
    }

    /** Begins to wait, unless there will never be an id of this kind. */
    IdWait waitFor(long refusal) {
        if (this.parent == null && this.source.onlyUuids()) {
            throw new WorkerLeaseException(
                    "Could not make an id of 64 bits: this process makes UUIDs only: shardedid.worker.mode=random "
                            + "(equal ids would be likely in so few bits); use mode 'lease' or 'fixed', or an id of "
                            + "type UUID",
                    false,
                    "Something makes an id of 64 bits without a lease. Set 'shardedid.worker.mode' to 'lease' or "
                            + "'fixed', or make a UUID.",
                    null);
        }
        if (refusal == AHEAD_OF_CLOCK) {
            this.sequencesSpent.increment();
        }
        return new IdWait(this);
    }

    void checkShard(int shard) {
        if (shard < 0 || shard >= this.shards) {
            throw new ShardKeyException(
                    "Could not make an id: shard must be in [0, %d]: shard=%d".formatted(this.shards - 1, shard));
        }
    }

    /**
     * Returns the UUIDs of this engine, whose cells come into being at the first call.
     * @throws ShardedIdConfigurationException if the layout has no UUIDs
     */
    EngineUuids uuids() {
        EngineUuids made = this.uuids;
        return (made != null) ? made : uuids(EngineUuids.secret());
    }

    private synchronized EngineUuids uuids(long secret) {
        EngineUuids made = this.uuids;
        if (made == null) {
            UuidLayout.check(this.layout);
            made = new EngineUuids(new Engine(this), secret);
            made.cells().hold(this.suspended ? TickLease.NONE : this.current.lease);
            this.uuids = made;
        }
        return made;
    }

    /*
     * When cells are replaced, everything is allocated first, also for the UUIDs, then
     * the old cells are poisoned, then the new ones become visible. Poison cannot be
     * taken back, so nothing may fail after it; an attempt that fails before it has
     * changed nothing and can be repeated.
     */

    @Override
    public synchronized void hold(TickLease lease) {
        if (closed() || this.suspended) {
            return;
        }
        EngineUuids made = this.uuids;
        Change change = changeTo((this.parent == null && this.source.onlyUuids()) ? TickLease.NONE : lease);
        Change changeOfUuids = (made != null) ? made.cells().changeTo(lease) : null;
        apply(change);
        if (made != null && changeOfUuids != null) {
            made.cells().apply(changeOfUuids);
        }
    }

    /** Prepares the change to a lease. Changes nothing. */
    private Change changeTo(TickLease lease) {
        boolean otherWorker = lease.leased() && lease.worker() != this.cellsWorker;
        if (otherWorker) {
            LayoutRules.fits("worker", lease.worker(),
                    (this.parent == null) ? this.layout.workerBits() : UuidLayout.WORKER_BITS);
        }
        ShardCells before = this.current.cells;
        boolean unusable = this.cellsSpent || (otherWorker && this.cellsWorker >= 0);
        ShardCells cells = (lease.leased() && unusable) ? fresh() : before;
        return new Change(leasedCells(lease, cells), otherWorker);
    }

    /** Makes a change visible. Allocates nothing. */
    private void apply(Change change) {
        LeasedCells next = change.next;
        ShardCells before = this.current.cells;
        if (next.cells != before) {
            // inside one tick a smaller worker makes a smaller id, so another worker
            // starts in a later tick
            next.cells.startAfter(lastCellOf(spend(before)));
            this.cellsSpent = false;
        }
        this.cellsWorker = change.otherWorker ? next.lease.worker() : this.cellsWorker;
        this.clock = next.lease.leased() ? next : this.clock;
        this.current = next;
    }

    /*
     * The rest of the interval may be given to somebody else only above the highest tick
     * of both kinds of ids.
     */

    @Override
    public synchronized long relinquish() {
        EngineUuids made = this.uuids;
        LeasedCells next = nothingHeld();
        LeasedCells nextOfUuids = (made != null) ? made.cells().nothingHeld() : null;
        long highest = replaceSpent(next);
        return (made != null && nextOfUuids != null) ? Math.max(highest, made.cells().replaceSpent(nextOfUuids))
                : highest;
    }

    private LeasedCells nothingHeld() {
        return leasedCells(TickLease.NONE, fresh());
    }

    /** Poisons the cells and goes on in fresh ones. Allocates nothing. */
    private long replaceSpent(LeasedCells next) {
        long highest = spend(this.current.cells);
        next.cells.startAfter(lastCellOf(highest));
        this.cellsSpent = false;
        this.current = next;
        return highest;
    }

    /**
     * Poisons cells. Allocates nothing.
     * @return the highest tick of all cells that were ever poisoned, or NO_TICK
     */
    private long spend(ShardCells cells) {
        this.spentTick = Math.max(this.spentTick, tickOf(cells.poison()));
        return this.spentTick;
    }

    private ShardCells fresh() {
        return this.freshCells.apply((this.cellMask == 0) ? 1 : this.shards);
    }

    private long lastCellOf(long tick) {
        return (tick + 1 << this.sequenceBits) - 1;
    }

    private long tickOf(long cell) {
        return (cell < 0) ? NO_TICK : cell >>> this.sequenceBits;
    }

    private LeasedCells leasedCells(TickLease lease, ShardCells cells) {
        return new LeasedCells(lease, cells, this.terms, this.rate, this.sequenceBits);
    }

    EngineTerms terms() {
        return this.terms;
    }

    LeaseSource source() {
        return this.source;
    }

    LeasedCells current() {
        return this.current;
    }

    boolean closed() {
        return this.closed || this.parent != null && this.parent.closed;
    }

    boolean makesUuids() {
        return this.parent != null;
    }

    void parked(long nanos) {
        this.waits.increment();
        this.waitedNanos.add(nanos);
    }

    Instant instant() {
        EngineUuids made = this.uuids;
        LeasedCells known = (this.clock == null && made != null) ? made.cells().clock : this.clock;
        return (known != null) ? known.instantAt(this.time.nanoTime()) : LeasedCells.instantOf(this.time.epochNanos());
    }

    EngineStats stats() {
        LeasedCells held = this.current;
        long now = this.time.nanoTime();
        long elapsed = held.elapsedAt(now);
        boolean leased = elapsed >= 0;
        long ahead = leased ? Math.max(0, tickOf(held.cells.highest()) - tickOf(held.floor(elapsed))) : 0;
        EngineStats numbers = new EngineStats(held.lease.worker(), Duration.ofNanos(leased ? held.leftNanos(now) : 0),
                this.layout.tick().multipliedBy(ahead), this.waits.sum(), Duration.ofNanos(this.waitedNanos.sum()),
                this.issued.sum(), this.sequencesSpent.sum());
        EngineUuids made = this.uuids;
        return (made != null) ? numbers.with(made.cells().stats()) : numbers;
    }

    /**
     * What takes the place of the present cells.
     *
     * @param next the lease and its cells
     * @param otherWorker whether the lease is of another worker than the present cells
     */
    private record Change(LeasedCells next, boolean otherWorker) {
    }

}
