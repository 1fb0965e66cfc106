package io.shardedid.routing;

import java.sql.SQLException;

import io.shardedid.shards.ShardFence;
import io.shardedid.shards.ShardMovedException;
import org.jspecify.annotations.Nullable;

/**
 * Tells a shard that is not where the map says from other failures.
 */
final class MovedShards {

    /** The subject of the message that the fence gives. */
    private static final String SUBJECT = "Could not enter shard";

    private MovedShards() {
    }

    /** Returns whether a shard has moved, or may have moved, or null. */
    static @Nullable ShardMovedException in(@Nullable Throwable failure) {
        SQLException refusal = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ShardMovedException moved) {
                return moved;
            }
            if (cause instanceof SQLException sql && ShardFence.MOVED.equals(sql.getSQLState())) {
                refusal = sql;
            }
        }
        return (refusal != null) ? new ShardMovedException(text(refusal), failure) : null;
    }

    /** The driver puts the severity before the message, and the place behind it. */
    private static String text(SQLException refusal) {
        String line = String.valueOf(refusal.getMessage()).lines().findFirst().orElse("");
        return line.substring(Math.max(line.indexOf(SUBJECT), 0));
    }

}
