package io.shardedid.move;

import java.time.Duration;
import java.util.List;

/**
 * What a command has done with one shard, or what a plan has found.
 *
 * @param shard the shard
 * @param outcome what became of it
 * @param source the database that has it, or had it before
 * @param target the database where it goes, or has gone; the source if it goes nowhere
 * @param rows how many rows were copied, or deleted
 * @param pause for how long its writers could not write; of a plan: for how long they
 * could not, as the copy that was rolled back took
 * @param problems of a plan: what has to be mended first
 * @param warnings of a plan: what does not move
 * @since 0.1
 */
public record MoveResult(int shard, Outcome outcome, String source, String target, long rows, Duration pause,
        List<String> problems, List<String> warnings) {

    static MoveResult of(int shard, Outcome outcome, String source, String target, long rows, Duration pause) {
        return new MoveResult(shard, outcome, source, target, rows, pause, List.of(), List.of());
    }

    /**
     * What became of a shard.
     *
     * @since 0.1
     */
    public enum Outcome {

        /** A plan has found nothing that prevents the move. */
        POSSIBLE,

        /** A plan has found problems. */
        PREVENTED,

        /** The target has the shard, and takes its writes. */
        MOVED,

        /** The shard was where it should be, and nothing was done. */
        THERE,

        /** The old rows are deleted. */
        CLEANED,

        /** The move is taken back: the source has the shard, and takes its writes. */
        ABORTED

    }

}
