package io.shardedid.sample.laboratory;

import io.shardedid.sample.problem.Problems;

/**
 * How large a storm is.
 *
 * @param rows rows of each kind of id, 1 to 100,000
 * @param threads how many insert at once, 1 to 8: the pool has ten connections
 */
record StormTerms(int rows, int threads) {

    static final int MOST_ROWS = 100_000;

    static final int MOST_THREADS = 8;

    StormTerms {
        check("rows", rows, MOST_ROWS);
        check("threads", threads, MOST_THREADS);
    }

    private static void check(String name, int value, int most) {
        if (value < 1 || value > most) {
            throw Problems.malformed("'%s' must be a whole number in [1, %s]".formatted(name, most), value);
        }
    }

}
