package io.shardedid.routing;

/**
 * What happens when a transaction touches a second shard. A transaction that touches a
 * second database fails in any case, because no transaction can be in two.
 *
 * @since 0.1
 */
public enum RoutingGuard {

    /** The transaction goes on, and each call site is named once in the log. */
    LOG,

    /** The transaction fails, even if both shards are in one database. */
    SHARD,

    /** The transaction fails only if the second shard is in another database. */
    DATABASE,

    /**
     * Nothing is checked. A transaction that touches a second database fails all the
     * same.
     */
    OFF

}
