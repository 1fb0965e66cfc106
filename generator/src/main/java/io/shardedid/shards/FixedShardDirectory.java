package io.shardedid.shards;

import java.util.List;
import java.util.function.Consumer;

/**
 * A map that never changes.
 *
 * @param current the map
 */
record FixedShardDirectory(ShardMap current) implements ShardDirectory {

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
    public void close() {
        // there is nothing to close
    }

}
