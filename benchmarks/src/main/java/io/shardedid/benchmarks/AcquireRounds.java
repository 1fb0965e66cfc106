package io.shardedid.benchmarks;

import java.util.List;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIds;
import io.shardedid.internal.lease.jdbc.JdbcLeases;

/**
 * What leasing a worker id adds to a start: connecting, looking at table and rights,
 * reading the layout, taking the lease. The first lease of a JVM loads the driver's
 * classes as well, and the first in a database creates the table.
 */
final class AcquireRounds {

    private final Scale scale;

    private final Measurements measured;

    AcquireRounds(Scale scale, Measurements measured) {
        this.scale = scale;
        this.measured = measured;
    }

    void run() throws Exception {
        for (Database database : this.scale.databases()) {
            try (Database.Server server = database.start()) {
                for (int round = 0; round <= this.scale.rounds(); round++) {
                    this.measured.add("acquire on %s, %s (ms)".formatted(database, (round == 0) ? "first" : "later"),
                            millisToOpen(server));
                }
            }
        }
    }

    private static double millisToOpen(Database.Server server) {
        long began = System.nanoTime();
        ShardedIds ids = ShardedIds.builder()
            .workers(JdbcLeases.leased(LeaseSettings.builder().build(), server.connections(), JdbcLeases.DEFAULT_TABLE,
                    SchemaInitialization.ALWAYS, List.of()))
            .open();
        double millis = (System.nanoTime() - began) / 1e6;
        ids.close();
        return millis;
    }

}
