package io.shardedid;

import java.time.Duration;
import java.util.List;

import io.shardedid.internal.ConnectedLeases;

/**
 * Where an engine takes its leases from. Applications get one from
 * {@code io.shardedid.WorkerLeases} or from a store's class such as
 * {@code io.shardedid.JdbcWorkerLeases}, and may implement one.
 *
 * <p>
 * Thread guarantee: {@link #renewSoon()}, {@link #refusal()}, {@link #workers()},
 * {@link #sharesLeasesWith}, {@link #join} and {@link #leave} are called by many threads
 * at once; the others once each.
 *
 * @since 0.1
 */
public interface LeaseSource extends AutoCloseable {

    /**
     * Connects to the place of the leases. Where they are kept in a database, this may
     * make the table, and wait for the database as long as a start may wait. It leases
     * nothing yet.
     * @param terms the terms of the engine
     * @return what was found, which {@linkplain ConnectedLeases#start starts} to lease
     * @throws ShardedIdException if the source cannot be used
     */
    ConnectedLeases connect(EngineTerms terms);

    /**
     * Returns how long {@link ConnectedLeases#start} may take.
     * @return the bound for other callers that wait for the same engine
     */
    default Duration startTimeout() {
        return Duration.ofMinutes(2);
    }

    /**
     * Notifies the source that callers wait for a longer or newer lease. Must return at
     * once.
     * @throws ShardedIdException if there will never be a lease, so that waiting is
     * pointless
     */
    void renewSoon();

    /**
     * Makes the exception that says why there is no usable lease, for a caller that has
     * waited long enough.
     * @return the exception to throw
     */
    ShardedIdException refusal();

    /**
     * Returns who held which worker id when the table was read last. Never waits for the
     * database; a call lets the next renewal read the table again.
     * @return the processes by worker id; only this process for a source without a table
     * @throws ShardedIdException if the source was not started, or was closed
     */
    List<WorkerHolding> workers();

    /**
     * Returns whether every later source of the same name begins above all ids that were
     * made with this one, without a word of this JVM.
     * @return true for leases, whose store keeps the end of each
     */
    default boolean keepsItsEnd() {
        return false;
    }

    /**
     * Returns whether another source of the same name would take its leases from the very
     * same place. The name alone does not show that: a copy of a database has the name of
     * its original. May read and write the database, and then takes as long as a renewal
     * does; a source that stands still, or waits for the first id, begins to lease.
     * @param other a source of the same name that was never started
     * @return true if this source may feed the engine of the other one as well
     * @throws ShardedIdException if this could not be found out in time; nothing has
     * changed
     */
    default boolean sharesLeasesWith(LeaseSource other) {
        return true;
    }

    /**
     * Lets the listeners of another source hear what happens to the lease of this one.
     * The other source was not needed, because this one feeds the engine already. If a
     * lease is held, the listeners hear of it on the caller's thread.
     * @param other a source of the same name that was never started
     */
    default void join(LeaseSource other) {
    }

    /**
     * Ends what {@link #join} began.
     * @param other a source that joined
     */
    default void leave(LeaseSource other) {
    }

    /**
     * Gives the lease back for as long as the process stands still: before a checkpoint
     * of its memory, which must not hold a lease that a restored copy would hold too. The
     * engine has ended its lease before, and takes none until it calls {@link #resume()}.
     * Returns when that is done, or after a bounded time, and then says in the log what
     * is still held. Never throws.
     */
    default void suspend() {
    }

    /**
     * Begins to lease again after {@link #suspend()}. Whatever was held before belongs to
     * every copy of the process, so it is never held again.
     */
    default void resume() {
    }

    /**
     * Gives the lease back. Never throws: what cannot be given back expires by itself.
     */
    @Override
    void close();

}
