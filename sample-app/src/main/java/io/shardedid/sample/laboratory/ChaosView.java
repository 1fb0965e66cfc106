package io.shardedid.sample.laboratory;

import java.time.Instant;

/**
 * What is wrong just now, for the page and for JSON.
 *
 * @param machineClock this machine's wall clock, as it was set
 * @param idClock the clock that ids carry
 * @param steppedSeconds how far the wall clock was set wrong
 * @param outageSeconds how long the database stays away once it is stopped
 * @param databaseStopped whether the database is stopped
 * @param ledger what became of the rows meanwhile
 */
record ChaosView(Instant machineClock, Instant idClock, long steppedSeconds, long outageSeconds,
        boolean databaseStopped, LedgerView ledger) {
}
