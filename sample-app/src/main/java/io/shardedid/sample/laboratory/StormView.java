package io.shardedid.sample.laboratory;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * A storm, for the page and for JSON.
 *
 * @param running whether it goes on
 * @param rows rows of each kind
 * @param threads how many insert at once
 * @param laps kind by kind
 * @param message how it ended; null while it runs
 */
record StormView(boolean running, int rows, int threads, List<LapView> laps, @Nullable String message) {

    static StormView none(List<IdKind> kinds) {
        return new StormView(false, StormTerms.MOST_ROWS, 4,
                kinds.stream().map((kind) -> new Lap(kind, StormTerms.MOST_ROWS).view()).toList(), null);
    }

    /** Whether it has begun with none of the kinds. */
    public boolean warmingUp() {
        return this.running && this.laps.stream().allMatch((lap) -> lap.state().equals("waiting"));
    }

    /**
     * Returns whether the kinds can be ranked.
     * @return false if the rate of a kind changed by more than the kinds differ, as on a
     * busy machine or with few rows
     */
    @JsonProperty
    public boolean comparable() {
        List<LapView> slowestFirst = this.laps.stream().sorted(Comparator.comparing(LapView::slowest)).toList();
        return this.laps.size() > 1 && this.laps.stream().allMatch((lap) -> lap.state().equals("done"))
                && IntStream.range(1, slowestFirst.size())
                    .allMatch((i) -> slowestFirst.get(i - 1).fastest() < slowestFirst.get(i).slowest());
    }

    /** The longest bar. */
    public long fastest() {
        return Math.max(1, this.laps.stream().mapToLong(LapView::rowsPerSecond).max().orElse(1));
    }

}
