package io.shardedid.routing;

import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The threads that ask databases side by side. Together with the thread of its caller,
 * each call has as many as databases may be asked at the same time. Where the process has
 * no more threads for it, a call gets by with fewer.
 */
final class SideBySide implements Consumer<Collection<? extends Runnable>>, AutoCloseable {

    /** The calls of a process have no more threads than that. */
    static final int MOST_THREADS = 64;

    private static final long KEEP_ALIVE_SECONDS = 30;

    private final int parallelism;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(0, MOST_THREADS, KEEP_ALIVE_SECONDS,
            TimeUnit.SECONDS, new SynchronousQueue<>(), new CustomizableThreadFactory("shardedid-databases-"),
            new ThreadPoolExecutor.DiscardPolicy());

    private final @Nullable TaskDecorator decorator;

    /**
     * Makes the threads.
     * @param parallelism how many databases a call asks at the same time, 1 or more
     * @param decorator takes over what belongs to the thread of the caller
     */
    SideBySide(int parallelism, @Nullable TaskDecorator decorator) {
        this.parallelism = parallelism;
        this.decorator = decorator;
    }

    /** Runs tasks, and returns when all of them have begun. */
    @Override
    public void accept(Collection<? extends Runnable> tasks) {
        Queue<Runnable> left = new ConcurrentLinkedQueue<>(tasks);
        Runnable work = () -> {
            for (Runnable next = left.poll(); next != null; next = left.poll()) {
                next.run();
            }
        };
        for (int i = 1; i < Math.min(this.parallelism, tasks.size()); i++) {
            this.threads.execute((this.decorator != null) ? this.decorator.decorate(work) : work);
        }
        work.run();
    }

    @Override
    public void close() {
        this.threads.shutdown();
    }

}
