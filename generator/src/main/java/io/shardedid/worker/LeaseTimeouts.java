package io.shardedid.worker;

import java.time.Duration;

/**
 * How long the keeper waits for its database. A statement takes at most the sum of both,
 * and half a second.
 *
 * @param connect for a connection, its login included
 * @param answer for the answer to one statement
 */
record LeaseTimeouts(Duration connect, Duration answer) {

    static final LeaseTimeouts DEFAULT = new LeaseTimeouts(Duration.ofSeconds(3), Duration.ofSeconds(3));

    /** The driver's own timeouts come first: they say more than the lane's. */
    private static final Duration GRACE = Duration.ofMillis(250);

    Duration connectLimit() {
        return this.connect.plus(GRACE);
    }

    Duration answerLimit() {
        return this.answer.plus(GRACE);
    }

    int networkMillis() {
        return Math.toIntExact(this.answer.toMillis());
    }

    /**
     * A second less than the network's, so that a slow statement is ended by the server
     * and the connection stays.
     */
    int querySeconds() {
        return (int) Math.max(1, this.answer.toSeconds() - 1);
    }

}
