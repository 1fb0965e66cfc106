package io.shardedid.sample.laboratory;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdEngine;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.spring.boot.LeaseMonitor;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The engine of the profile {@code chaos}, opened by hand with the public builder, since
 * it has a clock that can be set wrong. Everything else is as the starter does it; the
 * lease is shorter, so that 20 seconds without a database are longer than it.
 */
@Configuration(proxyBeanMethods = false)
@Profile("chaos")
class ChaosEngine {

    private static final Duration WINDOW = Duration.ofSeconds(15);

    @Bean
    SteppedTime steppedTime() {
        return new SteppedTime();
    }

    @Bean
    LeaseMonitor leaseMonitor() {
        return new LeaseMonitor();
    }

    @Bean
    ShardedIdSettings shardedIdSettings(@Value("${shardedid.older-ids-before}") String olderIdsBefore) {
        return ShardedIdSettings.from(Map.of("shardedid.worker.lease.window", WINDOW.toSeconds() + "s",
                "shardedid.older-ids-before", olderIdsBefore));
    }

    @Bean(destroyMethod = "close")
    ShardedIdEngine shardedIds(ShardedIdSettings settings, SteppedTime time, JdbcConnectionDetails database,
            LeaseMonitor figures, EventLog events) {
        LeaseSettings lease = LeaseSettings.builder().window(WINDOW).application("shardedid-sample with chaos").build();
        LeaseConnections connections = LeaseConnections.url(database.getJdbcUrl(), database.getUsername(),
                database.getPassword());
        return settings.builder()
            .timeSource(time)
            .workers(JdbcLeases.leased(lease, connections, "shardedid_worker", SchemaInitialization.ALWAYS,
                    List.of(figures, events)))
            .open();
    }

    @Bean
    Ledger ledger(ShardedIdEngine ids, JdbcTemplate sql, EventLog events) {
        return new Ledger(ids::next, sql, events);
    }

}
