package io.shardedid.routing;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The threads that ask databases side by side. Together with the thread of one caller
 * they are as many as may be asked at the same time. Where all of them are busy, a caller
 * asks by itself.
 */
final class SideBySide implements Executor, AutoCloseable {

    private static final long KEEP_ALIVE_SECONDS = 30;

    /** Null if databases are asked one after the other. */
    private final @Nullable ThreadPoolExecutor threads;

    private final @Nullable TaskDecorator decorator;

    /**
     * Makes the threads.
     * @param parallelism how many databases are asked at the same time, 1 or more
     * @param decorator takes over what belongs to the thread of the caller
     */
    SideBySide(int parallelism, @Nullable TaskDecorator decorator) {
        this.threads = (parallelism > 1) ? new ThreadPoolExecutor(0, parallelism - 1, KEEP_ALIVE_SECONDS,
                TimeUnit.SECONDS, new SynchronousQueue<>(), new CustomizableThreadFactory("shardedid-databases-"),
                (task, threads) -> task.run()) : null;
        this.decorator = decorator;
    }

    @Override
    public void execute(Runnable task) {
        if (this.threads == null) {
            task.run();
        }
        else {
            this.threads.execute((this.decorator != null) ? this.decorator.decorate(task) : task);
        }
    }

    @Override
    public void close() {
        if (this.threads != null) {
            this.threads.shutdown();
        }
    }

}
