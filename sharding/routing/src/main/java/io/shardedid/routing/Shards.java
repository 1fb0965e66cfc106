package io.shardedid.routing;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.shardedid.shards.ShardMap;

/**
 * Says which shard or which databases a part of the program works on, where neither an id
 * nor a shard key says so. Inject it.
 *
 * <p>
 * A scope holds for the calling thread until the action returns; other threads know
 * nothing of it. A transaction that begins inside of a scope is in the shard of the
 * scope. A transaction that suspends another one ({@code REQUIRES_NEW}) suspends the
 * scope too. Thread-safe.
 *
 * @since 0.1
 */
public interface Shards {

    /**
     * Works in the shard of an id.
     * @param <T> the type of the result
     * @param id an id of the layout
     * @param action what to do
     * @return what the action returned
     * @throws io.shardedid.shards.ShardUnknownException if the id has no shard
     * @throws io.shardedid.shards.CrossShardException if the transaction is in another
     * shard
     */
    <T> T inShardOf(long id, Supplier<T> action);

    /**
     * Works in the shard of an id.
     * @param id an id of the layout
     * @param action what to do
     * @throws io.shardedid.shards.ShardUnknownException if the id has no shard
     * @throws io.shardedid.shards.CrossShardException if the transaction is in another
     * shard
     */
    default void inShardOf(long id, Runnable action) {
        inShardOf(id, () -> {
            action.run();
            return Boolean.TRUE;
        });
    }

    /**
     * Works in the shard of a shard key.
     * @param <T> the type of the result
     * @param key the key, of a type that the shard function takes
     * @param action what to do
     * @return what the action returned
     * @throws io.shardedid.shards.ShardUnknownException if the key has no shard
     * @throws io.shardedid.shards.CrossShardException if the transaction is in another
     * shard
     */
    <T> T inShardFor(Object key, Supplier<T> action);

    /**
     * Works in the shard of a shard key.
     * @param key the key, of a type that the shard function takes
     * @param action what to do
     * @throws io.shardedid.shards.ShardUnknownException if the key has no shard
     * @throws io.shardedid.shards.CrossShardException if the transaction is in another
     * shard
     */
    default void inShardFor(Object key, Runnable action) {
        inShardFor(key, () -> {
            action.run();
            return Boolean.TRUE;
        });
    }

    /**
     * Works in a shard.
     * @param <T> the type of the result
     * @param shard 0 to shards - 1
     * @param action what to do
     * @return what the action returned
     * @throws io.shardedid.shards.ShardUnknownException if there is no such shard
     * @throws io.shardedid.shards.CrossShardException if the transaction is in another
     * shard
     */
    <T> T inShard(int shard, Supplier<T> action);

    /**
     * Works in a shard.
     * @param shard 0 to shards - 1
     * @param action what to do
     * @throws io.shardedid.shards.ShardUnknownException if there is no such shard
     * @throws io.shardedid.shards.CrossShardException if the transaction is in another
     * shard
     */
    default void inShard(int shard, Runnable action) {
        inShard(shard, () -> {
            action.run();
            return Boolean.TRUE;
        });
    }

    /**
     * Works in each database. Several threads do so side by side, as many as
     * {@code shardedid.databases.parallelism} says, so the action is called by several
     * threads at the same time; a {@code TaskDecorator} bean takes over what belongs to
     * the calling thread. A statement inside sees and changes the rows of all shards of
     * the database. Nothing is atomic over two databases. If the action fails in one
     * database, it still ends in the others before this method throws.
     * @param <T> the type of the results
     * @param action what to do in each database
     * @return the results by the name of the database, in the order of the names
     * @throws io.shardedid.shards.CrossShardException if a transaction is open
     */
    <T> Map<String, T> inEach(Supplier<T> action);

    /**
     * Works in each database that can be reached.
     * @param <T> the type of the results
     * @param action what to do in each database
     * @param unreachable is called with the name of each database that could not be
     * reached, and why, by the calling thread
     * @return the results of the other databases
     * @throws io.shardedid.shards.CrossShardException if a transaction is open
     * @see #inEach(Supplier)
     */
    <T> Map<String, T> inEach(Supplier<T> action, BiConsumer<? super String, ? super RuntimeException> unreachable);

    /**
     * Works in each database.
     * @param action what to do in each database
     * @throws io.shardedid.shards.CrossShardException if a transaction is open
     * @see #inEach(Supplier)
     */
    default void inEach(Runnable action) {
        inEach(() -> {
            action.run();
            return Boolean.TRUE;
        });
    }

    /**
     * Reads from each database and merges the results by an order. Each database is read
     * in a read-only transaction of its own, so entities are detached afterwards. While a
     * shard moves, two databases have its rows: of entities, only those of the home
     * count, and the result may then have fewer rows than {@code limit} although there
     * are more. Rows that are no entities come from both databases.
     * @param <T> the type of the rows
     * @param order the order of the result, which the rows of each database have too
     * @param limit how many rows are wanted, 0 or more
     * @param first reads the first rows of a database in that order, at least
     * {@code limit} of them if there are as many
     * @return the first rows over all databases
     * @throws io.shardedid.shards.CrossShardException if a transaction is open
     * @throws io.shardedid.shards.ShardMovedException if the shard map changed during
     * each of three reads; safe to retry
     * @throws IllegalArgumentException if the limit is negative
     */
    <T> List<T> merge(Comparator<? super T> order, int limit, Supplier<? extends Collection<? extends T>> first);

    /**
     * Reads from each database that can be reached, and merges the results.
     * @param <T> the type of the rows
     * @param order the order of the result
     * @param limit how many rows are wanted, 0 or more
     * @param first reads the first rows of a database in that order
     * @param unreachable is called with the name of each database that could not be
     * reached, and why: the result has no rows of it
     * @return the first rows over the other databases
     * @throws io.shardedid.shards.CrossShardException if a transaction is open
     * @throws io.shardedid.shards.ShardMovedException as
     * {@link #merge(Comparator, int, Supplier)}
     * @throws IllegalArgumentException if the limit is negative
     */
    <T> List<T> merge(Comparator<? super T> order, int limit, Supplier<? extends Collection<? extends T>> first,
            BiConsumer<? super String, ? super RuntimeException> unreachable);

    /**
     * Returns the shard that the transaction, or the scope where there is no transaction,
     * is in.
     * @return 0 to shards - 1; empty if it is in none, or in a whole database
     */
    OptionalInt current();

    /**
     * Returns which database holds which shard, as this process routes now.
     * @return the map
     */
    ShardMap map();

}
