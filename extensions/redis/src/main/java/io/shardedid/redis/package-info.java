/**
 * Worker leases in Redis.
 */
@NullMarked
package io.shardedid.redis;

import org.jspecify.annotations.NullMarked;
