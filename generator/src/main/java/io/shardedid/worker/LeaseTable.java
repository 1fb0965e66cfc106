package io.shardedid.worker;

import java.util.Optional;

import io.shardedid.WorkerLeaseException;

/**
 * The lease table as the keeper sees it. Used by one thread at a time.
 * <p>
 * The type is public for package {@code io.shardedid.worker.table} only and is no API.
 *
 * @since 0.1
 */
public interface LeaseTable extends AutoCloseable {

    /**
     * Makes the table if that is wanted.
     * @throws WorkerLeaseException if the table cannot be made or used; the message names
     * the script, the statement and the right that is missing
     */
    void ensure();

    /**
     * Returns whether {@link #ensure()} may succeed a little later although nobody
     * changes anything.
     * @param failure what it threw
     * @return false if trying again is pointless
     */
    boolean canPass(WorkerLeaseException failure);

    /**
     * Executes one statement in its own transaction, in bounded time.
     * @param statement the statement
     * @return the reply; never throws for what the database or the network does
     */
    LeaseReply execute(LeaseStatement statement);

    /**
     * Returns the table as the type that it is behind its wrappers.
     * @param <T> the type
     * @param type the type
     * @return the table, or empty if it is of another type
     */
    default <T> Optional<T> unwrap(Class<T> type) {
        return type.isInstance(this) ? Optional.of(type.cast(this)) : Optional.empty();
    }

    /** Closes the connection until the next statement opens another. Never throws. */
    void disconnect();

    /** Closes the connection for good. Never throws. */
    @Override
    void close();

}
