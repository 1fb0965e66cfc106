package io.shardedid;

import java.time.Instant;

/**
 * A lease as logs and endpoints show it. Immutable.
 *
 * @param worker the worker id
 * @param owner application, host and process
 * @param acquisitions how often the worker id was acquired by any process
 * @param until when another process may take the worker id, by the clock of the database
 * @param from the first instant that ids may carry
 * @param to the first instant that ids may not carry
 * @since 0.1
 */
public record WorkerLease(int worker, String owner, long acquisitions, Instant until, Instant from, Instant to) {
}
