package io.shardedid.internal.lease;

import java.time.Duration;
import java.util.List;

/**
 * How far the search goes.
 *
 * @param tolerant whether the database may lose commits
 * @param workers how many worker ids there are, 1 to 3
 * @param processes how many processes live at a time; one that dies is followed by
 * another one
 * @param faults how many things may go wrong
 * @param forgotten how many of the latest writes a failover forgets at most
 * @param window the window of the lease
 * @param behind how far the clock of a promoted server may be behind
 * @param steps how the clocks go on, in milliseconds, one after another, over and over
 * @param offsets how far the database may be ahead of the true time, in milliseconds
 * @param changes whether the mode changes once, and a plain process comes, with which
 * nothing goes wrong
 */
record SearchBounds(boolean tolerant, int workers, int processes, int faults, int forgotten, Duration window,
        Duration behind, List<Long> steps, List<Long> offsets, boolean changes) {

    /** What the database's clock is behind the true time at most, in milliseconds. */
    long mostBehind() {
        return -Math.min(0, this.offsets.stream().mapToLong(Long::longValue).min().orElse(0));
    }

}
