package io.shardedid.benchmarks.routing;

import java.time.Duration;

/**
 * How large a fleet is, and how long it is measured.
 *
 * @param servers servers
 * @param databases databases on all servers together
 * @param shards logical shards, of which each database has about as many
 * @param rows rows of each shard
 * @param jvms JVMs, each with the same number of routers
 * @param routers routers of all JVMs together
 * @param touched how many databases each router reads in one step
 * @param sample one process of so many reads all databases: the memory of a machine is
 * not enough for the connections of all
 * @param merges how often a process merges
 * @param compares whether starts and merges are compared with others
 * @param moves how many databases give all of their shards to others
 * @param rest how long statements are counted
 * @param refresh how often a router looks whether the map has changed
 */
record FleetSize(int servers, int databases, int shards, int rows, int jvms, int routers, int touched, int sample,
        int merges, boolean compares, int moves, Duration rest, Duration refresh) {

    static FleetSize of(String name) {
        return switch (name) {
            case "full" -> new FleetSize(4, 64, 2000, 10, 5, 500, 8, 16, 20, true, 3, Duration.ofMinutes(1),
                    Duration.ofSeconds(8));
            case "smoke" ->
                new FleetSize(2, 4, 40, 10, 2, 6, 2, 2, 3, false, 1, Duration.ofSeconds(3), Duration.ofSeconds(1));
            default -> throw new IllegalArgumentException("fleet must be 'full' or 'smoke': fleet='" + name + "'");
        };
    }

    /** Returns the first shard that a database has at first. */
    int firstShard(int database) {
        return database * this.shards / this.databases;
    }

}
