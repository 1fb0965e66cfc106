package io.shardedid;

import java.time.Instant;

/**
 * Who holds a worker id.
 *
 * @param worker the worker id
 * @param owner application, host and process; empty when the id is free
 * @param until when the id may be taken by another process, by the clock of the database;
 * {@link Instant#MAX} when it is not leased but configured
 * @param acquisitions how often the id changed hands
 * @param mine whether the engine that was asked holds it
 * @since 0.1
 */
public record WorkerHolding(int worker, String owner, Instant until, long acquisitions, boolean mine) {
}
