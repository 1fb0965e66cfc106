package io.shardedid.internal.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * All that may happen to a fleet within bounds, the shortest ways first. Each state is
 * reached by its picks from the beginning, since a protocol cannot be copied.
 */
final class ExhaustiveSearch {

    /** How many bits a pick takes. */
    private static final int PICK_BITS = 6;

    private static final int CHUNK = 20_000;

    private final SearchBounds bounds;

    private final RemovedGuard removed;

    private final IdSet seen = new IdSet();

    /** The state that each state was reached from. */
    private int[] parents = new int[1 << 16];

    /** The picks by which it was. */
    private long[] steps = new long[1 << 16];

    private int states;

    private long transitions;

    private int depth;

    private List<String> trace = List.of();

    private boolean complete;

    ExhaustiveSearch(SearchBounds bounds, RemovedGuard removed) {
        this.bounds = bounds;
        this.removed = removed;
    }

    /** What is searched, and how far. */
    enum Scene {

        /** One thing goes wrong, and the synchronous standby may be cut off. */
        PLAIN_STANDBY(plain(1, 2, 1, 2, 2_000)),

        /** Any two things go wrong. */
        PLAIN(plain(1, 2, 2, 0, 2_000)),

        /**
         * Commits may be lost, a promoted clock is behind, and the mode changes.
         */
        TOLERANT(tolerant(1, Duration.ofSeconds(10), List.of(20_000L))),

        /** Two worker ids, of which the processes choose. */
        PLAIN_TWO_IDS(plain(2, 2, 1, 0, 2_000)),

        /** Three processes at a time. */
        PLAIN_THREE_PROCESSES(plain(1, 3, 1, 0, 2_000)),

        /** Time goes on by half a window. */
        PLAIN_HALF_WINDOWS(plain(1, 2, 2, 0, 1_000)),

        /** Time goes on by one second, too, within which a write is in time. */
        TOLERANT_SECONDS(tolerant(1, Duration.ZERO, List.of(1_000L, 19_000L)));

        private final SearchBounds bounds;

        Scene(SearchBounds bounds) {
            this.bounds = bounds;
        }

        SearchBounds bounds() {
            return this.bounds;
        }

        private static SearchBounds plain(int workers, int processes, int faults, int forgotten, long stepMillis) {
            return new SearchBounds(false, workers, processes, faults, forgotten, Duration.ofSeconds(2), Duration.ZERO,
                    List.of(stepMillis), List.of(0L, stepMillis), false);
        }

        private static SearchBounds tolerant(int faults, Duration behind, List<Long> steps) {
            return new SearchBounds(true, 1, 2, faults, 2, Duration.ofSeconds(20), behind, steps,
                    behind.isZero() ? List.of(0L) : List.of(0L, -behind.toMillis()), true);
        }

    }

    /** Where a step leads. */
    private record Arrival(int parent, long picks, long picture, boolean violated) {
    }

    /** Picks, one after another. */
    private static final class Picks implements IntUnaryOperator {

        private final int[] picks = new int[Long.SIZE / PICK_BITS];

        private final int[] counts = new int[Long.SIZE / PICK_BITS];

        private int used;

        @Override
        public int applyAsInt(int count) {
            this.counts[this.used] = count;
            return this.picks[this.used++];
        }

        void begin(long packed) {
            for (int i = 0; i < this.picks.length; i++) {
                this.picks[i] = (int) (packed >>> i * PICK_BITS) & (1 << PICK_BITS) - 1;
            }
            this.used = 0;
        }

        long packed() {
            long packed = 0;
            for (int i = 0; i < this.used; i++) {
                packed |= (long) this.picks[i] << i * PICK_BITS;
            }
            return packed;
        }

        /** The next picks after those that were used, or -1. */
        long next() {
            for (int i = this.used - 1; i >= 0; i--) {
                if (this.picks[i] + 1 < this.counts[i]) {
                    this.picks[i]++;
                    this.used = i + 1;
                    return packed();
                }
            }
            return -1;
        }

    }

    /**
     * Searches until there is nothing new, or an id is made twice.
     * @param most how many states to keep at most
     */
    void run(int most) {
        add(-1, 0);
        int from = 0;
        while (from < this.states) {
            int end = this.states;
            this.depth++;
            for (int chunk = from; chunk < end; chunk += CHUNK) {
                List<List<Arrival>> found = IntStream.range(chunk, Math.min(end, chunk + CHUNK))
                    .parallel()
                    .mapToObj(this::expand)
                    .toList();
                for (List<Arrival> arrivals : found) {
                    for (Arrival each : arrivals) {
                        this.transitions++;
                        if (each.violated()) {
                            add(each.parent(), each.picks());
                            this.trace = trace(this.states - 1);
                            return;
                        }
                        if (this.seen.add(each.picture())) {
                            add(each.parent(), each.picks());
                        }
                    }
                }
                if (this.states > most) {
                    return;
                }
            }
            from = end;
        }
        this.complete = true;
    }

    private void add(int parent, long picks) {
        if (this.states == this.parents.length) {
            this.parents = Arrays.copyOf(this.parents, this.states * 2);
            this.steps = Arrays.copyOf(this.steps, this.states * 2);
        }
        this.parents[this.states] = parent;
        this.steps[this.states++] = picks;
    }

    private List<Arrival> expand(int state) {
        List<Arrival> arrivals = new ArrayList<>();
        long[] way = way(state);
        Picks picks = new Picks();
        long next = 0;
        do {
            SearchedFleet fleet = replay(way, picks);
            picks.begin(next);
            fleet.step();
            long taken = picks.packed();
            arrivals.add(new Arrival(state, taken, SearchPicture.of(fleet), fleet.violation() != null));
            next = picks.next();
        }
        while (next >= 0);
        return arrivals;
    }

    private SearchedFleet replay(long[] way, Picks picks) {
        SearchedFleet fleet = new SearchedFleet(this.bounds, this.removed, picks);
        for (long each : way) {
            picks.begin(each);
            fleet.step();
        }
        return fleet;
    }

    private long[] way(int state) {
        int length = 0;
        for (int at = state; this.parents[at] >= 0; at = this.parents[at]) {
            length++;
        }
        long[] way = new long[length];
        for (int at = state; this.parents[at] >= 0; at = this.parents[at]) {
            way[--length] = this.steps[at];
        }
        return way;
    }

    /** What happened on the way to a state. */
    List<String> trace(int state) {
        Picks picks = new Picks();
        SearchedFleet fleet = new SearchedFleet(this.bounds, this.removed, picks);
        List<String> lines = new ArrayList<>();
        fleet.traceInto(lines);
        for (long each : way(state)) {
            picks.begin(each);
            fleet.step();
        }
        return lines;
    }

    /** Whether all states within the bounds were met. */
    boolean complete() {
        return this.complete;
    }

    int states() {
        return this.states;
    }

    long transitions() {
        return this.transitions;
    }

    int depth() {
        return this.depth;
    }

    /** What happened until an id was made twice; empty if none was. */
    List<String> trace() {
        return this.trace;
    }

}
