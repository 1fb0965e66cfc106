package io.shardedid.sample.laboratory;

import org.jspecify.annotations.Nullable;

/**
 * A move of shards, for the page and for JSON.
 *
 * @param running whether it goes on
 * @param shards the shards that move
 * @param target the database where the next move takes them
 * @param step the step of the mover
 * @param message what happens there, as the page shows it
 * @param copiedRows the rows that have been copied
 * @param totalRows the rows to copy
 * @param pauseMillis how long the mover says that writers waited at most; null until the
 * move is done
 * @param movingMillis the longest transaction of a writer in these shards since the move
 * began
 * @param othersMillis the longest transaction of a writer in other shards since then
 */
record MovesView(boolean running, String shards, String target, String step, String message, long copiedRows,
        long totalRows, @Nullable Long pauseMillis, long movingMillis, long othersMillis) {
}
