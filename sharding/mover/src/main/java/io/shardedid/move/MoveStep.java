package io.shardedid.move;

import java.util.Locale;

/**
 * The steps of a move, in their order.
 *
 * @since 0.1
 */
public enum MoveStep {

    /** The mover looks for everything that would make the move fail. */
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

    /** The mover writes a row at the source and waits until it arrives at the target. */
    MARK,

    /** The mover compares all rows of both databases. */
    COMPARE,

    /** The mover carries over the counter of ids that the database makes. */
    COUNTER,

    /** The target takes writes, and then the map changes. */
    SWITCH,

    /** The mover drops subscription, slot and publication. */
    CLEAN,

    /** When all routers use the new map, the mover deletes the rows at the source. */
    EMPTY,

    /** The mover takes the move back. */
    ABORT,

    /** The mover lets the databases take writes as the map says, where nothing moves. */
    RECONCILE;

    /**
     * Returns the name of the step as messages show it.
     * @return for example {@code take over}
     */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

}
