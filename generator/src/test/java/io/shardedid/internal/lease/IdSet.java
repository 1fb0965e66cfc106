package io.shardedid.internal.lease;

/**
 * A set of ids, open addressing: a hundred million additions a run.
 */
public final class IdSet {

    private long[] slots = new long[1 << 16];

    private int size;

    /** Adds an id that is not zero and tells whether it was new. */
    public boolean add(long id) {
        if (this.size * 2 > this.slots.length) {
            grow();
        }
        return put(id);
    }

    private boolean put(long id) {
        int mask = this.slots.length - 1;
        long mixed = id * 0x9e3779b97f4a7c15L;
        int slot = (int) (mixed >>> 32) & mask;
        while (this.slots[slot] != 0) {
            if (this.slots[slot] == id) {
                return false;
            }
            slot = slot + 1 & mask;
        }
        this.slots[slot] = id;
        this.size++;
        return true;
    }

    private void grow() {
        long[] old = this.slots;
        this.slots = new long[old.length * 2];
        this.size = 0;
        for (long id : old) {
            if (id != 0) {
                put(id);
            }
        }
    }

    public int size() {
        return this.size;
    }

}
