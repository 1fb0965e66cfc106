package io.shardedid.move;

import java.time.Duration;
import java.util.List;

/**
 * What a move would do, and everything that prevents it.
 *
 * @param shards the shards
 * @param source the database where they are
 * @param target the database where they are to go
 * @param tables the fenced tables of the source
 * @param problems what makes the move impossible; a move with a problem does not start
 * @param warnings what makes the move slow, or what only you can check
 * @param expectedPause how long writers of these shards would wait, which grows with the
 * rows if all of them are compared meanwhile
 * @since 0.1
 */
public record MovePlan(ShardRanges shards, String source, String target, List<Table> tables, List<String> problems,
        List<String> warnings, Duration expectedPause) {

    /**
     * Puts each text into one line.
     * @param shards the shards
     * @param source the database where they are
     * @param target the database where they are to go
     * @param tables the fenced tables of the source
     * @param problems what makes the move impossible
     * @param warnings what makes the move slow, or what only you can check
     * @param expectedPause how long writers of these shards would wait
     */
    public MovePlan {
        problems = MoveException.lines(problems);
        warnings = MoveException.lines(warnings);
    }

    /**
     * A table with rows that move.
     *
     * @param name its name, with its schema
     * @param rows the rows that move
     * @param bytes the size of these rows, estimated from the size of the table
     */
    public record Table(String name, long rows, long bytes) {

        /**
         * Puts the name into one line.
         * @param name its name, with its schema
         * @param rows the rows that move
         * @param bytes the size of these rows
         */
        public Table {
            name = MoveException.line(name);
        }

    }

    /**
     * Returns whether nothing prevents the move.
     * @return whether there is no problem
     */
    public boolean possible() {
        return this.problems.isEmpty();
    }

}
