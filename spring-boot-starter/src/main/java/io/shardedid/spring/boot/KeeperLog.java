package io.shardedid.spring.boot;

import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Logger;

import io.shardedid.WorkerLeaseListener;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Keeps the last lines of the keeper in the application's log. The generator logs by
 * {@link System.Logger}, which writes to {@code java.util.logging}, and Spring Boot's
 * logging system removes its bridge from there before the beans are destroyed. The lease
 * is given back later than that, so this bean attaches the bridge to the logger of the
 * generator until the engine is closed.
 *
 * <p>
 * As a listener of the lease it is made before the engine, and so it is destroyed after
 * it.
 */
final class KeeperLog implements WorkerLeaseListener, SmartLifecycle, DisposableBean {

    /** Held here: {@code java.util.logging} refers to its loggers weakly. */
    private final Logger logger = Logger.getLogger("io.shardedid");

    private final Logger root = Logger.getLogger("");

    private List<Handler> handlers = List.of();

    private List<Handler> attached = List.of();

    private boolean running;

    @Override
    public synchronized void start() {
        detach();
        this.handlers = List.of(this.root.getHandlers());
        this.running = true;
    }

    /**
     * Attaches what was removed since the start, so that no line comes twice.
     */
    @Override
    public synchronized void stop() {
        this.running = false;
        List<Handler> present = List.of(this.root.getHandlers());
        this.attached = this.handlers.stream().filter((handler) -> !present.contains(handler)).toList();
        this.attached.forEach(this.logger::addHandler);
    }

    @Override
    public synchronized boolean isRunning() {
        return this.running;
    }

    /** Last to stop: after the logging system of Spring Boot. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }

    @Override
    public synchronized void destroy() {
        detach();
    }

    private void detach() {
        this.attached.forEach(this.logger::removeHandler);
        this.attached = List.of();
    }

}
