package io.shardedid.internal.lease;

import java.lang.System.Logger.Level;

import org.jspecify.annotations.Nullable;

/**
 * The states of a lease, each with all that is said of it: the text that the log writes
 * and callers get who want an id, what to do, and how loud the line in the log is. Health
 * shows text and action, too. {@link LeaseReport} fills in 1 the namespace, 2 the worker
 * id, 3 what is known, 4 why no renewal was confirmed, 5 how long callers wait, and 6 how
 * there can be more worker ids.
 */
enum LeaseState {

    /** No lease was confirmed yet. */
    STARTING(Level.WARNING, true,
            "No worker id of namespace '%1$s' is leased yet, because %4$s; the transaction can be retried", null),

    /** A lease is held. It may have expired, which the text says. */
    LEASED(Level.WARNING, true,
            "No more ids: the lease of worker id %2$s of namespace '%1$s' expired at %3$s (database clock), because %4$s; "
                    + "callers wait %5$s for another one (shardedid.clock.max-wait), and the transaction can be retried",
            null),

    /** The row belongs to another process, or is gone. */
    LOST(Level.WARNING, true,
            "Worker id %2$s of namespace '%1$s' was lost: %3$s; another one is leased, and the transaction can be "
                    + "retried",
            null),

    /** The lease was given back, or expires by itself. */
    RELEASED(Level.INFO, true, "Worker id %2$s of namespace '%1$s' is given back",
            "Try again when the process goes on."),

    /** Other processes have leased each worker id that this one could lease. */
    TAKEN(Level.WARNING, true, "Could not lease a worker id of namespace '%1$s': %3$s",
            "Stop processes that are not needed, or wait until the lease of a killed one has expired "
                    + "('shardedid.worker.lease.window'). If that is not enough, %6$s."),

    /** The layout has no time left, as {@code IdRangeExhaustedException} says. */
    RANGE_EXHAUSTED(Level.ERROR, false, "%3$s", null),

    /** The layout row is another one than at the start. */
    OTHER_LAYOUT(Level.ERROR, false,
            "Could not lease a worker id: the lease table of namespace '%1$s' was given other settings while this "
                    + "process ran, or is being changed: %3$s; stop this process",
            "Start this process again with the settings of the lease table."),

    /** The clock of the database has not come to the first lease of the namespace. */
    BEGINS_LATER(Level.WARNING, true,
            "Could not lease a worker id: the first one of namespace '%1$s' is leased at %3$s by the clock of the "
                    + "database; wait until then",
            "Start again then, or with a longer 'shardedid.worker.lease.startup-timeout'. Where lost commits are "
                    + "tolerated, a new namespace waits for a minute."),

    /** The clock of the database is behind what a row shows. */
    CLOCK_BEHIND(Level.WARNING, true,
            "Could not lease a worker id: the clock of the database is behind the clock of this machine, and behind a "
                    + "time that a row of namespace '%1$s' shows; wait until it has come there, or correct the clock",
            "If another server has taken the place of the database, with a copy of its rows, stop all processes of the "
                    + "application that use the old one. Correct the clocks of both.");

    private final Level level;

    private final boolean passes;

    private final String text;

    private final @Nullable String action;

    LeaseState(Level level, boolean passes, String text, @Nullable String action) {
        this.level = level;
        this.passes = passes;
        this.text = text;
        this.action = action;
    }

    Level level() {
        return this.level;
    }

    /** Whether the state may end while this process runs. */
    boolean passes() {
        return this.passes;
    }

    String text() {
        return this.text;
    }

    /** What to do, in whole sentences; null for what every lease exception says. */
    @Nullable String action() {
        return this.action;
    }

}
