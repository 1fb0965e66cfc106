package io.shardedid;

import java.util.UUID;

/**
 * Makes and reads UUIDs of version 7 that carry a shard; {@link UuidLayout} has their
 * bits. An application gets it from {@link ShardedIds#uuids()}.
 *
 * <p>
 * UUIDs of one shard from one process strictly increase in the order in which calls
 * return, also beyond 4,096 in one millisecond; so do the UUIDs of {@link #next()} over
 * all shards. They are made under the lease of the numbers, and no two are equal, as long
 * as the database keeps what it acknowledged. Thread-safe.
 *
 * @since 0.1
 */
public interface ShardedUuids {

    /**
     * Returns the next UUID of a shard.
     * @param shard 0 to shards - 1
     * @return the UUID
     * @throws ShardKeyException if there is no such shard
     * @throws ShardedIdConfigurationException if the layout has no room for UUIDs
     * @throws IdsAheadOfClockException if the shard ran ahead of the clock by max-ahead
     * and stayed so; safe to retry
     * @throws WorkerLeaseException if no lease is held; no UUID was made; safe to retry
     * @throws IdRangeExhaustedException if the layout has come to its end
     * @throws ShardedIdException if the engine was closed
     * @implNote one clock read and one compare-and-set when uncontended, nothing
     * allocated but the UUID; parks at most max-wait
     */
    UUID next(int shard);

    /**
     * Returns the next UUID of the shard of a key. A child of a row with a sharded id has
     * no key of its own: its id is {@code next(shardOf(parentId))}.
     * @param shardKey the shard key, as for {@link ShardedIds#shardOfKey}
     * @return the UUID
     * @throws ShardKeyException as in {@link ShardedIds#shardOfKey}
     */
    UUID nextFor(Object shardKey);

    /**
     * Returns the next UUID of a row that has no shard key. The generator chooses the
     * shard, and two such UUIDs in a row may carry different shards. Such UUIDs strictly
     * increase over all shards of a process.
     * @return the UUID
     * @throws ShardedIdException as in {@link #next(int)}
     */
    UUID next();

    /**
     * Returns the shard where the children of a row live: the shard that its UUID
     * carries.
     * @param id the UUID of a row
     * @return 0 to shards - 1
     * @throws ShardKeyException if the UUID is of another version than 7, is older than
     * the first lease of this fleet, or carries a shard outside of
     * {@link ShardedIds#shards()}
     */
    int shardOf(UUID id);

}
