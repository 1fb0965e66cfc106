package io.shardedid.shards;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/**
 * How many uses of each shard have begun by one version of the map and go on. Counted by
 * shard, because a move has to wait only for those who use the shard that moves. Safe for
 * use by many threads.
 */
final class MapUses {

    private final ShardMap map;

    /** One count for each shard, and behind them that of the uses of all databases. */
    private final AtomicIntegerArray counts;

    private volatile boolean older;

    MapUses(ShardMap map) {
        this.map = map;
        this.counts = new AtomicIntegerArray(map.shards() + 1);
    }

    ShardMap map() {
        return this.map;
    }

    /** The place of the uses of all databases. */
    int all() {
        return this.map.shards();
    }

    void begin(int place) {
        this.counts.getAndIncrement(place);
    }

    /** Returns whether this was the last use of its place by a map that was replaced. */
    boolean end(int place) {
        return this.counts.decrementAndGet(place) == 0 && this.older;
    }

    /** Another map is in use from now on. */
    void replaced() {
        this.older = true;
    }

    boolean isFree() {
        return IntStream.range(0, this.counts.length()).allMatch((place) -> this.counts.get(place) == 0);
    }

    /** Returns whether no database is in use that a newer map does not name any more. */
    boolean permits(ShardMap newer) {
        return held(newer).isEmpty();
    }

    /** Returns the shards that are in another database by a newer map and are used. */
    List<Integer> held(ShardMap newer) {
        boolean each = this.counts.get(all()) != 0;
        return IntStream.range(0, all())
            .filter((shard) -> (each || this.counts.get(shard) != 0)
                    && !this.map.databaseOf(shard).equals(newer.databaseOf(shard)))
            .boxed()
            .toList();
    }

}
