package io.shardedid.internal.lease.jdbc;

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

    /**
     * The driver's own timeouts come first: they say more than those of
     * {@link BoundedCalls}.
     */
    private static final Duration GRACE = Duration.ofMillis(250);

    /** How many connections are tried beside each other. */
    private static final int CONNECTIONS = 6;

    private static final int SLOWER_AT_START = 4;

    /**
     * For the first connection of a process: a driver is loaded, on a machine that starts
     * many things at once. Refused too early, they start again and again.
     */
    LeaseTimeouts ofStart() {
        return new LeaseTimeouts(this.connect.multipliedBy(SLOWER_AT_START), this.answer);
    }

    Duration connectLimit() {
        return this.connect.plus(GRACE);
    }

    /** When to try another connection beside the one that does not come. */
    Duration connectOverdue() {
        return this.connect.dividedBy(CONNECTIONS);
    }

    Duration answerLimit() {
        return this.answer.plus(GRACE);
    }

    int networkMillis() {
        return Math.toIntExact(this.answer.toMillis());
    }

    /**
     * Returns a second less than the network's, so that the server ends a slow statement
     * before the connection is given up. Otherwise it could wait there, and write later.
     */
    int querySeconds() {
        return (int) Math.max(1, this.answer.toSeconds() - 1);
    }

}
