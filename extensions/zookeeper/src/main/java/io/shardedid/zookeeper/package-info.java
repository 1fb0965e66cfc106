/**
 * Worker leases in Apache ZooKeeper.
 */
@NullMarked
package io.shardedid.zookeeper;

import org.jspecify.annotations.NullMarked;
