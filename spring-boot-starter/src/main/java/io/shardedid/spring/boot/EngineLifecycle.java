package io.shardedid.spring.boot;

import io.shardedid.ShardedIds;
import io.shardedid.hibernate.ShardedIdSettings;

import org.springframework.context.ApplicationListener;
import org.springframework.context.ApplicationStartupAware;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.metrics.ApplicationStartup;

/**
 * Ends no start without a worker. Gives it back before a checkpoint of the process and
 * acquires one after it is restored: every copy that is restored would hold the same
 * lease. When the context closes it stays out of the way, since beans may still save rows
 * while they are destroyed; then the engine's own close gives the worker back.
 */
final class EngineLifecycle
        implements SmartLifecycle, ApplicationStartupAware, ApplicationListener<ContextClosedEvent> {

    private final ShardedIds ids;

    private final EngineStart start;

    private ApplicationStartup startup = ApplicationStartup.DEFAULT;

    private volatile boolean running;

    private volatile boolean closing;

    EngineLifecycle(ShardedIds ids, ShardedIdSettings settings) {
        this.ids = ids;
        this.start = new EngineStart(ids, settings);
    }

    @Override
    public void setApplicationStartup(ApplicationStartup startup) {
        this.startup = startup;
    }

    /** Waits until the engine is open; again, does nothing. */
    void awaitOpen() {
        this.start.await(this.startup);
    }

    @Override
    public void start() {
        awaitOpen();
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

    @Override
    public boolean isRunning() {
        return this.running;
    }

    /** First to start and last to stop: others make ids while they do. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }

    /** A test context that waits in the cache keeps its lease: others share it. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        this.closing = true;
    }

}
