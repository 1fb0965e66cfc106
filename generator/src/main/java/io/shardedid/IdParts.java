package io.shardedid;

import java.time.Instant;

/**
 * What a sharded id carries.
 *
 * @param instant the start of the tick in which the id was made, by the clock of the
 * engine that made it
 * @param shard the logical shard, 0 when the layout has no shard field
 * @param worker the worker id of the process that made the id, 0 when the layout has no
 * worker field
 * @param sequence the count within one shard, one process and one tick
 * @since 0.1
 */
public record IdParts(Instant instant, int shard, int worker, int sequence) {
}
