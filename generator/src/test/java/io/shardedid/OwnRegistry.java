package io.shardedid;

/**
 * Builders whose engines are not shared with the rest of the JVM, so that tests do not
 * hear of each other's workers.
 */
public final class OwnRegistry {

    private final EngineRegistry registry = new EngineRegistry();

    public ShardedIdsBuilder builder() {
        return ShardedIds.builder().registry(this.registry);
    }

}
