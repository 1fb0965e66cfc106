package io.shardedid.hibernate;

import org.jspecify.annotations.Nullable;

/**
 * What is known of the rows of an entity that has a shard key.
 *
 * @param key reads the shard key
 * @param id the form of the identifier, null if that is not the attribute that carries
 * the shard
 */
record KeyedRow(ShardKeyReader key, @Nullable IdForm id) {

}
