/**
 * SQL over all databases with Apache ShardingSphere: the sharding algorithm that goes by
 * the shard in an id and by the project's shard map.
 */
@NullMarked
package io.shardedid.shardingsphere;

import org.jspecify.annotations.NullMarked;
