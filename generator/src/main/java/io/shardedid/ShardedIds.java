package io.shardedid;

import java.time.Clock;
import java.util.List;

/**
 * Makes and reads sharded ids. An application injects it when it wants an id before it
 * persists, or wants to know the shard of a key. {@link #builder()} opens one, and a test
 * may implement this interface by a class of its own.
 *
 * <p>
 * Ids of one shard from one process strictly increase in the order in which calls return;
 * so do the ids of {@link #next()} over all shards. Across processes ids sort by time
 * within the error of the clocks. Thread-safe.
 *
 * <p>
 * Two instances of one JVM with the same worker id share one engine. The code that opened
 * an instance closes it, and the last one that closes gives the worker id back.
 *
 * @since 0.1
 */
public interface ShardedIds extends AutoCloseable {

    /**
     * Returns a builder with the defaults of the configuration keys. It needs neither
     * Hibernate nor Spring.
     * @return a new builder
     */
    static ShardedIdsBuilder builder() {
        return new ShardedIdsBuilder();
    }

    /**
     * Returns the next id of a shard. Ids of one shard strictly increase in the order
     * calls return.
     * @param shard 0 to shards - 1
     * @return the id
     * @throws ShardKeyException if there is no such shard
     * @throws IdsAheadOfClockException if the shard had used up its sequence for longer
     * than max-wait; safe to retry
     * @throws WorkerLeaseException if no lease is held; no id was issued; safe to retry
     * @throws IdRangeExhaustedException if the layout has come to its end
     * @throws ShardedIdException if this was closed
     * @implNote one clock read and one compare-and-set when uncontended, nothing
     * allocated; parks at most max-wait
     */
    long next(int shard);

    /**
     * Fills an array with the next ids of a shard, in increasing order, under the same
     * limits as {@link #next(int)}. More ids than the sequence allows at once are made as
     * the clock goes on; each stall on the way is bounded by max-wait.
     * @param shard 0 to shards - 1
     * @param into where the ids go; after an exception its content is undefined, and none
     * of it may be used
     * @throws ShardKeyException if there is no such shard
     * @throws IdsAheadOfClockException as in {@link #next(int)}
     * @throws WorkerLeaseException as in {@link #next(int)}
     * @throws IdRangeExhaustedException if the layout has come to its end
     * @throws ShardedIdException if this was closed
     */
    void next(int shard, long[] into);

    /**
     * Returns the next id of the shard of a key. A child of a row with a sharded id has
     * no key of its own: its id is {@code next(shardOf(parentId))}.
     * @param shardKey the shard key, as for {@link #shardOfKey}
     * @return the id
     * @throws ShardKeyException as in {@link #shardOfKey}
     */
    default long nextFor(Object shardKey) {
        return next(shardOfKey(shardKey));
    }

    /**
     * Returns the next id of a row that has no shard key. The generator chooses the
     * shard, and two such ids in a row may carry different shards. Such ids strictly
     * increase over all shards of a process.
     * @return the id
     * @throws IdsAheadOfClockException as in {@link #next(int)}
     * @throws WorkerLeaseException as in {@link #next(int)}
     * @throws IdRangeExhaustedException if the layout has come to its end
     * @throws ShardedIdException if this was closed
     */
    long next();

    /**
     * Returns the UUIDs of this engine, made under the same lease.
     * @return the UUIDs; asking for them makes none
     * @throws ShardedIdException if this was made for a test and has no UUIDs
     */
    default ShardedUuids uuids() {
        throw new ShardedIdException(
                "Could not find the UUIDs of '%s': it makes none; open it by 'ShardedIds.builder()'"
                    .formatted(getClass().getName()));
    }

    /**
     * Returns what reads ids and keys, with the questions of integrations that
     * {@link #shardOfKey}, {@link #shardOf} and {@link #problemsWith} leave open. A test
     * that fakes ids takes one from {@link ShardedIdsBuilder#reader()}.
     * @return the reader, which can be used after this was closed
     */
    IdReader reader();

    /**
     * Returns the layout of the ids.
     * @return the layout
     */
    default IdLayout layout() {
        return reader().layout();
    }

    /**
     * Returns the number of logical shards.
     * @return 1 to 2<sup>shard bits</sup>
     */
    default int shards() {
        return reader().shards();
    }

    /**
     * Returns the logical shard of a key. The type of the key counts, as it does in the
     * attribute of an entity: {@code 5L} and {@code 5} are one key, and the text
     * {@code "5"} is another one.
     *
     * <p>
     * An id is no key: it carries its shard, which {@link #shardOf} returns, and its
     * number as a plain key leads to another one. So this method throws an exception for
     * a key of which this fleet may have made an id by now (a number of at least 41
     * significant bits or a UUID, each also as a text), unless both shards are the same.
     * @param key the shard key
     * @return 0 to shards - 1
     * @throws ShardKeyException if the key is null, an id, or of an unsupported type, or
     * if the function led outside the shards
     */
    default int shardOfKey(Object key) {
        return reader().shardOfKey(key);
    }

    /**
     * Returns the shard where the children of a row live: the shard that its id carries,
     * or, if the id is {@linkplain IdReader#isOlder(long) older}, the shard of the id as
     * a plain number. A negative number, which an older row may have, is older. Children
     * in Hibernate, the check of assigned ids, and {@code shardedid_colocated} in SQL
     * give the same answer.
     *
     * <p>
     * An id that is older than the first lease and has at least 41 significant bits has
     * two readings: this fleet made it before the lease table was lost or the row was
     * copied here, or another system made it. For such an id this method throws an
     * exception, unless {@link ShardedIdsBuilder#olderIdsBefore} decides between them.
     * @param id any number
     * @return 0 to shards - 1
     * @throws ShardKeyException if the id has two readings, or if it carries a shard
     * outside of {@link #shards()}
     */
    default int shardOf(long id) {
        return reader().shardOf(id);
    }

    /**
     * Takes an id apart.
     * @param id an id of the layout
     * @return its parts
     */
    default IdParts parse(long id) {
        return layout().parse(id);
    }

    /**
     * Returns the reasons why a number cannot be an id that this fleet has made by now.
     * Use it to check ids that come from outside.
     * @param id any number
     * @return sentences; empty if the number can be such an id
     */
    default List<String> problemsWith(long id) {
        return reader().problemsWith(id);
    }

    /**
     * Returns the clock that ids carry: the database's clock as of the last renewal with
     * leases, the wall clock as of the start in mode {@code fixed}; in between it follows
     * the monotonic clock of the process.
     * @return a clock in UTC
     */
    Clock clock();

    /**
     * Gives the worker id back, unless another instance in this JVM uses it. Calling it
     * again does nothing.
     */
    @Override
    void close();

}
