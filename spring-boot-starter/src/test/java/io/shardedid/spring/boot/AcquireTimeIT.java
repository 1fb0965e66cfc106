package io.shardedid.spring.boot;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.shardedid.ShardedIdEngine;
import io.shardedid.config.LeaseEnvironment;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.worker.table.LeaseConnections;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What acquiring a worker id takes on a real PostgreSQL, where nothing goes on beside it:
 * connecting, looking at table and rights, reading the layout, taking the lease. It
 * prints the figures and judges none.
 */
@Tag("proof")
class AcquireTimeIT {

    @Test
    void printsWhatAcquiringTakes() throws IOException {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
            List<Duration> times = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                times.add(acquire(postgres.getJdbcUrl("postgres", "postgres")));
            }
            Duration first = times.remove(0);
            List<Duration> sorted = times.stream().sorted().toList();
            System.out.printf("acquire on PostgreSQL: first of the JVM %d ms, of %d more: fastest %d, median %d ms%n",
                    first.toMillis(), sorted.size(), sorted.get(0).toMillis(),
                    sorted.get(sorted.size() / 2).toMillis());
        }
    }

    private static Duration acquire(String url) {
        ShardedIdSettings settings = ShardedIdSettings.from(Map.of());
        LeaseEnvironment around = new LeaseEnvironment(LeaseConnections.url(url, null, null), true, "", List.of());
        long began = System.nanoTime();
        try (ShardedIdEngine ids = settings.open(around)) {
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            assertThat(ids.stats().worker()).isNotNegative();
            return took;
        }
    }

}
