package io.shardedid.benchmarks;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIds;
import io.shardedid.worker.WorkerLeases;

/**
 * An engine for each layout that some kind of row needs, ready to make ids.
 */
final class LayoutEngines implements AutoCloseable {

    private final Random random = new Random(1);

    private final Map<IdLayout, ShardedIds> engines = new LinkedHashMap<>();

    LayoutEngines() {
        for (RowKind kind : RowKind.values()) {
            this.engines.computeIfAbsent(kind.layout(), this::open);
        }
        this.engines.values().forEach((ids) -> ids.next(0));
    }

    private ShardedIds open(IdLayout layout) {
        return ShardedIds.builder()
            .layout(layout)
            .maxWait(Duration.ofSeconds(30))
            .workers(WorkerLeases.fixed(this.engines.size()))
            .open();
    }

    Set<IdLayout> layouts() {
        return this.engines.keySet();
    }

    ShardedIds of(IdLayout layout) {
        return this.engines.get(layout);
    }

    /** Makes ids of the standard layout, for rows to live beside. */
    long[] parentIds(int count) {
        ShardedIds standard = of(IdLayout.instagram());
        return this.random.ints(count, 0, standard.shards()).mapToLong(standard::next).toArray();
    }

    @Override
    public void close() {
        this.engines.values().forEach(ShardedIds::close);
    }

}
