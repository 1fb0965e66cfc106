package io.shardedid.internal.lease;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;

/** The ticks of each worker id in which somebody has made an id. */
final class ClaimedTicks {

    private final List<List<Range>> workers = new ArrayList<>();

    ClaimedTicks(int workers) {
        for (int i = 0; i < workers; i++) {
            this.workers.add(new ArrayList<>());
        }
    }

    /**
     * Ticks in a row.
     *
     * @param from the first one
     * @param end the first one after them
     */
    record Range(long from, long end) {
    }

    List<Range> of(int worker) {
        return this.workers.get(worker);
    }

    void add(int worker, long from, long end) {
        List<Range> ranges = of(worker);
        long first = from;
        long last = end;
        for (Range range : List.copyOf(ranges)) {
            if (range.from() <= last && range.end() >= first) {
                ranges.remove(range);
                first = Math.min(first, range.from());
                last = Math.max(last, range.end());
            }
        }
        ranges.add(new Range(first, last));
        ranges.sort(Comparator.comparingLong(Range::from));
    }

    /** Forgets what lies before a tick that nobody can claim any more. */
    void forgetBefore(int worker, long tick) {
        of(worker).replaceAll((range) -> new Range(Math.max(range.from(), tick), range.end()));
        of(worker).removeIf((range) -> range.end() <= range.from());
    }

    /**
     * Claims what lies between claimed ticks, where no lease begins or ends: who claims
     * one of them may claim a claimed one, too.
     */
    void fill(int worker, long beforeTick, NavigableSet<Long> bounds) {
        List<Range> ranges = of(worker);
        for (int i = 1; i < ranges.size() && ranges.get(i).from() < beforeTick; i++) {
            Range left = ranges.get(i - 1);
            Range right = ranges.get(i);
            if (bounds.subSet(left.end(), true, right.from(), true).isEmpty()) {
                ranges.set(i, new Range(left.from(), right.end()));
                ranges.remove(i - 1);
                i--;
            }
        }
    }

    /** The first claimed tick of a range, or -1. */
    long first(int worker, long from, long end) {
        return of(worker).stream()
            .filter((range) -> Math.max(range.from(), from) < Math.min(range.end(), end))
            .mapToLong((range) -> Math.max(range.from(), from))
            .findFirst()
            .orElse(-1);
    }

}
