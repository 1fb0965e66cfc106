package io.shardedid.shards;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Knows the present shard map. Thread-safe.
 *
 * @since 0.1
 */
public interface ShardDirectory extends AutoCloseable {

    /**
     * Returns a directory whose map never changes.
     * @param map the map
     * @return a directory without a table
     */
    static ShardDirectory of(ShardMap map) {
        return new FixedShardDirectory(map);
    }

    /**
     * Returns the map by which this process routes. Does no I/O and takes no lock.
     * @return the map that was read last
     * @throws ShardMovedException if the map could not be confirmed for so long that
     * shards may have moved and their rows may have been deleted where the map says they
     * are; retryable
     */
    ShardMap current();

    /**
     * Begins to use the database that holds a shard. Until the use ends, this process
     * confirms no map by which the shard is in another database, so that the rows stay
     * where the use finds them. Does no I/O and takes no lock.
     * @param shard 0 to shards - 1
     * @return the use, which the caller ends in any case; a use that never ends keeps
     * movers waiting until this process ends
     * @throws ShardMovedException as {@link #current()}
     * @throws ShardUnknownException if there is no such shard
     */
    Use use(int shard);

    /**
     * Begins to use the databases of all shards.
     * @return the use, as for {@link #use(int)}
     * @throws ShardMovedException as {@link #current()}
     */
    Use useAll();

    /**
     * Reads the map now. Many threads that ask at once share one look at the table.
     * @return the map, read after this call began
     * @throws ShardMovedException if the table did not answer in time; retryable
     */
    ShardMap refresh();

    /**
     * Notifies a listener of each new map from now on. The listener is called by the
     * thread that keeps the leases, so it has to return at once; what it throws is logged
     * and has no other effect.
     * @param listener takes the new map
     */
    void onChange(Consumer<? super ShardMap> listener);

    /**
     * Returns what is wrong with the map's table.
     * @return a text without credentials; empty if the last look at the table succeeded
     */
    String problem();

    /**
     * Returns the processes that route by the map and whose lease has not passed. Reads
     * the table.
     * @return the routers, the one with the oldest version first; empty for a directory
     * without a table
     * @throws ShardMovedException if the table did not answer in time; retryable
     */
    List<ShardRouter> routers();

    /**
     * Reads which shards no mover works on, and where they are, at one point of time.
     * @return the database of each such shard; empty for a directory without a table
     * @throws ShardMovedException if the table did not answer in time; retryable
     */
    Map<Integer, String> settled();

    /** Ends this directory: the map stays as it is. Calling it again does nothing. */
    @Override
    void close();

    /**
     * The use of a database by a version of the map.
     *
     * @since 0.1
     */
    interface Use extends AutoCloseable {

        /**
         * Returns the map that says which database is used.
         * @return the map, in which the databases keep their rows while this use goes on
         */
        ShardMap map();

        /** Ends the use. Calling it again does nothing. */
        @Override
        void close();

    }

}
