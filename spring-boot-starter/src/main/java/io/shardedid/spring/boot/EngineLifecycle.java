package io.shardedid.spring.boot;

import java.time.Duration;

import io.shardedid.ShardedIdEngine;
import io.shardedid.TimeSource;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Gives the worker back when the context stops and acquires one when it starts again.
 * When the context closes it stays out of the way, since beans may still save rows while
 * they are destroyed; then the engine's own close gives the worker back.
 */
final class EngineLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent>, DisposableBean {

    /** How long whoever asks after a failure hears of it, in place of another attempt. */
    private static final long REMEMBERED_NANOS = Duration.ofSeconds(10).toNanos();

    /** The engine, once it is open. */
    private volatile @Nullable ShardedIdEngine ids;

    private volatile boolean running;

    /**
     * Whether the context stands still, which an engine that opens meanwhile does, too.
     */
    private volatile boolean stopped;

    private volatile boolean closing;

    private volatile boolean destroyed;

    /** What the latest attempt to open an engine has failed with, and when. */
    private @Nullable RuntimeException failure;

    private long failureNanos;

    /** Comes before an attempt to open an engine. Called by one thread at a time. */
    void refuseAfterFailure() {
        RuntimeException before = this.failure;
        if (before != null && TimeSource.system().nanoTime() - this.failureNanos < REMEMBERED_NANOS) {
            throw before;
        }
    }

    /** An attempt to open an engine has failed. */
    void failed(RuntimeException ex) {
        if (ex != this.failure) {
            this.failure = ex;
            this.failureNanos = TimeSource.system().nanoTime();
        }
    }

    /** An engine is open. */
    ShardedIdEngine opened(ShardedIdEngine engine) {
        this.ids = engine;
        if (this.destroyed) {
            engine.close();
            throw new IllegalStateException("Could not open an id engine: its context is closed");
        }
        if (this.stopped && !this.closing) {
            engine.suspend();
        }
        return engine;
    }

    @Override
    public void start() {
        this.running = true;
        this.stopped = false;
        ShardedIdEngine open = this.ids;
        if (open != null) {
            open.resume();
        }
    }

    @Override
    public void stop() {
        this.stopped = true;
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

    /** Comes after the end of an engine that was open then, which needs this bean. */
    @Override
    public void destroy() {
        this.destroyed = true;
    }

}
