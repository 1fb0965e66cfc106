package io.shardedid.internal.lease;

import org.jspecify.annotations.Nullable;

/**
 * One side of a conversation with the store of the leases, without the store, a thread or
 * a clock: so the very classes that run in production run in a simulation, where each
 * statement may be lost, late or answered twice as slowly. Used by one thread at a time.
 */
interface LeaseDialogue {

    /**
     * Returns what to send now.
     * @param now the monotonic time
     * @return the statement, or null until {@link #dueNanos()}
     */
    @Nullable LeaseStatement next(long now);

    /**
     * Hears that the statement is sent now. If the next call is not {@link #reply}, an
     * error came in place of the reply, and nobody knows what became of the statement.
     */
    default void sending() {
    }

    /**
     * Takes the reply to the statement that {@link #next} returned last.
     * @param reply the reply
     * @param sentNanos the monotonic time before the statement was sent
     * @param receivedNanos the monotonic time after the reply had come
     */
    void reply(LeaseReply reply, long sentNanos, long receivedNanos);

    /**
     * Returns when there will be something to send.
     * @return a monotonic time
     */
    long dueNanos();

    /**
     * Returns whether the conversation is over.
     * @return true when nothing will ever be sent again
     */
    boolean ended();

}
