/**
 * Which database holds which logical shard: the map, the directory that keeps it up to
 * date, and the exceptions of routing. The package sees neither JDBC nor Hibernate.
 */
@NullMarked
package io.shardedid.shards;

import org.jspecify.annotations.NullMarked;
