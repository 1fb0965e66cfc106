package io.shardedid.sample.feed;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

import io.shardedid.IdLayout;
import io.shardedid.IdWindow;
import io.shardedid.sample.problem.Problems;
import org.jspecify.annotations.Nullable;

/**
 * A span of time as a visitor asks for it, in UTC as in the ids.
 *
 * @param from the start, included
 * @param to the end, excluded
 */
record TimeSpan(LocalDateTime from, LocalDateTime to) {

    static TimeSpan day(LocalDate day) {
        if (day.equals(LocalDate.MAX)) {
            throw Problems.malformed("'day' must have a day after it", day);
        }
        return new TimeSpan(day.atStartOfDay(), day.plusDays(1).atStartOfDay());
    }

    static TimeSpan between(@Nullable LocalDateTime from, @Nullable LocalDateTime to) {
        if (from == null || to == null || to.isBefore(from)) {
            throw Problems.malformed("'from' and 'to' go together, and 'from' is not later than 'to'",
                    from + " to " + to);
        }
        return new TimeSpan(from, to);
    }

    IdWindow ids(IdLayout layout) {
        return IdWindow.between(layout, this.from.toInstant(ZoneOffset.UTC), this.to.toInstant(ZoneOffset.UTC));
    }

}
