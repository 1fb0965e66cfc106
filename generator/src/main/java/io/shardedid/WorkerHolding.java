package io.shardedid;

import java.time.Instant;

/**
 * Who holds a worker id, or held it last.
 *
 * @param worker the worker id
 * @param state whether it is held now
 * @param owner application, host and process that had it last, without control
 * characters; empty if it gave the id back, or there was none
 * @param until when the id may be taken by another process, by the clock of the database;
 * {@link Instant#MAX} when it is not leased but configured
 * @param acquisitions how often the id changed hands
 * @param mine whether the engine that was asked holds it
 * @since 0.1
 */
public record WorkerHolding(int worker, State state, String owner, Instant until, long acquisitions, boolean mine) {

    /** Whether a worker id is held. */
    public enum State {

        /** Its lease lasts, or it is configured. */
        HELD,

        /** Its process neither renewed the lease nor gave it back: it may have died. */
        EXPIRED,

        /** It was given back. */
        FREE

    }

}
