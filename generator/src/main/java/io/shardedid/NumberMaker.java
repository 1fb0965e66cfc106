package io.shardedid;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;

/**
 * Makes the ids of 64 bits of an engine: reads the lease once, the clock once, and claims
 * a cell. Thread-safe; takes no lock and allocates nothing.
 */
final class NumberMaker extends CellClaims {

    private final IdWaits waits;

    private final TimeSource time;

    private final int sequenceBits;

    private final KeylessPlace keyless;

    private final LongAdder issued = new LongAdder();

    NumberMaker(EngineTerms terms, IdWaits waits, long lastTick, IntFunction<ShardCells> freshCells) {
        super(terms, terms.layout().sequenceAboveShard() ? 1 : terms.shards(), terms.layout().sequenceBits(),
                terms.layout().workerBits(), lastTick, freshCells);
        this.waits = waits;
        this.time = terms.time();
        this.sequenceBits = terms.layout().sequenceBits();
        this.keyless = new KeylessPlace(terms.shards());
    }

    long next(int shard) {
        return next(shard, true);
    }

    long next(int shard, boolean parks) {
        checkShard(shard);
        long first = tryNext(shard);
        long id = (first >= 0) ? first : await(first, shard, parks);
        this.issued.increment();
        return id;
    }

    /** One attempt, which never waits: an id, or why there is none. */
    long tryNext(int shard) {
        LeasedCells held = held();
        long cell = claim(held, shard, false);
        return (cell >= 0) ? held.pack(cell, shard) : cell;
    }

    void next(int shard, long[] into) {
        next(shard, into, true);
    }

    void next(int shard, long[] into, boolean parks) {
        checkShard(shard);
        IdWaits.Wait wait = null;
        int made = 0;
        while (made < into.length) {
            long now = tryFill(shard, into, made);
            if (now > 0) {
                made += (int) now;
                this.issued.add(now);
                wait = null;
            }
            else {
                wait = (wait != null) ? wait : waitFor(now, parks);
                wait.once(now, shard);
            }
        }
    }

    /** One attempt at the rest of an array: how many ids it made, or why none. */
    long tryFill(int shard, long[] into, int from) {
        LeasedCells held = held();
        long elapsed = held.elapsedAt(this.time.nanoTime());
        if (elapsed < 0) {
            return NO_LEASE;
        }
        long floor = held.floor(elapsed);
        long limit = held.limit(floor);
        int wanted = into.length - from;
        long first = held.cells.claim(cellOf(shard), floor, held.start(elapsed), limit, wanted);
        if (first < 0) {
            return refusal(held, floor);
        }
        long count = Math.min(wanted, limit - first);
        for (int i = 0; i < count; i++) {
            into[from + i] = held.pack(first + i, shard);
        }
        return count;
    }

    long nextKeyless() {
        return nextKeyless(true);
    }

    long nextKeyless(boolean parks) {
        long first = tryNextKeyless();
        long id = (first >= 0) ? first : await(first, KEYLESS, parks);
        this.issued.increment();
        return id;
    }

    /** One attempt at an id without a shard key. */
    long tryNextKeyless() {
        LeasedCells held = held();
        if (oneCell()) {
            long cell = claim(held, 0, false);
            return (cell >= 0) ? held.pack(cell, pickShard(cell, held)) : cell;
        }
        long elapsed = held.elapsedAt(this.time.nanoTime());
        if (elapsed < 0) {
            return NO_LEASE;
        }
        long present = held.floor(elapsed);
        long from = Math.max(present, held.cells.first());
        long limit = held.keylessLimit(present, from);
        long first = from >> this.sequenceBits;
        long place = this.keyless.present();
        boolean begins = this.keyless.begins(first, place);
        if (begins) {
            place = this.keyless.begin(first, place, pickShard(first, held));
        }
        for (int looked = 0; looked < KeylessPlace.MOST_CELLS; looked++) {
            long floor = this.keyless.tickOf(place) << this.sequenceBits;
            if (floor >= limit) {
                return besideKeys(held, present, limit, refusal(held, held.endsAt(limit)));
            }
            long start = (begins && floor == present) ? held.start(elapsed) : floor;
            long cell = held.cells.claim(this.keyless.shardOf(place), floor, start, floor + (1L << this.sequenceBits));
            if (cell >= 0) {
                this.keyless.raise(place);
                return held.pack(cell, this.keyless.shardOf(place));
            }
            place = this.keyless.next(place);
            begins = false;
        }
        if (!held.cells.poisoned()) {
            this.keyless.raise(place);
        }
        return besideKeys(held, present, limit, AHEAD_OF_CLOCK);
    }

    /**
     * One attempt where callers with a key have taken every cell beyond the limit of ids
     * without one: as they do, but in one shard of a tick, so that the cells come back
     * when such callers make less.
     */
    private long besideKeys(LeasedCells held, long present, long limit, long refusal) {
        if (!held.cells.allReach(limit)) {
            return refusal;
        }
        int shard = pickShard(present >> this.sequenceBits, held);
        long floor = this.keyless.tickFrom(this.keyless.present(), shard) << this.sequenceBits;
        long cell = held.cells.claim(shard, floor, floor, held.limit(present));
        if (cell < 0) {
            return refusal;
        }
        this.keyless.raise(this.keyless.at(cell >> this.sequenceBits, shard));
        return held.pack(cell, shard);
    }

    private long await(long refusal, int shard, boolean parks) {
        IdWaits.Wait wait = waitFor(refusal, parks);
        long id = refusal;
        while (id < 0) {
            wait.once(id, shard);
            id = (shard == KEYLESS) ? tryNextKeyless() : tryNext(shard);
        }
        return id;
    }

    private IdWaits.Wait waitFor(long refusal, boolean parks) {
        return this.waits.begin(refusal, this, parks, ", or choose a layout with more sequence bits");
    }

    long issued() {
        return this.issued.sum();
    }

}
