package io.shardedid.move;

import java.time.Duration;

import io.shardedid.internal.MessageText;
import io.shardedid.shards.JdbcShardDirectory;

/**
 * How long a mover waits for what.
 *
 * @param pause how long writers of one shard may be refused while it is copied; a move
 * that takes longer is taken back
 * @param patience how long to wait for open transactions of a shard before its source
 * closes
 * @param after how long after a move its old rows stay; a mover refuses less than
 * {@link JdbcShardDirectory#ROUTER_LIMIT}, for which a router may go by an older map
 * @since 0.1
 */
public record MoveLimits(Duration pause, Duration patience, Duration after) {

    /** The limits unless others are given: one minute, one minute, one day. */
    public static final MoveLimits DEFAULTS = new MoveLimits(Duration.ofMinutes(1), Duration.ofMinutes(1),
            Duration.ofDays(1));

    /**
     * Checks the limits.
     * @param pause how long writers of one shard may be refused, 1 second to 1 hour
     * @param patience how long to wait for open transactions, up to 1 hour
     * @param after how long old rows stay, up to 10 years
     * @throws MoveException if one is out of range
     */
    public MoveLimits {
        check("pause-limit", pause, Duration.ofSeconds(1), Duration.ofHours(1));
        check("patience", patience, Duration.ZERO, Duration.ofHours(1));
        check("after", after, Duration.ZERO, Duration.ofDays(3650));
    }

    private static void check(String name, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw MoveException.refused("%s must be in [%s, %s]: %1$s=%4$s; correct it".formatted(name,
                    MessageText.duration(least), MessageText.duration(most), MessageText.duration(value)));
        }
    }

    /** Refuses to delete rows that a router may still read. */
    void requireRouters(Duration routers) {
        check("after", this.after, routers, Duration.ofDays(3650));
    }

}
