package io.shardedid;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;

/**
 * Makes ids: reads the lease once, the clock once, and claims a cell. One engine serves
 * all {@link ShardedIds} of a JVM that share a worker. Safe for use by many threads; no
 * lock, nothing allocated per id.
 */
final class Engine implements LeaseHolder {

    private static final long MIN_PARK_NANOS = 100_000;

    private static final long MAX_PARK_NANOS = 10_000_000;

    /* Attempts that made no id. All negative, as no id is. */

    static final long NO_LEASE = -1;

    static final long AHEAD_OF_CLOCK = -2;

    static final long LEASE_SPENT = -3;

    static final long RANGE_SPENT = -4;

    static final long NO_TICK = -1;

    private static final int KEYLESS = -1;

    private final EngineTerms terms;

    private final LeaseSource source;

    private final IdLayout layout;

    private final TimeSource time;

    private final TickRate rate;

    private final int shards;

    private final int sequenceBits;

    private final long sequenceMask;

    private final long aheadCells;

    private final AtomicLong keylessTick = new AtomicLong();

    private final LongAdder waits = new LongAdder();

    private final LongAdder waitedNanos = new LongAdder();

    private volatile Grant grant;

    /** The clock of the latest lease, which outlives the lease. */
    private volatile @Nullable LeaseClock clock;

    /** The worker whose ids the present cells have made. */
    private int cellsWorker = -1;

    Engine(EngineTerms terms, LeaseSource source) {
        this(terms, source, NO_TICK);
    }

    /**
     * Makes an engine whose ids are all later than a tick.
     * @param lastTick the tick, or NO_TICK
     */
    Engine(EngineTerms terms, LeaseSource source, long lastTick) {
        this.terms = terms;
        this.source = source;
        this.layout = terms.layout();
        this.time = terms.time();
        this.shards = terms.shards();
        this.sequenceBits = this.layout.sequenceBits();
        this.sequenceMask = (1L << this.sequenceBits) - 1;
        this.rate = new TickRate(this.layout.tick().toNanos(), this.sequenceBits);
        this.aheadCells = Math.max(1, terms.maxAhead().dividedBy(this.layout.tick())) << this.sequenceBits;
        this.grant = grant(TickLease.NONE, cellsAfter(lastTick));
    }

    void start() {
        this.source.start(this.terms, this);
    }

    /**
     * Gives the lease back and ends the engine.
     * @return the highest tick of its ids, or NO_TICK
     */
    long close() {
        this.source.close();
        return relinquish();
    }

    long next(int shard) {
        long id = tryNext(shard);
        return id >= 0 ? id : await(shard);
    }

    /** One attempt, which never waits: an id, or why there is none. */
    long tryNext(int shard) {
        checkShard(shard);
        Grant held = this.grant;
        long elapsed = this.time.nanoTime() - held.anchorNanos;
        if (elapsed < 0 || elapsed >= held.validNanos) {
            return NO_LEASE;
        }
        long units = held.unitsAt(elapsed);
        long ahead = held.floor(units) + this.aheadCells;
        long cell = held.cells.claim(shard, held.floor(units), held.start(units), Math.min(held.hiCell, ahead));
        return cell >= 0 ? pack(cell, shard, held) : refused(held, ahead);
    }

    void next(int shard, long[] into) {
        checkShard(shard);
        Waiting waiting = null;
        int made = 0;
        while (made < into.length) {
            int now = tryFill(shard, into, made);
            if (now > 0) {
                made += now;
                waiting = null;
            }
            else {
                waiting = (waiting != null) ? waiting : new Waiting();
                waiting.once(now, shard);
            }
        }
    }

    /** One attempt at the rest of an array: how many ids it made, or why none. */
    int tryFill(int shard, long[] into, int from) {
        Grant held = this.grant;
        long elapsed = this.time.nanoTime() - held.anchorNanos;
        if (elapsed < 0 || elapsed >= held.validNanos) {
            return (int) NO_LEASE;
        }
        long units = held.unitsAt(elapsed);
        long ahead = held.floor(units) + this.aheadCells;
        long limit = Math.min(held.hiCell, ahead);
        int wanted = into.length - from;
        long first = held.cells.claim(shard, held.floor(units), held.start(units), limit, wanted);
        if (first < 0) {
            return (int) refused(held, ahead);
        }
        int count = (int) Math.min(wanted, limit - first);
        for (int i = 0; i < count; i++) {
            into[from + i] = pack(first + i, shard, held);
        }
        return count;
    }

    long nextKeyless() {
        long id = tryNextKeyless();
        return id >= 0 ? id : await(KEYLESS);
    }

    /**
     * One attempt at an id without a shard key. The tick alone picks the shard, and a
     * tick that is left is never returned to: so such ids increase over all shards.
     */
    long tryNextKeyless() {
        Grant held = this.grant;
        long elapsed = this.time.nanoTime() - held.anchorNanos;
        if (elapsed < 0 || elapsed >= held.validNanos) {
            return NO_LEASE;
        }
        long units = held.unitsAt(elapsed);
        long ahead = held.floor(units) + this.aheadCells;
        long limit = Math.min(held.hiCell, ahead);
        long now = units >> this.sequenceBits;
        long seen = this.keylessTick.get();
        for (long tick = Math.max(now, seen); tick << this.sequenceBits < limit; tick++) {
            int shard = shardOfTick(tick, held.lease.worker());
            long floor = tick << this.sequenceBits;
            long start = tick == now ? held.start(units) : floor;
            long cell = held.cells.claim(shard, floor, start, floor + this.sequenceMask + 1);
            if (cell >= 0) {
                if (tick > seen) {
                    this.keylessTick.accumulateAndGet(tick, Math::max);
                }
                return pack(cell, shard, held);
            }
        }
        return refused(held, ahead);
    }

