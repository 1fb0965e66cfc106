package io.shardedid.move;

import java.time.Duration;

/**
 * How a move ended.
 *
 * @param shards the shards
 * @param source the database that they left, or would have left; the target with
 * {@link Outcome#ALREADY_THERE}
 * @param target the database where they were to go
 * @param outcome what became of it
 * @param rows the rows that were compared; 0 if none were, or an earlier mover did it
 * @param pause how long writers of these shards waited at most, from the request for the
 * lock that closed the source to the new map; zero if this mover did not fence them
 * @param version the version of the map
 * @since 0.1
 */
public record MoveResult(ShardRanges shards, String source, String target, Outcome outcome, long rows, Duration pause,
        long version) {

    /** What became of a move. */
    public enum Outcome {

        /** The shards are in the target. */
        MOVED,

        /** The shards were in the target before, and nothing was done. */
        ALREADY_THERE,

        /**
         * The shards are in the source as before, and the target has none of their rows,
         * unless it did not answer.
         */
        ABORTED,

        /**
         * The shards take writes in the database that the map names, and no other one has
         * rows of them; source and target are that database.
         */
        RECONCILED

    }

}
