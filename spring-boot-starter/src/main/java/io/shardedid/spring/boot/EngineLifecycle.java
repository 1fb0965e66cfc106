package io.shardedid.spring.boot;

import io.shardedid.ShardedIdEngine;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Gives the worker back when the context stops and acquires one when it starts again.
 * When the context closes it stays out of the way, since beans may still save rows while
 * they are destroyed; then the engine's own close gives the worker back.
 */
final class EngineLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

    /** The engine, once it is open. */
    private volatile @Nullable ShardedIdEngine ids;

    private volatile boolean running;

    private volatile boolean closing;

    void opened(ShardedIdEngine engine) {
        this.ids = engine;
    }

    @Override
    public void start() {
        this.running = true;
        ShardedIdEngine open = this.ids;
        if (open != null) {
            open.resume();
        }
    }

    @Override
    public void stop() {
        this.running = false;
        ShardedIdEngine open = this.ids;
        if (!this.closing && open != null) {
            open.suspend();
        }
    }

    @Override
    public boolean isRunning() {
        return this.running;
    }

    /** First to start and last to stop: others make ids while they do. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }

    /**
     * A test context that waits in the cache keeps its lease: others share it. Spring 6
     * has no such method, and never asks.
     */
    public boolean isPauseable() {
        return false;
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        this.closing = true;
    }

}
