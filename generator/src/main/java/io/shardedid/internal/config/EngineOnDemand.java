package io.shardedid.internal.config;

import java.util.function.Supplier;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;

/**
 * An engine that opens when a session factory needs it to make ids, and not before. An
 * integration hands it over under {@link ShardedIdSettings#ENGINE}.
 *
 * @param settings what it opens by
 * @param ids opens it, or returns the open one; called by many threads
 */
public record EngineOnDemand(ShardedIdSettings settings, Supplier<? extends ShardedIds> ids) {

    /**
     * Returns the engine.
     * @throws ShardedIdConfigurationException if something else stands in its place, such
     * as a mock
     */
    ShardedIdEngine open() {
        return (ShardedIdEngine) SettingType.ENGINE.read(ShardedIdSettings.ENGINE, this.ids.get());
    }

}
