package io.shardedid.benchmarks;

import java.util.EnumMap;
import java.util.Map;
import java.util.Random;

import io.shardedid.ShardedIdEngine;

/**
 * An engine of each kind, ready to make ids.
 */
final class Engines implements AutoCloseable {

    private final Random random = new Random(1);

    private final Map<EngineKind, ShardedIdEngine> engines = new EnumMap<>(EngineKind.class);

    Engines() {
        for (EngineKind kind : EngineKind.values()) {
            this.engines.put(kind, kind.open());
        }
        this.engines.values().forEach((ids) -> ids.next(0));
    }

    ShardedIdEngine of(EngineKind kind) {
        return this.engines.get(kind);
    }

    /** Makes ids of the standard layout, for rows to live beside. */
    long[] parentIds(int count) {
        ShardedIdEngine standard = of(EngineKind.STANDARD);
        return this.random.ints(count, 0, standard.shards()).mapToLong(standard::next).toArray();
    }

    @Override
    public void close() {
        this.engines.values().forEach(ShardedIdEngine::close);
    }

}
