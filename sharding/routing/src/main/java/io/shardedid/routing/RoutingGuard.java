package io.shardedid.routing;

/**
 * What happens when a transaction touches a second shard. A second database is refused in
 * any case: no transaction can be in two.
 *
 * @since 0.1
 */
public enum RoutingGuard {

    /** The transaction goes on, and each call site is named once in the log. */
    LOG,

    /** The transaction is refused, also if both shards share a database. */
    SHARD,

    /** Only a second database is refused. */
    DATABASE,

    /** Nobody looks. With several databases a second one is still refused. */
    OFF

}
