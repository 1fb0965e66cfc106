package io.shardedid.spring.boot;

import io.shardedid.ShardedIdEngine;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Gives the worker back before a checkpoint of the process and acquires one after it is
 * restored: every copy that is restored would hold the same lease. When the context
 * closes it stays out of the way, since beans may still save rows while they are
 * destroyed; then the engine's own close gives the worker back. A checkpoint that comes
 * before the context has started stops nothing, so CRaC says so itself; {@link #start()}
 * follows it.
 */
final class EngineLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

    private final ShardedIdEngine ids;

    private volatile boolean running;

    private volatile boolean closing;

    /** Referred to by nobody else. */
    private @Nullable Object kept;

    EngineLifecycle(ShardedIdEngine ids) {
        this.ids = ids;
    }

    @Override
    public void start() {
        this.running = true;
        this.ids.resume();
    }

    @Override
    public void stop() {
        this.running = false;
        if (!this.closing) {
            this.ids.suspend();
        }
    }

    void keep(Object needed) {
        this.kept = needed;
    }

    /** Where the context has started, it stops before the checkpoint in its order. */
    void beforeCheckpoint() {
        if (!this.running) {
            this.ids.suspend();
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
