package io.shardedid.internal.lease;

/**
 * A lease as it was asked for. It counts from the moment its commit is known.
 *
 * @param worker the worker id
 * @param token the token that was sent
 * @param acquisitions how often the row was acquired, with this time
 * @param lo the first tick
 * @param hi the end of the interval
 * @param untilMillis the lease_until that was sent
 * @param sentNanos the monotonic time before the first request of the round was sent
 * @param layoutToken the token of the layout row by which it was asked for
 */
record RequestedLease(int worker, String token, long acquisitions, long lo, long hi, long untilMillis, long sentNanos,
        String layoutToken) {
}
