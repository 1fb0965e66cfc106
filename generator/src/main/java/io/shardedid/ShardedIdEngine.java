package io.shardedid;

import java.util.List;

/**
 * What operators and integrations need of an engine beside its ids: what it was opened
 * with, who holds which worker id, and figures. {@link ShardedIdsBuilder#open()} returns
 * it. Applications inject {@link ShardedIds}.
 *
 * @since 0.1
 */
public interface ShardedIdEngine extends ShardedIds {

    /**
     * Returns the engines that are open in this JVM, for integrations that a framework
     * creates without access to the application. Several of them may work with the same
     * lease: they have the same {@link #leaseSource()}. The code that opened an engine
     * closes it, and may do so at any time.
     * @return the engines that were opened by a builder and are not closed, the oldest
     * first
     */
    static List<ShardedIdEngine> openInThisJvm() {
        return EngineRegistry.JVM.handles();
    }

    /**
     * Returns what this engine was opened with.
     * @return the terms
     */
    default EngineTerms terms() {
        return reader().terms();
    }

    /**
     * Returns the same ids for callers that must not block their thread, as on an event
     * loop. A call makes one attempt, whatever max-wait is: it never parks, and fails
     * where another call would wait. Such an exception is retryable, so that the caller
     * may repeat its work some milliseconds later. The lease thread alone talks to the
     * database.
     * @return a view, which is closed with this; its own {@code close} does nothing
     */
    ShardedIds withoutWaiting();

    /**
     * Returns who held which worker id when the lease table was read last. Never waits
     * for the database: a call lets the next renewal, some seconds later, read the table
     * again.
     * @return the processes by worker id
     * @throws ShardedIdException if this was closed
     */
    default List<WorkerHolding> workers() {
        return leaseSource().workers();
    }

    /**
     * Returns where this engine takes its leases from, for integrations that work beside
     * it. The engine alone starts, suspends and closes the source.
     * @return the source
     * @throws ShardedIdException if this was closed
     */
    LeaseSource leaseSource();

    /**
     * Returns figures of the engine, read when asked.
     * @return a snapshot
     * @throws ShardedIdException if this was closed
     */
    EngineStats stats();

    /**
     * Gives the worker id back for as long as this process stands still. It is called
     * before a checkpoint of the process's memory, because a restored copy must not hold
     * a lease that another copy holds too. Where several instances share an engine, it
     * happens when all of them are suspended; before that, a warning says that the engine
     * goes on. Until {@link #resume()} calls for ids wait and then fail, even if the
     * worker id could not be given back in time; a warning reports that. Calling it again
     * does nothing.
     */
    void suspend();

    /**
     * Acquires a worker id again after {@link #suspend()}. If the engine is open, the
     * call returns at once, and calls for ids wait for the worker id. Calling it again
     * does nothing.
     */
    void resume();

}
