package io.shardedid.spring.actuate;

import java.time.Duration;
import java.util.function.ToDoubleFunction;

import io.shardedid.ShardedIdException;
import io.shardedid.EngineStats;
import io.shardedid.ShardedIdEngine;

/**
 * The figures of an engine as meters read them: also while the context closes, when the
 * last ones stand. Thread-safe.
 */
final class EngineMonitor {

    private final ShardedIdEngine ids;

    private volatile EngineStats last;

    EngineMonitor(ShardedIdEngine ids) {
        this.ids = ids;
        this.last = ids.stats();
    }

    double read(ToDoubleFunction<EngineStats> figure) {
        return figure.applyAsDouble(stats());
    }

    EngineStats stats() {
        try {
            EngineStats now = this.ids.stats();
            this.last = now;
            return now;
        }
        catch (ShardedIdException ex) {
            return this.last;
        }
    }

    static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

}
