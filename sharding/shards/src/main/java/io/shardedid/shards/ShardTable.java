package io.shardedid.shards;

import java.util.List;

/**
 * The tables of a shard map, of one namespace. Used by one thread at a time, and each
 * call takes bounded time. A {@link ShardMapException} says that a call will fail again
 * until an operator changes something; another exception may pass.
 */
interface ShardTable {

    /**
     * Makes the tables if that is wanted, and tries the rights.
     * @throws Exception if the tables cannot be made or used
     */
    void ensure() throws Exception;

    /**
     * Stores a map as version 1 with a new identity, whole or not at all.
     * @param map the map
     * @return false if the namespace has a map already, which then stays as it is
     * @throws Exception if that is not known
     */
    boolean fill(ShardMap map) throws Exception;

    /**
     * Reads the version of the map.
     * @return the version, or {@link MapVersion#NONE} if there is no map
     * @throws Exception if it cannot be read
     */
    MapVersion version() throws Exception;

    /**
     * Reads the whole map at one point of time.
     * @return the version and the rows
     * @throws Exception if they cannot be read
     */
    Rows read() throws Exception;

    /**
     * Reads the shards that no mover works on, at one point of time.
     * @return the shards and their databases
     * @throws Exception if they cannot be read
     */
    List<Row> settled() throws Exception;

    /**
     * Notes which database a name leads to, unless that is noted.
     * @param name the name of the database
     * @param identity the identity of the database; empty if it has none, which is not
     * noted
     * @return the identity that is noted; empty if none is
     * @throws Exception if it is not known whether that was stored
     */
    String note(String name, String identity) throws Exception;

    /**
     * What was read at one point of time.
     *
     * @param version the version of the map, or {@link MapVersion#NONE} if there is none
     * @param rows shards and their databases
     */
    record Rows(MapVersion version, List<Row> rows) {
    }

    /**
     * Where a shard is.
     *
     * @param shard the shard
     * @param database the name of the database
     * @param version the number of the version that brought it there
     */
    record Row(int shard, String database, long version) {
    }

}
