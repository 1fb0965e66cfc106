package io.shardedid.sample.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

import io.shardedid.WorkerHolding;
import org.jspecify.annotations.Nullable;

/**
 * A worker id as the page shows it.
 *
 * @param worker the worker id
 * @param owner who holds it, as the page shows it
 * @param state what it is now
 * @param until when another process may take it, as a distance from now; empty if it is
 * free
 * @param at the same as a date and a time of day; empty if the id is free or is held
 * without an end
 * @param instant the same for programs; null if the id is free or is held without an end
 * @param acquisitions how often it changed hands
 * @param mine whether this very process holds it
 */
record WorkerView(int worker, String owner, String state, String until, String at, @Nullable Instant instant,
        long acquisitions, boolean mine) {

    private static final DateTimeFormatter DATE_AND_TIME = DateTimeFormatter
        .ofPattern("d MMM uuuu, HH:mm:ss 'UTC'", Locale.ENGLISH)
        .withZone(ZoneOffset.UTC);

    static WorkerView of(WorkerHolding holding, Instant now) {
        boolean free = holding.state() == WorkerHolding.State.FREE;
        boolean ends = !free && !holding.until().equals(Instant.MAX);
        String until = ends ? fromNow(Duration.between(now, holding.until()))
                : free ? "" : "without an end, since it is configured";
        return new WorkerView(holding.worker(), free ? "nobody" : holding.owner(),
                holding.mine() ? "held by this process"
                        : holding.state().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                until, ends ? DATE_AND_TIME.format(holding.until()) : "", ends ? holding.until() : null,
                holding.acquisitions(), holding.mine());
    }

    private static String fromNow(Duration ahead) {
        return ahead.isNegative() ? length(ahead.negated()) + " ago" : "in " + length(ahead);
    }

    private static String length(Duration length) {
        if (length.toMinutes() < 2) {
            return length.toSeconds() + " s";
        }
        return (length.toHours() < 2) ? length.toMinutes() + " min"
                : (length.toDays() < 2) ? length.toHours() + " h" : length.toDays() + " days";
    }

}