    private int shardOfTick(long tick, int worker) {
        long mixed = KeyShardFunction.mix(tick * 31 + worker);
        return (int) ((mixed >>> 32) * this.shards >>> 32);
    }

    private long pack(long cell, int shard, Grant held) {
        return this.layout.pack(cell >>> this.sequenceBits, shard, 0, cell & this.sequenceMask) | held.workerBits;
    }

    private long refused(Grant held, long ahead) {
        if (ahead <= held.hiCell) {
            return AHEAD_OF_CLOCK;
        }
        return held.lease.hi() > this.layout.lastTick() ? RANGE_SPENT : LEASE_SPENT;
    }

    private long await(int shard) {
        Waiting waiting = new Waiting();
        while (true) {
            long id = shard == KEYLESS ? tryNextKeyless() : tryNext(shard);
            if (id >= 0) {
                return id;
            }
            waiting.once(id, shard);
        }
    }

    private void checkShard(int shard) {
        if (shard < 0 || shard >= this.shards) {
            throw new ShardKeyException(
                    "Could not make an id: shard must be in [0, %d]: shard=%d".formatted(this.shards - 1, shard));
        }
    }

    @Override
    public synchronized void hold(TickLease lease) {
        ShardCells cells = this.grant.cells;
        if (lease.leased() && lease.worker() != this.cellsWorker) {
            // inside one tick a smaller worker makes a smaller id, so another worker
            // starts in a later tick
            cells = (this.cellsWorker < 0) ? cells : cellsAfter(tickOf(cells.poison()));
            this.cellsWorker = lease.worker();
        }
        this.clock = lease.leased() ? lease.clock() : this.clock;
        this.grant = grant(lease, cells);
    }

    @Override
    public synchronized long relinquish() {
        ShardCells spent = this.grant.cells;
        this.grant = grant(TickLease.NONE, spent);
        long highest = tickOf(spent.poison());
        this.grant = grant(TickLease.NONE, cellsAfter(highest));
        return highest;
    }

    private ShardCells cellsAfter(long tick) {
        this.keylessTick.accumulateAndGet(tick + 1, Math::max);
        return new ShardCells(this.shards, (tick + 1 << this.sequenceBits) - 1);
    }

    private long tickOf(long cell) {
        return (cell < 0) ? NO_TICK : cell >>> this.sequenceBits;
    }

    private Grant grant(TickLease lease, ShardCells cells) {
        return new Grant(lease, cells, this.layout, this.rate);
    }

    EngineTerms terms() {
        return this.terms;
    }

    Grant grant() {
        return this.grant;
    }

    LeaseSource source() {
        return this.source;
    }

    TickLease lease() {
        return this.grant.lease;
    }

    long epochNanos() {
        long now = this.time.nanoTime();
        LeaseClock known = this.clock;
        return (known != null) ? known.epochNanosAt(now) : this.time.epochNanos();
    }

    EngineStats stats() {
        Grant held = this.grant;
        long elapsed = this.time.nanoTime() - held.anchorNanos;
        if (elapsed < 0 || elapsed >= held.validNanos) {
            return new EngineStats(held.lease.worker(), Duration.ZERO, Duration.ZERO, this.waits.sum(), waited());
        }
        long now = held.unitsAt(elapsed) >> this.sequenceBits;
        long ahead = Math.max(0, tickOf(held.cells.highest()) - now);
        return new EngineStats(held.lease.worker(), Duration.ofNanos(held.validNanos - elapsed),
                this.layout.tick().multipliedBy(ahead), this.waits.sum(), waited());
    }

    private Duration waited() {
        return Duration.ofNanos(this.waitedNanos.sum());
    }

    /** The waiting of one caller: bounded, outside any lock, and in steps that grow. */
    private final class Waiting {

        private final long began = Engine.this.time.nanoTime();

        private long step = MIN_PARK_NANOS;

        void once(long why, int shard) {
            if (why == RANGE_SPENT) {
                throw new IdRangeSpentException(("Could not make an id: the time range of the layout is spent: "
                        + "last usable instant=%s; move to a layout with more time bits or a later epoch, see "
                        + "UPGRADING.md")
                    .formatted(Engine.this.layout.lastUsableInstant()));
            }
            if (why != AHEAD_OF_CLOCK) {
                Grant before = Engine.this.grant;
                Engine.this.source.renewSoon();
                if (Engine.this.grant != before) {
                    return;
                }
            }
            long waited = Engine.this.time.nanoTime() - this.began;
            long left = Engine.this.terms.maxWait().toNanos() - waited;
            if (left <= 0) {
                throw why == AHEAD_OF_CLOCK ? tooFarAhead(shard) : Engine.this.source.refusal();
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new ShardedIdException("Could not make an id: interrupted while waiting for it, after %d ms"
                    .formatted(waited / 1_000_000));
            }
            long parked = Math.min(this.step, left);
            Engine.this.waits.increment();
            Engine.this.time.park(parked);
            Engine.this.waitedNanos.add(parked);
            this.step = Math.min(this.step * 2, MAX_PARK_NANOS);
        }

        private ShardedIdException tooFarAhead(int shard) {
            return new IdsAheadOfClockException(
                    ("Could not make an id: shard=%s is %s ahead of the clock and stayed so "
                            + "for %s (shardedid.clock.max-ahead, shardedid.clock.max-wait); spread the load over more shards, or "
                            + "choose a layout with more sequence bits")
                        .formatted((shard == KEYLESS) ? "any" : shard, Engine.this.terms.maxAhead(),
                                Engine.this.terms.maxWait()));
        }

    }

}
