package io.shardedid.routing;

import java.sql.SQLException;

import io.shardedid.ShardedIdException;
import io.shardedid.shards.CrossShardException;
import io.shardedid.shards.ShardFence;
import io.shardedid.shards.ShardMovedException;
import io.shardedid.shards.ShardUnknownException;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes what the router and the fence refuse from other failures, whatever they
 * are wrapped in.
 */
final class Refusals {

    /** The subject of the message that the fence gives. */
    private static final String SUBJECT = "Could not enter shard";

    private Refusals() {
    }

    /** Returns what the router has refused, or null. */
    static @Nullable ShardedIdException in(@Nullable Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ShardMovedException || cause instanceof CrossShardException
                    || cause instanceof ShardUnknownException) {
                return (ShardedIdException) cause;
            }
        }
        return null;
    }

    /** Returns what a fence has refused, or null. */
    static @Nullable ShardMovedException byFence(@Nullable Throwable failure) {
        SQLException refusal = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
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
