package io.shardedid;

import java.util.Random;

/**
 * The seed of a randomised test: fresh for each run, or that of {@code -Dseed=}. It
 * stands in the text of each failure, so that a failure can be replayed.
 */
public record Seed(long value) {

    /** Returns the seed of this run. */
    public static Seed ofThisRun() {
        return new Seed(Long.getLong("seed", System.nanoTime()));
    }

    public Random random() {
        return new Random(this.value);
    }

    @Override
    public String toString() {
        return "-Dseed=" + this.value;
    }

}
