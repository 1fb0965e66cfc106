package io.shardedid.shards;

import java.time.Instant;

/**
 * A process that routes by the shard map, as its row in the table says.
 *
 * @param process the application, its host and its process
 * @param versionSeen the version of the map by which the process routes; 0 or more
 * @param seenAt when the process said so, on the clock of the map's database
 * @param leaseUntil until when the process may route by that map without saying so again,
 * on the same clock; the process has stopped if that time has passed
 * @since 0.1
 */
public record ShardRouter(String process, long versionSeen, Instant seenAt, Instant leaseUntil) {
}
