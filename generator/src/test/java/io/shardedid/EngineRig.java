package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.LongStream;

/**
 * An engine on clocks that stand still, with leases by hand. Ticks are counted from
 * {@link #tick}, the tick at which the clocks stand.
 */
final class EngineRig {

    /** The begin of the tick in which the clocks stand, at {@link #INTO} of it. */
    static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    /** A part of a tick: at its begin, what is wrong in the midst of one looks right. */
    static final double INTO = 0.6;

    static final int WORKER = 3;

    final SettableTime time;

    final ScriptedLeases leases = new ScriptedLeases("rig");

    final EngineTerms terms;

    final IdLayout layout;

    /** How much of the tick has passed. */
    private double into = INTO;

    final Engine engine;

    /** Whether the heap is too full for fresh cells. */
    boolean heapFull;

    /** The tick of now. */
    final long tick;

    EngineRig() {
        this(IdLayout.standard());
    }

    EngineRig(IdLayout layout) {
        this(layout, Duration.ofSeconds(1), CellClaims.NO_TICK);
    }

    EngineRig(IdLayout layout, Duration maxAhead, long lastTick) {
        this(layout, 1 << Math.min(11, layout.shardBits()), maxAhead, lastTick);
    }

    EngineRig(IdLayout layout, int shards, Duration maxAhead, long lastTick) {
        this.layout = layout;
        this.time = SettableTime.at(NOW.plusNanos((long) (INTO * layout.tick().toNanos())));
        this.terms = new EngineTerms(layout, shards, "modulo", maxAhead, Duration.ofSeconds(5), null, this.time);
        this.engine = new Engine(this.terms, this.leases, lastTick, this::cells);
        this.leases.connect(this.terms).start().accept(this.engine);
        this.tick = tickOf(this.time.instant());
    }

    /**
     * Sets the clocks back to the begin of the tick, for tests that count whole ticks.
     */
    EngineRig atBegin() {
        this.time.advance(Duration.between(this.time.instant(), NOW));
        this.into = 0;
        return this;
    }

    private ShardCells cells(int shards) {
        if (this.heapFull) {
            throw new OutOfMemoryError("Java heap space");
        }
        return new ShardCells(shards, -1);
    }

    /** Holds ticks from now on, for long. */
    EngineRig leased() {
        return hold(WORKER, this.tick, this.tick + 1_000_000);
    }

    EngineRig hold(int worker, long lo, long hi) {
        return hold(worker, lo, hi, Duration.ofMinutes(10));
    }

    EngineRig hold(int worker, long lo, long hi, Duration valid) {
        this.engine.hold(lease(worker, lo, hi, valid));
        return this;
    }

    TickLease lease(int worker, long lo, long hi, Duration valid) {
        long now = this.time.nanoTime();
        return new TickLease(worker, lo, hi, now + valid.toNanos(), new LeaseClock(now, this.time.epochNanos()));
    }

    long tickOf(Instant instant) {
        return this.layout.tickAtEpochNanos(Duration.between(Instant.EPOCH, instant).toNanos());
    }

    /**
     * The id that is expected of a tick after {@link #tick}.
     * @param number how many ids of that tick come before; the first of {@link #tick} has
     * a sequence by the part of the tick that has passed
     */
    long id(long tickAfter, int shard, int number) {
        return this.layout.compose(this.tick + tickAfter, shard, WORKER, (tickAfter == 0) ? begin() + number : number);
    }

    /** The sequence of the first id in {@link #tick}. */
    int begin() {
        return (int) (this.into * sequences()) / 2;
    }

    /** How many ids a tick of a shard has. */
    int sequences() {
        return 1 << this.layout.sequenceBits();
    }

    /** Makes the ids of a shard until an attempt fails. */
    long[] drain(int shard) {
        return LongStream.generate(() -> this.engine.numbers().tryNext(shard)).takeWhile((id) -> id >= 0).toArray();
    }

}
