package io.shardedid.move;

import java.time.Duration;

import io.shardedid.MessageText;

/**
 * How long a mover waits for what.
 *
 * @param statement how long a statement may take that neither copies nor compares rows,
 * and how long a mover that is silent keeps its locks
 * @param lock how long writers may be held up by one attempt to fence the shards while an
 * open transaction keeps them; the attempts grow to eight times that, and to half of the
 * pause at most
 * @param pause how long writers may wait in all, from the request for the lock that
 * closes the source to the new map
 * @param patience how long the mover waits for open transactions, for a slot, and for
 * another mover to end
 * @param copy how long the copy may take
 * @param routers how long the mover waits for routers to use the new map, and for
 * transactions of the older map to end
 * @since 0.1
 */
public record MoveLimits(Duration statement, Duration lock, Duration pause, Duration patience, Duration copy,
        Duration routers) {

    /**
     * Checks the limits.
     * @param statement for a statement
     * @param lock for one attempt to fence
     * @param pause for writers
     * @param patience for open transactions
     * @param copy for the copy
     * @param routers for routers
     * @throws MoveException if one of them is not at least a millisecond
     */
    public MoveLimits {
        for (Duration each : new Duration[] { statement, lock, pause, patience, copy, routers }) {
            if (each.toMillis() < 1) {
                throw MoveException.refused("Limit of a move must be >= 1 ms: limit=%s; give a longer one"
                    .formatted(MessageText.duration(each)));
            }
        }
    }

    /**
     * Returns the default limits.
     * @return 30 s for a statement, 500 ms for a lock, 5 s for the pause, 5 minutes of
     * patience, 6 hours for the copy, and 20 minutes for routers
     */
    public static MoveLimits defaults() {
        return new MoveLimits(Duration.ofSeconds(30), Duration.ofMillis(500), Duration.ofSeconds(5),
                Duration.ofMinutes(5), Duration.ofHours(6), Duration.ofMinutes(20));
    }

    /**
     * Returns the same limits with another one for the pause.
     * @param other how long writers may wait in all
     * @return limits
     */
    public MoveLimits withPause(Duration other) {
        return new MoveLimits(this.statement, this.lock, other, this.patience, this.copy, this.routers);
    }

    /**
     * Returns the same limits with another patience.
     * @param other how long the mover waits for open transactions, a slot, or another
     * mover
     * @return limits
     */
    public MoveLimits withPatience(Duration other) {
        return new MoveLimits(this.statement, this.lock, this.pause, other, this.copy, this.routers);
    }

}
