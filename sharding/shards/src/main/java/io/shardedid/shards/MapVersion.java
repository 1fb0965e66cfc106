package io.shardedid.shards;

/**
 * Says which map of a namespace is meant. A database that has lost its last commits gives
 * the same number to two maps, so that the number alone does not say it.
 *
 * @param number grows with each change of the map; 0 if there is no map in a table
 * @param identity a random number of that change
 */
record MapVersion(long number, long identity) {

    /** Of a process that has read no map, and of a map that comes from no table. */
    static final MapVersion NONE = new MapVersion(0, 0);

    boolean isNone() {
        return this.number == NONE.number;
    }

}
