package io.shardedid.benchmarks;

import java.util.List;

import org.openjdk.jmh.runner.options.TimeValue;

/**
 * How much is measured.
 *
 * @param rounds how often everything is measured, one thing after the other; each time in
 * JVMs of its own
 * @param iterations warm-up iterations, and half of the measured ones
 * @param iteration how long each takes
 * @param threads the numbers of threads
 * @param databases where rows are inserted
 * @param persistRounds the rounds of inserts
 * @param rows how many rows each kind gets in a round: whole thousands
 */
record Scale(int rounds, int iterations, TimeValue iteration, List<Integer> threads, List<Database> databases,
        int persistRounds, int rows) {

    /** An hour. */
    static final Scale FULL = new Scale(5, 3, TimeValue.seconds(1), List.of(1, 2, 8),
            List.of(Database.H2, Database.POSTGRESQL), 20, 50_000);

    /** Seconds: figures mean nothing, but everything runs. */
    static final Scale SMOKE = new Scale(1, 1, TimeValue.milliseconds(20), List.of(1),
            List.of(Database.H2, Database.POSTGRESQL), 1, 1000);

    boolean full() {
        return this == FULL;
    }

}
