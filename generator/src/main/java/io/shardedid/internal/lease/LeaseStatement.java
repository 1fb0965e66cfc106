package io.shardedid.internal.lease;

import org.jspecify.annotations.Nullable;

/** One statement to the store of the leases. It is applied as a whole or not at all. */
public sealed interface LeaseStatement {

    /** Reads the clock of the store and every row of the namespace. */
    record ReadAll() implements LeaseStatement {
    }

    /**
     * Reads the clock of the store, one row, and the layout row.
     *
     * @param worker the row
     */
    record ReadOne(int worker) implements LeaseStatement {
    }

    /**
     * Inserts a row, or fails with {@link LeaseReply.DuplicateKey} if there is one.
     *
     * @param row the row
     * @param latestMillis insert only while the clock of the store is not later than
     * this, or null for always
     */
    record Insert(LeaseRow row, @Nullable Long latestMillis) implements LeaseStatement {
    }

    /**
     * Compares and sets: changes a row that still has the token that was seen, and whose
     * {@code hwm_tick} is not above a bound; otherwise it does not happen.
     *
     * @param worker the row
     * @param seenToken the token that the row must still have
     * @param hwmAtMost the row's {@code hwm_tick} must not be above this
     * @param token the new token
     * @param acquisitionStep added to the acquisitions: 1 for an acquire, 0 for what its
     * holder writes
     * @param leaseUntilMillis the new lease_until
     * @param hwmTick the new hwm_tick
     * @param owner the new owner
     * @param layout what the new owner writes, see {@link LeaseRow#layout()}; null for
     * nothing
     * @param guard the further conditions of a store that may lose writes, or null
     */
    record Update(int worker, String seenToken, long hwmAtMost, String token, int acquisitionStep,
            long leaseUntilMillis, long hwmTick, @Nullable String owner, @Nullable String layout,
            @Nullable Guard guard) implements LeaseStatement {
    }

    /**
     * What is evaluated together with the comparison, on the clock of the store. Only a
     * process with {@code tolerate-lost-commits=true} sends it.
     *
     * @param latestMillis the clock of the store must not be later than this
     * @param whileLeased whether the row's lease_until must not have passed
     */
    record Guard(long latestMillis, boolean whileLeased) {
    }

}
