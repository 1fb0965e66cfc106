/**
 * Moves logical shards from one PostgreSQL database to another while applications write
 * to them, by logical replication and the fence of
 * {@link io.shardedid.shards.ShardFence}.
 */
@NullMarked
package io.shardedid.move;

import org.jspecify.annotations.NullMarked;
