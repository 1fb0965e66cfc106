package io.shardedid.spring.boot;

import org.crac.Context;
import org.crac.Core;
import org.crac.Resource;

/**
 * Hears of a checkpoint from CRaC itself: one that comes before the context has started,
 * as with {@code -Dspring.context.checkpoint=onRefresh}, stops nothing. Loaded only where
 * the application has {@code org.crac}.
 */
final class EngineCheckpoint implements Resource {

    private final EngineLifecycle lifecycle;

    private EngineCheckpoint(EngineLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    /** Registers a resource; CRaC forgets it when nobody else refers to it. */
    static EngineCheckpoint registered(EngineLifecycle lifecycle) {
        EngineCheckpoint resource = new EngineCheckpoint(lifecycle);
        Core.getGlobalContext().register(resource);
        return resource;
    }

    @Override
    public void beforeCheckpoint(Context<? extends Resource> context) {
        this.lifecycle.beforeCheckpoint();
    }

    @Override
    public void afterRestore(Context<? extends Resource> context) {
        // the context starts what it has stopped or never started
    }

}
