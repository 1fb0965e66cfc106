package io.shardedid.internal.config;

/**
 * What happens when an update takes the shard key of a row to another shard. The id of
 * the row names the old one in either case: ids never change.
 */
public enum KeyChange {

    /** The update is made; the row stays where its id says. */
    ALLOW,

    /** The update fails with {@link io.shardedid.ShardKeyException}. */
    FAIL

}
