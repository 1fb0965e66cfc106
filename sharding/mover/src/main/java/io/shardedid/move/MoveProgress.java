package io.shardedid.move;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How far a move is.
 *
 * @param step the step that runs
 * @param message what happens, in one line of text
 * @param copiedRows the rows that the target has copied so far; 0 before step
 * {@link MoveStep#COPY}
 * @param totalRows the rows at the source when the copy began; 0 before that step
 * @param rowsPerSecond how many rows the target copies in a second; 0 while that is not
 * known
 * @param remaining how long the rest of the copy takes at that rate, if it is known
 * @param expectedPause how long writers are going to wait, if that is known
 * @since 0.1
 */
public record MoveProgress(MoveStep step, String message, long copiedRows, long totalRows, long rowsPerSecond,
        @Nullable Duration remaining, @Nullable Duration expectedPause) {

    /**
     * Puts the message into one line.
     * @param step the step that runs
     * @param message what happens
     * @param copiedRows the rows that the target has copied so far
     * @param totalRows the rows at the source when the copy began
     * @param rowsPerSecond how many rows the target copies in a second
     * @param remaining how long the rest of the copy takes
     * @param expectedPause how long writers are going to wait, if that is known
     */
    public MoveProgress {
        message = MoveException.line(message);
    }

    /** Hears of the progress of a move. */
    @FunctionalInterface
    public interface Listener {

        /**
         * Takes what is new. Called by the thread that moves, which goes on when the
         * method returns: in the steps from {@link MoveStep#FENCE} to
         * {@link MoveStep#SWITCH} writers wait for that.
         * @param progress how far the move is
         */
        void progress(MoveProgress progress);

    }

}
