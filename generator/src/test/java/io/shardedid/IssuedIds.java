package io.shardedid;

import java.util.Arrays;

/**
 * All ids of a run, to look for equal ones: 8 bytes an id, sorted once. Each thread puts
 * into a range of its own; the rest is for one thread.
 */
final class IssuedIds {

    private final long[] ids;

    private final int each;

    IssuedIds(int threads, int each) {
        this.ids = new long[threads * each];
        this.each = each;
    }

    void put(int thread, int index, long id) {
        this.ids[thread * this.each + index] = id;
    }

    /** Returns the first ten ids that were issued more than once. */
    long[] duplicates() {
        Arrays.parallelSort(this.ids);
        long[] twice = new long[10];
        int found = 0;
        for (int i = 1; i < this.ids.length && found < twice.length; i++) {
            if (this.ids[i] == this.ids[i - 1]) {
                twice[found++] = this.ids[i];
            }
        }
        return Arrays.copyOf(twice, found);
    }

}
