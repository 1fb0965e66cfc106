package io.shardedid.shards;

import java.util.Map;

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
     * @throws ShardMovedException if the map could not be read for so long that shards
     * may have moved and their rows may have been deleted where the map says they are;
     * retryable
     */
    ShardMap current();

    /**
     * Reads the map now. Many threads that ask at once share one look at the table.
     * @return the map, read after this call began
     * @throws ShardMovedException if the table did not answer in time; retryable
     */
    ShardMap refresh();

    /**
     * Returns what is wrong with the map's table.
     * @return a text without credentials; empty if the last look at the table succeeded
     */
    String problem();

    /**
     * Reads which shards no mover works on, and where they are, at one point of time.
     * @return the database of each such shard; empty for a directory without a table
     * @throws ShardMovedException if the table did not answer in time; retryable
     */
    Map<Integer, String> settled();

    /**
     * Notes in the table which database a name leads to, unless another process has done
     * so.
     * @param database the name of the database
     * @param identity the identity of the database; empty if it has none, which is not
     * noted
     * @return the identity that the table has; empty if it has none
     * @throws ShardMovedException if the table did not answer in time; retryable
     */
    String note(String database, String identity);

    /** Ends this directory: the map stays as it is. Calling it again does nothing. */
    @Override
    void close();

}
