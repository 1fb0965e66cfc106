package io.shardedid.internal.lease;

import java.lang.System.Logger.Level;

import org.jspecify.annotations.Nullable;

/**
 * What state the lease of a process is in: how loud its line in the log is, whether
 * waiting may end it, and, for a state in which no worker id can be asked for, the words
 * of log and exception and what to do.
 */
enum LeaseState {

    /** No lease was confirmed yet. */
    STARTING(Level.INFO, true),

    /** A lease is held. */
    LEASED(Level.INFO, true),

    /** The store did not answer, or refused; a lease may be held yet. */
    FAILING(Level.WARNING, true),

    /** The row belongs to another process, or is gone. */
    LOST(Level.WARNING, true),

    /** The lease was given back, or runs out by itself. */
    RELEASED(Level.INFO, true),

    /** Other processes have leased each worker id that this one could lease. */
    TAKEN(Level.WARNING, true),

    /** The layout has no time left. */
    RANGE_EXHAUSTED(Level.ERROR, false),

    /** The layout row is another one than at the start. */
    OTHER_LAYOUT(Level.ERROR, false,
            "Could not lease a worker id: the lease table of namespace '%1$s' was given other settings while this "
                    + "process ran, or is being changed: here=[%3$s], there=[%2$s]; stop this process",
            "Start this process again with the settings of the lease table."),

    /** A failover may forget the layout row yet. */
    YOUNG_NAMESPACE(Level.WARNING, true,
            "Could not lease a worker id: the lease table of namespace '%1$s' was made at %2$s by the clock of the "
                    + "database (shardedid.worker.lease.tolerate-lost-commits=true; a failover may forget what is "
                    + "younger than %4$s); wait until then",
            "Start again with a longer 'shardedid.worker.lease.startup-timeout', or a minute later."),

    /** The very first tick lies ahead of the clock. */
    BEGINS_LATER(Level.WARNING, true,
            "Could not lease a worker id: the first id of namespace '%1$s' comes at %2$s by the clock of the database "
                    + "(hwm_tick of its layout row); wait until then",
            "Start again then."),

    /** The clock of the database is behind what a row shows. */
    CLOCK_BEHIND(Level.WARNING, true,
            "Could not lease a worker id: the clock of the database is behind the clock of this machine, and behind a "
                    + "time that a row of namespace '%1$s' shows; wait until it has come there, or correct the clock",
            "If another server has taken the place of the database, with a copy of its rows, stop all processes of the "
                    + "application that use the old one. Correct the clocks of both.");

    private final Level level;

    private final boolean passes;

    private final @Nullable String text;

    private final @Nullable String action;

    LeaseState(Level level, boolean passes) {
        this(level, passes, null, null);
    }

    LeaseState(Level level, boolean passes, @Nullable String text, @Nullable String action) {
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

    /**
     * The form of the text, or null where it depends on more: of the namespace, a detail,
     * the text of this process for the layout row, and what a failover may forget.
     */
    @Nullable String text() {
        return this.text;
    }

    /** What to do, in whole sentences, if there is a text. */
    @Nullable String action() {
        return this.action;
    }

}
