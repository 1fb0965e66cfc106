package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;

import io.shardedid.internal.MessageText;

/**
 * The ids of a span of time, over all shards. A window replaces a created-at column and
 * its index. Ids sort by time, so {@code order by id} is the order of time, and the rows
 * of a span are those whose id is between two numbers.
 *
 * <p>
 * A span is half open: its start belongs to it, its end does not. Both are rounded down
 * to the start of their tick, so windows that meet share no id and miss none, wherever in
 * a tick they meet. What lies outside the range of the layout has no ids; a window that
 * starts at or before the epoch also holds the older ids, which are below all others.
 * Immutable and thread-safe.
 *
 * @param firstId the smallest id that the span can hold, at least 0
 * @param lastId the largest id that the span can hold; {@code firstId - 1} if it can hold
 * none, so that {@code between :firstId and :lastId} finds none
 * @since 0.1
 */
public record IdWindow(long firstId, long lastId) {

    private static final IdWindow NONE = new IdWindow(0, -1);

    /**
     * Makes a window of ids.
     * @param firstId the smallest id
     * @param lastId the largest id
     * @throws IllegalArgumentException if {@code firstId} is negative or {@code lastId}
     * is below {@code firstId - 1}
     */
    public IdWindow {
        if (firstId < 0 || lastId < firstId - 1) {
            throw new IllegalArgumentException(
                    "first-id must be >= 0 and last-id >= first-id - 1: first-id=%s, last-id=%s".formatted(firstId,
                            lastId));
        }
    }

    /**
     * Returns the ids of a span.
     * @param layout the layout of the ids
     * @param from the start, included; {@link Instant#MIN} for older ids, too
     * @param to the end, excluded; {@link Instant#MAX} for all ids to come
     * @return the window
     * @throws IllegalArgumentException if {@code to} is before {@code from}
     */
    public static IdWindow between(IdLayout layout, Instant from, Instant to) {
        if (to.isBefore(from)) {
            throw new IllegalArgumentException(
                    "from must not be after to: from=%s, to=%s; the start comes first".formatted(from, to));
        }
        return isAfterRange(layout, from) ? NONE : new IdWindow(firstAt(layout, from), lastBefore(layout, to));
    }

    /**
     * Returns the ids that are at most as old as an age. The window has no end, because
     * the ids of other processes may be a little ahead of this process's clock.
     * @param ids the engine, whose layout and clock are used
     * @param age how long ago the window starts
     * @return the window
     * @throws IllegalArgumentException if the age is negative
     */
    public static IdWindow last(ShardedIds ids, Duration age) {
        if (age.isNegative()) {
            throw new IllegalArgumentException("age must be >= 0s: age=%s".formatted(MessageText.duration(age)));
        }
        return between(ids.layout(), ids.clock().instant().minus(age), Instant.MAX);
    }

    /**
     * Returns the ids of a day, which has 23 or 25 hours where clocks are put forward or
     * back.
     * @param layout the layout of the ids
     * @param day the day
     * @param zone the time zone of the day
     * @return the window
     */
    public static IdWindow day(IdLayout layout, LocalDate day, ZoneId zone) {
        return between(layout, day.atStartOfDay(zone).toInstant(), day.plusDays(1).atStartOfDay(zone).toInstant());
    }

    private static long firstAt(IdLayout layout, Instant instant) {
        return instant.isBefore(layout.epoch()) ? 0 : layout.firstIdAt(instant);
    }

    private static long lastBefore(IdLayout layout, Instant instant) {
        return isAfterRange(layout, instant) ? layout.lastId() : firstAt(layout, instant) - 1;
    }

    private static boolean isAfterRange(IdLayout layout, Instant instant) {
        return !instant.isBefore(layout.lastUsableInstant().plus(layout.tick()));
    }

}
