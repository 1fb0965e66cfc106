package io.shardedid;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * One 64-bit cell per shard: the last tick and sequence that were claimed there. The only
 * class that claims.
 *
 * @implNote 16 bytes a shard, the cell and a word to {@link #fetch} it by, not padded:
 * neighbours that are hot at once share a cache line, and 2,000 shards stay 32 KiB
 */
final class ShardCells {

    /*
     * A cell holds tick << sequenceBits | sequence, so one compare-and-set moves time and
     * sequence together and "the next value" is plus one: a sequence that is used up
     * carries into the next tick. The worker is not in the cell; ids of two leases with
     * different workers differ by it, and a cell goes on increasing over all leases,
     * which keeps ids of a shard in order.
     *
     * Clocks that go back: the cell stays ahead of the floor, and plus one goes on until
     * the limit.
     *
     * POISON ends a cell. Its successor lies above every limit (see MAX_BITS) and is
     * positive, so no call, however long it slept since it read its lease, can claim in a
     * poisoned cell: what lies above the highest claim may be given to another process.
     *
     * Rejected: one word for time and one for sequence (torn pairs), a lock per shard, a
     * cell per table (two tables that share a name would share ids), fetch-and-add (it
     * claims before the limit is checked; it gained nothing).
     */

    static final long POISON = 1L << 62;

    /**
     * How wide tick and sequence together may be, so that all limits lie below POISON.
     */
    static final int MAX_BITS = 60;

    static final long NO_CLAIM = -1;

    /** Below every floor. */
    private static final long UNTOUCHED = -1;

    /** Longs a shard. */
    private static final int STRIDE = 2;

    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    static {
        // The first use of an access links it, which allocates. A heap that is full when
        // a lease is given back must not fail in the midst of the poison.
        new ShardCells(1, -1).poison();
    }

    private final long[] cells;

    private long last;

    /**
     * Cells that go on above a value, -1 for fresh ones: what they claim next is larger.
     */
    ShardCells(int shards, long last) {
        this.cells = new long[shards * STRIDE];
        startAfter(last);
    }

    /**
     * Lets every cell go on above a value: what it claims next is larger. Allocates
     * nothing. Call it before other threads see the cells.
     * @param last the value, or -1
     */
    final void startAfter(long last) {
        this.last = last;
        Arrays.fill(this.cells, last);
    }

    /** The least value that any cell may claim. */
    final long first() {
        return this.last + 1;
    }

    /**
     * Asks for a shard's cache line before the clock is read, so that it has come from
     * the core that claimed there last when the clock has answered. A store asks without
     * waiting, a load would wait; the word beside the cell is there for nothing else.
     */
    void fetch(int shard) {
        CELL.setOpaque(this.cells, shard * STRIDE + 1, 0L);
    }

    /**
     * Claims the next value of a shard.
     * @param floor the first value of now: a cell below it is set to start
     * @param start the value that a fresh tick begins with, at least floor
     * @param limit the first value that may not be claimed
     * @return the value, or NO_CLAIM if it would reach the limit
     */
    long claim(int shard, long floor, long start, long limit) {
        long seen = (long) CELL.getVolatile(this.cells, shard * STRIDE);
        while (true) {
            long next = seen < floor ? start : seen + 1;
            if (next >= limit) {
                return NO_CLAIM;
            }
            long found = (long) CELL.compareAndExchange(this.cells, shard * STRIDE, seen, next);
            if (found == seen) {
                return next;
            }
            seen = found;
        }
    }

    /**
     * Claims up to {@code wanted} values in a row.
     * @return the first of {@code min(wanted, limit - first)} values, or NO_CLAIM if not
     * even one is left
     */
    long claim(int shard, long floor, long start, long limit, int wanted) {
        long seen = (long) CELL.getVolatile(this.cells, shard * STRIDE);
        while (true) {
            long first = seen < floor ? start : seen + 1;
            if (first >= limit) {
                return NO_CLAIM;
            }
            long found = (long) CELL.compareAndExchange(this.cells, shard * STRIDE, seen,
                    Math.min(first + wanted, limit) - 1);
            if (found == seen) {
                return first;
            }
            seen = found;
        }
    }

    /** Returns whether no cell lies below a value; only a glance while others claim. */
    boolean allReach(long value) {
        for (int at = 0; at < this.cells.length; at += STRIDE) {
            if ((long) CELL.getVolatile(this.cells, at) < value) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether the cells are poisoned. The first cell is poisoned before the
     * others.
     */
    boolean poisoned() {
        return (long) CELL.getVolatile(this.cells, 0) == POISON;
    }

    /**
     * The highest value claimed so far, or the one that all cells go on above; only a
     * glance while others claim.
     */
    long highest() {
        long highest = UNTOUCHED;
        for (int at = 0; at < this.cells.length; at += STRIDE) {
            long value = (long) CELL.getVolatile(this.cells, at);
            highest = Math.max(highest, value == POISON ? UNTOUCHED : value);
        }
        return highest;
    }

    /**
     * Poisons every cell.
     * @return the highest value that was ever claimed, or -1; what the cells went on
     * above was claimed in others, if at all
     */
    long poison() {
        long highest = UNTOUCHED;
        for (int at = 0; at < this.cells.length; at += STRIDE) {
            long value = (long) CELL.getAndSet(this.cells, at, POISON);
            highest = Math.max(highest, (value == POISON || value <= this.last) ? UNTOUCHED : value);
        }
        return highest;
    }

}
