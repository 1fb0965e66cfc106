package io.shardedid.sample.problem;

import java.time.LocalDate;
import java.time.LocalDateTime;

/**
 * What a date or time looks like, for messages.
 */
final class TemporalExample {

    private TemporalExample() {
    }

    static String of(Class<?> type) {
        if (type == LocalDate.class) {
            return "2026-11-21";
        }
        return (type == LocalDateTime.class) ? "2026-11-21T10:15" : "2026-11-21T10:15:00Z";
    }

}
