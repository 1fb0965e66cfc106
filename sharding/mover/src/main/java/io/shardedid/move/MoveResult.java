package io.shardedid.move;

import java.util.List;

/**
 * What a command has done with one shard, or what a plan has found.
 *
 * @param source the database that has it, or had it before
 * @param target the database where it goes, or has gone; the source if it goes nowhere
 * @param pauseMillis for how long its writers could not write; of a plan: for how long
 * they could not, as the copy that was rolled back took
 * @param problems of a plan: what has to be mended first
 */
record MoveResult(int shard, Outcome outcome, String source, String target, long rows, long pauseMillis,
        List<String> problems) {

    static MoveResult of(int shard, Outcome outcome, String source, String target, long rows) {
        return new MoveResult(shard, outcome, source, target, rows, 0, List.of());
    }

    /** The result in a sentence. */
    String text() {
        return this.outcome.sentence.formatted(this.shard, this.source, this.target, this.rows, this.pauseMillis);
    }

    /** What became of a shard. */
    enum Outcome {

        POSSIBLE("Shard %s can move from %s to %s: %s rows; its writers would be refused for about %s ms."),

        PREVENTED("Shard %s cannot move from %s to %s yet."),

        MOVED("Shard %s is moved from %s to %s: %s rows; its writers were refused for %s ms."),

        THERE("Shard %s is in %s. Nothing was done."),

        CLEANED("Shard %s has no old rows in %s any more: %4$s were deleted."),

        ABORTED("Shard %s stays in %s. The move is taken back.");

        private final String sentence;

        Outcome(String sentence) {
            this.sentence = sentence;
        }

    }

}
