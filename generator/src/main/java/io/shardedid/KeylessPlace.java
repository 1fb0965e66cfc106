package io.shardedid;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Where the ids without a shard key of a process have come to: a tick and a shard, which
 * only ever move up. A tick begins in a shard that is picked by chance. When the sequence
 * of that shard is used up, the next shard serves the same tick, and the first shard
 * serves the next tick after the last one. While that happens, ticks go on where the one
 * before ended, so all shards get alike. Thread-safe.
 */
final class KeylessPlace {

    /**
     * How many cells one attempt looks into for a free value: those of callers with a key
     * may have run ahead of the clock.
     */
    static final int MOST_CELLS = 4096;

    /**
     * A tick that goes on leaves out fewer shards than this, by chance: otherwise the
     * same shards would be the last of a tick again and again, at a steady rate.
     */
    private static final int SKIP_BOUND = 4;

    /*
     * tick, shard, and whether ticks go on where the one before ended: an unsigned
     * number, because tick and shard may take 63 bits. It is raised before an id is
     * returned, so an id that is asked for later comes from this place or a higher one.
     */
    private final AtomicLong place = new AtomicLong();

    /**
     * The tick that began last. Races on it are harmless: they only leave out shards, or
     * leave none out.
     */
    private long begun;

    private final int shards;

    private final int shardBits;

    KeylessPlace(int shards) {
        this.shards = shards;
        this.shardBits = Integer.SIZE - Integer.numberOfLeadingZeros(shards - 1);
    }

    long present() {
        return this.place.get();
    }

    /**
     * Returns whether a tick has yet to begin. The last shard of the tick before may have
     * been used up, so that the place lies in the tick already.
     */
    boolean begins(long tick, long place) {
        return tickOf(place) < tick || tickOf(place) == tick && goesOn(place) && this.begun != tick;
    }

    /**
     * Returns the place in which a tick begins, given the place before.
     * @param picked the shard that chance picks for the tick
     */
    long begin(long tick, long before, int picked) {
        this.begun = tick;
        if (!goesOn(before)) {
            return placeOf(tick, picked, false);
        }
        int shard = shardOf(before) + 1 + picked % SKIP_BOUND;
        if (shard >= this.shards && tickOf(before) == tick) {
            return before;
        }
        // a tick that is a pause among busy ones does not end the turn, most of the time
        return placeOf(tick, shard % this.shards, (picked & 3) != 0);
    }

    /** Returns the place that serves when the sequence of a place is used up. */
    long next(long place) {
        int shard = shardOf(place) + 1;
        return (shard < this.shards) ? placeOf(tickOf(place), shard, true) : placeOf(tickOf(place) + 1, 0, true);
    }

    /** The place of a tick and a shard that the order of shards did not lead to. */
    long at(long tick, int shard) {
        return placeOf(tick, shard, false);
    }

    /** Returns the first tick in which a shard does not lie below a place. */
    long tickFrom(long place, int shard) {
        return (shard < shardOf(place)) ? tickOf(place) + 1 : tickOf(place);
    }

    /** Moves up to a place, before the id that was made there is returned. */
    void raise(long to) {
        long seen = this.place.get();
        while (Long.compareUnsigned(seen, to) < 0) {
            long found = this.place.compareAndExchange(seen, to);
            if (found == seen) {
                return;
            }
            seen = found;
        }
    }

    long tickOf(long place) {
        return place >>> this.shardBits + 1;
    }

    int shardOf(long place) {
        return (int) (place >>> 1) & (1 << this.shardBits) - 1;
    }

    private boolean goesOn(long place) {
        return (place & 1) != 0;
    }

    private long placeOf(long tick, int shard, boolean goesOn) {
        return (tick << this.shardBits | shard) << 1 | (goesOn ? 1 : 0);
    }

}
