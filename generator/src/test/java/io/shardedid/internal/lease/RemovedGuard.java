package io.shardedid.internal.lease;

/**
 * A guard of the protocol, taken out. With any of them the simulation must find what the
 * guard is there for; with none it must find nothing.
 */
enum RemovedGuard {

    /** The protocol as it is. */
    NONE,

    /** Ids go by the clock of the machine, not by that of the database. */
    CLOCK_OF_THE_MACHINE,

    /** Rows do not remember how far they were leased. */
    NO_PERSISTED_HWM_TICK,

    /** Ids may carry ticks beyond the end of the lease. */
    NO_TICK_BELOW_HI,

    /** An acquire writes whatever the row shows. */
    NO_COMPARE_ON_ACQUIRE,

    /** A renewal finds its row by worker id alone. */
    RENEW_BY_ID_WITHOUT_TOKEN,

    /** The longer interval is used when it was asked for. */
    HI_RAISED_BEFORE_COMMIT,

    /** Nothing but the deadline stops a process. */
    ONLY_THE_DEADLINE,

    /** A lease begins at the time of the process. */
    LO_FROM_LOCAL_CLOCK,

    /** A write without an answer counts as done. */
    UNKNOWN_TAKEN_AS_SUCCESS,

    /** A write that the server applied counts as done although it was not confirmed. */
    UNCONFIRMED_TAKEN_AS_DONE,

    /** A lease that the table shows counts as held. */
    LEASE_HELD_WHEN_READ,

    /** A restarted process goes on with the lease that it wrote to a file. */
    RESTART_FROM_LOCAL_FILE,

    /** The deadline is checked, then the clock is read for the id. */
    CHECK_FIRST_READ_CLOCK_AFTER,

    /** A release gives back what a call under way may still claim. */
    RELEASE_WITHOUT_POISON,

    /** A release tells the highest tick of the numbers, and forgets the UUIDs. */
    RELEASE_FORGETS_UUIDS,

    /** A new lease starts with fresh cells. */
    NO_IN_PROCESS_LAST_TICK,

    /** Updates compare neither the token nor the end of the interval. */
    NO_TOKEN_AND_NO_HWM_COMPARE,

    /** Bounds are kept in milliseconds while ticks are longer. */
    MILLIS_BOUNDS_WITH_LONG_TICKS,

    /** The layout row counts as one more worker. */
    LAYOUT_ROW_TAKEN_AS_WORKER,

    /** A renewal does not look at how far the row was leased. */
    RENEWAL_WITHOUT_ROW_HWM_TICK,

    /** The clock of a lease may lie before its interval. */
    ANCHOR_BELOW_LO,

    /**
     * A release poisons the cells, then makes new ones; when the heap is full it is tried
     * again with the lease still in mind.
     */
    RELEASE_POISONS_BEFORE_ALLOCATION,

    /** A change of worker poisons the cells, then makes new ones. */
    WORKER_CHANGE_POISONS_BEFORE_ALLOCATION,

    /** An acquire takes the clock of a promoted server for that of the one before. */
    ACQUIRE_TRUSTS_PROMOTED_CLOCK,

    /** A renewal on a clock that is behind shortens the lease. */
    RENEWAL_LOWERS_LEASE_UNTIL,

    /** Ticks are held as far ahead as the window of the process is long. */
    REACH_OF_OWN_WINDOW,

    /** The engine goes on with a lease that was lost, until there is another one. */
    LEASE_KEPT_AFTER_LOSS,

    /** A call that has read the lease before its loss may still claim in it. */
    LOSS_WITHOUT_POISON,

    /** A release tells the highest tick of all leases of the process. */
    RELEASE_ABOVE_ITS_LEASE,

    /** A process does not look whether the application reads its first lease. */
    ANOTHER_TABLE_BELIEVED,

    /** The keeper runs tasks before it renews. */
    OTHERS_BEFORE_LEASE,

    /** A suspension that ends before the keeper comes to it gives nothing back. */
    SUSPENSION_FORGOTTEN,

    /** A renewal that was under way at a suspension hands its lease on. */
    LATE_REPLY_AFTER_SUSPENSION,

    /** Nobody waits until what a failover may have forgotten is over. */
    CHANGE_WITHOUT_MARGIN,

    /** Nobody waits for live leases either. */
    CHANGE_WITHOUT_WAIT,

    /** And the rows of the workers stay as they are. */
    CHANGE_WITHOUT_WAIT_AND_ROWS,

    /** The table says from the beginning what it is to say in the end. */
    CHANGE_OPENS_FIRST,

    /** A renewal does not look at the layout row. */
    LAYOUT_TOKEN_NOT_COMPARED;

    /** The trouble in which it is missed. */
    FleetSimulation.Trouble trouble() {
        return switch (this) {
            case RELEASE_POISONS_BEFORE_ALLOCATION, WORKER_CHANGE_POISONS_BEFORE_ALLOCATION ->
                FleetSimulation.Trouble.FULL_HEAP;
            case ACQUIRE_TRUSTS_PROMOTED_CLOCK, RENEWAL_LOWERS_LEASE_UNTIL -> FleetSimulation.Trouble.CLOCK_BEHIND;
            case UNCONFIRMED_TAKEN_AS_DONE, LEASE_HELD_WHEN_READ -> FleetSimulation.Trouble.STANDBY_CUT;
            case REACH_OF_OWN_WINDOW -> FleetSimulation.Trouble.WINDOWS;
            case LEASE_KEPT_AFTER_LOSS, LOSS_WITHOUT_POISON -> FleetSimulation.Trouble.ROWS_CHANGED;
            case ANOTHER_TABLE_BELIEVED -> FleetSimulation.Trouble.ANOTHER_TABLE;
            case OTHERS_BEFORE_LEASE, SUSPENSION_FORGOTTEN, LATE_REPLY_AFTER_SUSPENSION ->
                FleetSimulation.Trouble.BUSY_KEEPERS;
            case CHANGE_WITHOUT_MARGIN, CHANGE_WITHOUT_WAIT, CHANGE_WITHOUT_WAIT_AND_ROWS, CHANGE_OPENS_FIRST,
                    LAYOUT_TOKEN_NOT_COMPARED ->
                FleetSimulation.Trouble.CHANGES;
            default -> FleetSimulation.Trouble.CLOCKS;
        };
    }

}
