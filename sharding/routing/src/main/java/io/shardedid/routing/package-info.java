/**
 * The way from an id to the database of its shard: the linter, which names transactions
 * that touch two shards, and the router over several databases.
 */
@NullMarked
package io.shardedid.routing;

import org.jspecify.annotations.NullMarked;
