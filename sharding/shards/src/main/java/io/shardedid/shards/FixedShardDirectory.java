package io.shardedid.shards;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A map that never changes.
 *
 * @param current the map
 */
record FixedShardDirectory(ShardMap current) implements ShardDirectory {

    @Override
    public Use use(int shard) {
        this.current.databaseOf(shard);
        return useAll();
    }

    /** Nobody waits for the end of a use, because nothing moves. */
    @Override
    public Use useAll() {
        return new FixedUse(this.current);
    }

    @Override
    public ShardMap refresh() {
        return this.current;
    }

    @Override
    public void onChange(Consumer<? super ShardMap> listener) {
        // there is nothing to tell
    }

    @Override
    public String problem() {
        return "";
    }

    @Override
    public List<ShardRouter> routers() {
        return List.of();
    }

    @Override
    public Map<Integer, String> settled() {
        return Map.of();
    }

    @Override
    public void close() {
        // there is nothing to close
    }

    /**
     * The use of a map that never changes.
     *
     * @param map the map
     */
    private record FixedUse(ShardMap map) implements Use {

        @Override
        public void close() {
            // nobody waits for it
        }

    }

}
