package io.shardedid.move;

import java.util.Locale;

/**
 * The steps of a move, in their order.
 *
 * @since 0.1
 */
public enum MoveStep {

    /** Everything that would make the move fail is looked for. */
    PLAN,

    /** The mover takes its fencing token, in the map and in both databases. */
    TAKE_OVER,

    /**
     * The target takes no writes, and leftovers of an earlier attempt are deleted there.
     */
    ARRIVE,

    /** The source publishes the rows, from a slot on. */
    PUBLISH,

    /** The target copies the rows and follows the changes. */
    COPY,

    /** Writers wait, and the source takes no more writes. */
    FENCE,

    /** A row is written at the source, and its arrival at the target is awaited. */
    MARK,

    /** All rows of both databases are compared. */
    COMPARE,

    /** The counter of ids that the database makes is carried over. */
    COUNTER,

    /** The target takes writes, and then the map changes. */
    SWITCH,

    /** Subscription, slot and publication are dropped. */
    CLEAN,

    /** When all routers go by the new map, the rows at the source are deleted. */
    EMPTY,

    /** A move is taken back. */
    ABORT;

    /**
     * Returns the name of the step for people.
     * @return for example {@code take over}
     */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

}
