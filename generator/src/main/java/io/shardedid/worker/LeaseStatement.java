package io.shardedid.worker;

import org.jspecify.annotations.Nullable;

/**
 * One statement to the lease table: its own transaction.
 * <p>
 * The type is public for package {@code io.shardedid.worker.table} only and is no API.
 *
 * @since 0.1
 */
public sealed interface LeaseStatement {

    /** Reads the clock of the database and every row of the namespace. */
    record ReadAll() implements LeaseStatement {
    }

    /**
     * Reads the clock of the database and one row.
     *
     * @param worker the row
     */
    record ReadOne(int worker) implements LeaseStatement {
    }

    /**
     * Inserts a row.
     *
     * @param row the row
     * @param latestMillis insert only while the clock of the database is not later than
     * this, or null for always
     */
    record Insert(LeaseRow row, @Nullable Long latestMillis) implements LeaseStatement {
    }

    /**
     * Changes a row:
     * {@code WHERE worker_id = ? AND token = seenToken AND hwm_tick <= hwmTick}, or it
     * does not happen.
     *
     * @param worker the row
     * @param seenToken the token that the row must still have
     * @param hwmAtMost the row's {@code hwm_tick} must not be above this
     * @param token the new token
     * @param fenceStep added to the fence: 1 for an acquire, otherwise 0
     * @param leaseUntil the new lease_until
     * @param hwmTick the new hwm_tick
     * @param owner the new owner
     * @param layout what the new owner promises, see {@code LeaseRow.promise}; null where
     * nobody promises anything
     * @param guard the further conditions of a database that may lose commits, or null
     */
    record Update(int worker, String seenToken, long hwmAtMost, String token, int fenceStep, long leaseUntil,
            long hwmTick, @Nullable String owner, @Nullable String layout,
            @Nullable Guard guard) implements LeaseStatement {

        /**
         * Makes an update after which nobody promises anything.
         * @param worker the row
         * @param seenToken the token that the row must still have
         * @param hwmAtMost the row's {@code hwm_tick} must not be above this
         * @param token the new token
         * @param fenceStep added to the fence: 1 for an acquire, otherwise 0
         * @param leaseUntil the new lease_until
         * @param hwmTick the new hwm_tick
         * @param owner the new owner
         * @param guard the further conditions of a database that may lose commits, or
         * null
         */
        public Update(int worker, String seenToken, long hwmAtMost, String token, int fenceStep, long leaseUntil,
                long hwmTick, @Nullable String owner, @Nullable Guard guard) {
            this(worker, seenToken, hwmAtMost, token, fenceStep, leaseUntil, hwmTick, owner, null, guard);
        }

    }

    /**
     * What is evaluated in the UPDATE itself, on the clock of the database.
     *
     * @param latestMillis the clock of the database must not be later than this
     * @param whileLeased whether the row's lease_until must not have passed
     */
    record Guard(long latestMillis, boolean whileLeased) {
    }

}
