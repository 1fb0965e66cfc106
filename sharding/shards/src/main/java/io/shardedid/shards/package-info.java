/**
 * Which database holds which logical shard: the map and its tables, the directory that
 * keeps it up to date, the fence, and the exceptions of routing.
 */
@NullMarked
package io.shardedid.shards;

import org.jspecify.annotations.NullMarked;
