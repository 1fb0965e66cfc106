package io.shardedid.internal.lease.fleet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What the journals of a fleet tell.
 *
 * @param ids all ids that were handed out, sorted
 * @param duplicates how many of them were handed out before
 * @param longestWaitNanos of any call
 * @param refusals how many calls were refused
 * @param healedMillis after each outage of the network, of each process that lived
 * through it: how long until it made ids; the largest possible number if it made none
 * @param failures what processes printed that they must not print
 */
record FleetFindings(long[] ids, long duplicates, long longestWaitNanos, long refusals, List<Long> healedMillis,
        List<String> failures) {

    private static final class Reading {

        private long[] ids = new long[1 << 16];

        private int size;

        private long longestWaitNanos;

        private long refusals;

        void take(IdJournal.Entry entry) {
            this.longestWaitNanos = Math.max(this.longestWaitNanos, entry.waitedNanos());
            this.refusals += (entry.ids().length == 0) ? 1 : 0;
            while (this.size + entry.ids().length > this.ids.length) {
                this.ids = Arrays.copyOf(this.ids, this.ids.length * 2);
            }
            System.arraycopy(entry.ids(), 0, this.ids, this.size, entry.ids().length);
            this.size += entry.ids().length;
        }

    }

    static FleetFindings of(List<FleetProcess> processes, List<Fleet.Outage> outages) {
        Reading reading = new Reading();
        List<String> failures = new ArrayList<>();
        for (FleetProcess process : processes) {
            process.read(reading::take);
            process.lines().stream().filter((line) -> line.startsWith("FAILED ")).forEach(failures::add);
        }
        long[] ids = Arrays.copyOf(reading.ids, reading.size);
        Arrays.parallelSort(ids);
        long duplicates = 0;
        for (int i = 1; i < ids.length; i++) {
            duplicates += (ids[i] == ids[i - 1]) ? 1 : 0;
        }
        List<Long> healed = new ArrayList<>();
        for (Fleet.Outage outage : outages) {
            outage.survivors().forEach((process) -> healed.add(healedMillis(process, outage)));
        }
        return new FleetFindings(ids, duplicates, reading.longestWaitNanos, reading.refusals, healed, failures);
    }

    private static long healedMillis(FleetProcess process, Fleet.Outage outage) {
        long[] first = { Long.MAX_VALUE };
        process.read((entry) -> {
            if (entry.epochMillis() >= outage.openedMillis() && entry.ids().length > 0) {
                first[0] = Math.min(first[0], entry.epochMillis() - outage.openedMillis());
            }
        });
        return first[0];
    }

    /** Whether an id was handed out. */
    boolean knows(long id) {
        return Arrays.binarySearch(this.ids, id) >= 0;
    }

}
