package io.shardedid.internal.lease;

import java.util.Set;
import java.util.function.Supplier;

import io.shardedid.WorkerLeaseException;

/**
 * Where the rows of one namespace are kept: a table of a database, the nodes of a
 * ZooKeeper, the fields of a Redis. A store reads, inserts, compares and sets, and
 * reports its time. It knows nothing of leases: which row to take, how long to hold it
 * and what to do after a failure is the protocol's business, which is the same for every
 * store.
 *
 * <p>
 * What a store has to do:
 * <ul>
 * <li>The writes of one row are linearizable. {@link LeaseStatement.Update} compares and
 * sets in one step, and {@link LeaseStatement.Insert} never replaces a row.</li>
 * <li>A reply of {@link LeaseReply.Written} or {@link LeaseReply.DuplicateKey} is
 * certain. Whatever is not certain is {@link LeaseReply.Unknown}: a store never sends a
 * write a second time by itself, because the second one would meet what the first one
 * wrote, and the store would report that it did not happen. What a store says that it has
 * rolled back did not happen.</li>
 * <li>A read that follows a write sees it, also through another connection. An older
 * answer makes no ids equal, but a process that is given one believes that it has lost
 * its lease.</li>
 * <li>A row stays until it is deleted by hand. Nothing expires, and nothing goes away
 * when a process or its session ends.</li>
 * <li>The clock is that of the store, in milliseconds since 1970, and comes with each
 * read. It may be wrong and may step; ids are unique nevertheless.</li>
 * </ul>
 *
 * <p>
 * A store is used by one thread at a time, and each call ends in bounded time.
 */
public interface LeaseStore extends AutoCloseable {

    /**
     * Makes ready what the rows need, if that is wanted, and checks that the store can be
     * used.
     * @throws WorkerLeaseException if the store cannot be used; the message names what is
     * missing and what to do
     * @throws io.shardedid.ShardedIdConfigurationException if the configuration has to be
     * changed first
     */
    void ensure();

    /**
     * Returns whether {@link #ensure()} may succeed a little later without any change.
     * @return false if trying again is pointless
     */
    boolean isTransient(WorkerLeaseException failure);

    /**
     * Returns what the store promises. Called after {@link #ensure()} has returned, or
     * after a statement was answered.
     * @return the promise; {@link Durability#CONFIGURED} unless a store says otherwise
     */
    default Durability durability() {
        return Durability.CONFIGURED;
    }

    /**
     * Returns whether no other process can reach the store. Called after
     * {@link #ensure()} has returned.
     * @return true for a database in the memory of this process; false where that is not
     * certain
     */
    default boolean reachedByThisProcessAlone() {
        return false;
    }

    /**
     * Describes the store in logs and messages.
     * @return a text without credentials
     */
    default String describe() {
        return getClass().getSimpleName();
    }

    /**
     * Executes one statement, which is applied as a whole or not at all.
     * @return the reply; never throws for what the store or the network does
     */
    LeaseReply execute(LeaseStatement statement);

    /**
     * Checks that the application finds a row where the keeper has written it, if this
     * store knows how the application connects. Called after the first lease, by any
     * thread and beside other calls; ends in bounded time.
     * @param worker whose row was written
     * @param tokens what the row may show by now
     * @return false if that could not be found out now, and should be tried again
     * @throws io.shardedid.ShardedIdConfigurationException if the application reads
     * another row, or none
     */
    default boolean checkSeen(int worker, Supplier<Set<String>> tokens) {
        return true;
    }

    /**
     * Returns whether a statement waits for a connection that callers hold, who must give
     * it back first. Called by any thread.
     * @return false for a store that needs nothing of the callers
     */
    default boolean waitsForCallers() {
        return false;
    }

    /**
     * May close the connection, which the next statement then replaces by another. Never
     * throws.
     */
    void disconnect();

    /** Closes the connection for good. Never throws. */
    @Override
    void close();

}
