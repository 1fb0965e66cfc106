package io.shardedid.spring.boot;

import io.shardedid.ShardedIds;

/**
 * A bean of an application that makes ids.
 *
 * @param ids the engine, which opens with this bean
 */
record AsksForIds(ShardedIds ids) {
}
