package io.shardedid;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * All ids of a run, to look for equal ones: 8 bytes an id, sorted once. Not safe for use
 * by many threads.
 */
final class IssuedIds {

    private final List<long[]> parts = new ArrayList<>();

    void add(long[] ids) {
        this.parts.add(ids);
    }

    int size() {
        return this.parts.stream().mapToInt((part) -> part.length).sum();
    }

    /** Returns the first ten ids that were issued more than once. */
    long[] duplicates() {
        long[] all = new long[size()];
        int from = 0;
        for (long[] part : this.parts) {
            System.arraycopy(part, 0, all, from, part.length);
            from += part.length;
        }
        Arrays.parallelSort(all);
        long[] twice = new long[10];
        int found = 0;
        for (int i = 1; i < all.length && found < twice.length; i++) {
            if (all[i] == all[i - 1]) {
                twice[found++] = all[i];
            }
        }
        return Arrays.copyOf(twice, found);
    }

}
