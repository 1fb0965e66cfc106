package io.shardedid.benchmarks.routing;

import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.routing.Shards;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertiesPropertySource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A process of the fleet: the router with its pools and a worker id of its own, and no
 * Hibernate, of which five hundred would not fit into the memory of one machine.
 */
final class FleetRouter implements AutoCloseable {

    private final FleetSize size;

    private final int number;

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    private final Shards shards;

    private final JdbcTemplate jdbc;

    FleetRouter(FleetSize size, int number, Properties properties) {
        this.size = size;
        this.number = number;
        this.context.getEnvironment().getPropertySources().addFirst(new PropertiesPropertySource("fleet", properties));
        this.context.register(Configuration.class);
        this.context.refresh();
        this.shards = this.context.getBean(Shards.class);
        this.jdbc = new JdbcTemplate(this.context.getBean(DataSource.class));
    }

    /** Reads a shard of each of several databases, from another one on in each router. */
    void touch(int databases) {
        for (int i = 0; i < databases; i++) {
            read(this.size.firstShard((this.number + i) % this.size.databases()));
        }
    }

    /** Reads a shard of one of two databases, both drawn by chance. */
    void read() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        int database = (this.number + random.nextInt(2)) % this.size.databases();
        read(random.nextInt(this.size.firstShard(database), this.size.firstShard(database + 1)));
    }

    private void read(int shard) {
        Long rows = this.shards.inShard(shard,
                () -> this.jdbc.queryForObject("select count(*) from photo where user_id = ?", Long.class, shard));
        if (Objects.requireNonNull(rows) != this.size.rows()) {
            throw new IllegalStateException("Rows are missing: shard=%d, rows=%d".formatted(shard, rows));
        }
    }

    /** Closes the connections of all pools, which have none in use. */
    void forgetConnections() {
        this.context.getBeansOfType(HikariDataSource.class).values().forEach((pool) -> {
            if (pool.getHikariPoolMXBean() != null) {
                pool.getHikariPoolMXBean().softEvictConnections();
            }
        });
    }

    @Override
    public void close() {
        this.context.close();
    }

    /** Without what makes no part of the router. */
    @ImportAutoConfiguration
    static class Configuration {

        /** The starter would give all contexts of a JVM the same engine. */
        @Bean(destroyMethod = "close")
        ShardedIdEngine shardedIds(Environment environment) {
            String home = "shardedid.databases." + FleetServers.name(0);
            return SeparateProcess.open(ShardedIds.builder()
                .layout(FleetServers.LAYOUT)
                .shards(environment.getRequiredProperty("shardedid.shards", Integer.class))
                .workers(JdbcLeases.leased(LeaseSettings.builder().application("fleet").build(),
                        LeaseConnections.url(environment.getRequiredProperty(home + ".url"),
                                environment.getProperty(home + ".username"), null),
                        JdbcLeases.DEFAULT_TABLE, SchemaInitialization.ALWAYS, List.of())));
        }

    }

}
