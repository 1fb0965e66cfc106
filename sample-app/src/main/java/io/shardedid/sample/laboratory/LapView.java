package io.shardedid.sample.laboratory;

import org.jspecify.annotations.Nullable;

/**
 * One kind of id in a storm, for the page and for JSON.
 *
 * @param kind what the ids are called
 * @param trait what they are
 * @param state {@code waiting}, {@code inserting}, {@code counting}, {@code done} or
 * {@code stopped}
 * @param inserted rows so far
 * @param rows rows in the end
 * @param millis how long it has taken
 * @param rowsPerSecond rows by time
 * @param slowest rows a second of the slowest quarter of its rows
 * @param fastest rows a second of the fastest one
 * @param duplicates ids that the primary key refused or that a count found twice; null
 * until counted
 */
record LapView(String kind, String trait, String state, long inserted, int rows, long millis, long rowsPerSecond,
        long slowest, long fastest, @Nullable Long duplicates) {
}
