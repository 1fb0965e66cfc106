package io.shardedid.sample.feed;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

import io.shardedid.IdLayout;

/**
 * A span of time as a range of ids: what replaces a created-at column and its index.
 *
 * @param from the start, included
 * @param to the end, excluded
 * @param firstId the smallest id that the span can hold
 * @param beforeId one more than the largest id that the span can hold
 */
record TimeWindow(Instant from, Instant to, long firstId, long beforeId) {

    static TimeWindow day(LocalDate day, IdLayout layout) {
        return of(day.atStartOfDay(ZoneOffset.UTC).toInstant(),
                day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant(), layout);
    }

    /** What lies outside the range of the layout has no ids. */
    static TimeWindow of(Instant from, Instant to, IdLayout layout) {
        return new TimeWindow(from, to, edge(from, layout), edge(to, layout));
    }

    private static long edge(Instant instant, IdLayout layout) {
        if (instant.isBefore(layout.epoch())) {
            return 0;
        }
        return instant.isAfter(layout.lastUsableInstant()) ? Long.MAX_VALUE : layout.firstIdAt(instant);
    }

    /**
     * Returns the largest id of the span, for a reader.
     * @return an id, not that of any row
     */
    public long lastId() {
        return Math.max(0, this.beforeId - 1);
    }

}
