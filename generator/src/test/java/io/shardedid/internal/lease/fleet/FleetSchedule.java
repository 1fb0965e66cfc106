package io.shardedid.internal.lease.fleet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * What is done to the fleet, and when: the same seed is the same schedule.
 *
 * @param steps in order of time
 * @param endMillis when it is over
 */
record FleetSchedule(List<Step> steps, long endMillis) {

    /** What can happen. */
    enum Fault {

        /** kill -9 and a new process at once. */
        KILL,

        /** kill -9 and a new process later. */
        KILL_FOR_A_WHILE,

        /** SIGTERM, and a new process when the old one has given its worker back. */
        REPLACE,

        /** SIGSTOP, and SIGCONT later. */
        STOP,

        /** pg_ctl stop -m immediate, and start. */
        CRASH_DATABASE,

        /** kill -9 of the postmaster, and start. */
        KILL_DATABASE,

        /** Packets are swallowed for a while. */
        SWALLOW

    }

    /**
     * One fault.
     *
     * @param atMillis when, since the fleet is up
     * @param fault what
     * @param slot to which process
     * @param forMillis for how long, where it lasts
     */
    record Step(long atMillis, Fault fault, int slot, long forMillis) {
    }

    /**
     * Makes rounds: faults of processes with a crash of the database in their midst, then
     * a network that swallows, while processes are left alone.
     */
    static FleetSchedule of(long seed, int slots, Lengths lengths) {
        Random random = new Random(seed);
        List<Step> steps = new ArrayList<>();
        long now = 0;
        for (long swallow : lengths.swallowMillis()) {
            long end = now + lengths.chaosMillis();
            // longer than a lease lasts: its worker id is taken meanwhile
            steps.add(new Step(now + 200, Fault.STOP, random.nextInt(slots), lengths.windowMillis() * 5 / 4));
            for (long at = now + 300; at < end; at += 200 + random.nextInt(700)) {
                steps.add(random(random, at, slots, lengths.windowMillis()));
            }
            Fault crash = random.nextBoolean() ? Fault.CRASH_DATABASE : Fault.KILL_DATABASE;
            steps.add(new Step(now + lengths.chaosMillis() * (40 + random.nextInt(20)) / 100, crash, 0, 0));
            now = end + lengths.calmMillis();
            steps.add(new Step(now, Fault.SWALLOW, 0, swallow));
            now += swallow + lengths.healMillis();
        }
        steps.sort(Comparator.comparingLong(Step::atMillis));
        return new FleetSchedule(List.copyOf(steps), now);
    }

    private static Step random(Random random, long at, int slots, long windowMillis) {
        int slot = random.nextInt(slots);
        int draw = random.nextInt(100);
        if (draw < 30) {
            return new Step(at, Fault.KILL, slot, 0);
        }
        if (draw < 40) {
            return new Step(at, Fault.KILL_FOR_A_WHILE, slot, random.nextInt(2_000));
        }
        if (draw < 60) {
            return new Step(at, Fault.REPLACE, slot, 0);
        }
        double r = random.nextDouble();
        return new Step(at, Fault.STOP, slot, (long) (50 + r * r * windowMillis * 3 / 2));
    }

    /**
     * How long what lasts.
     *
     * @param windowMillis the window of a lease
     * @param chaosMillis faults of processes, in each round
     * @param calmMillis nothing, before the network fails
     * @param healMillis nothing, after the network failed: until everybody has healed
     * @param swallowMillis how long it fails, round by round
     */
    record Lengths(long windowMillis, long chaosMillis, long calmMillis, long healMillis, List<Long> swallowMillis) {
    }

}
