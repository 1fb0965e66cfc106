package io.shardedid.hibernate;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerHolding;
import io.shardedid.hibernate.AssociationModel.User;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.hibernate.SessionFactory;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The keeper of a plain persistence unit connects as its pool does, and leases where the
 * unit reads.
 */
@Tag("database")
class UnitConnectionsIT {

    /** What a second or two are on a very busy machine. */
    private static final Duration SOON = Duration.ofMinutes(1);

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    private StandardServiceRegistry registry;

    @BeforeEach
    void createRoles() {
        this.database.execute("CREATE ROLE unit1 LOGIN", "CREATE ROLE unit2 LOGIN IN ROLE unit1",
                "GRANT ALL ON SCHEMA public TO unit1", "CREATE SCHEMA sales AUTHORIZATION unit1");
    }

    @AfterEach
    void dropRoles() {
        if (this.registry != null) {
            StandardServiceRegistryBuilder.destroy(this.registry);
        }
        this.database.execute("DROP OWNED BY unit1, unit2 CASCADE", "DROP ROLE unit1, unit2");
    }

    private SessionFactory open(Map<String, ?> connections) {
        Map<String, Object> settings = new HashMap<>(connections);
        settings.put("shardedid.worker.lease.initialize-schema", "always");
        settings.put("shardedid.worker.lease.window", "2s");
        settings.put("shardedid.worker.lease.startup-timeout", "30s");
        this.registry = new StandardServiceRegistryBuilder().applySettings(settings).build();
        return new MetadataSources(this.registry).addAnnotatedClass(User.class).buildMetadata().buildSessionFactory();
    }

    /** The server trusts all, so the user changes in place of the password. */
    @Test
    void keeperConnectsAsWhomThePoolWasGivenLast() throws InterruptedException {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(this.database.url());
            pool.setUsername("unit1");
            pool.setMinimumIdle(0);
            try (SessionFactory factory = open(Map.of("jakarta.persistence.nonJtaDataSource", pool))) {
                ShardedIdEngine ids = ShardedIdService.idsOf(factory);
                assertThat(ids.next(1)).isPositive();
                pool.getHikariConfigMXBean().setUsername("unit2");
                this.database.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO unit2", "ALTER ROLE unit1 NOLOGIN",
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'unit1'");

                Instant before = until(ids);
                long began = System.nanoTime();
                while (!until(ids).isAfter(before)) {
                    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
                    TimeUnit.MILLISECONDS.sleep(50);
                }
                assertThat(this.database.query("SELECT count(*) FROM pg_stat_activity WHERE usename = 'unit2'"))
                    .as("the session of the lease: the pool makes none that nobody asks for")
                    .isEqualTo("1");
            }
        }
    }

    /** Until when the lease lasts that was confirmed last. */
    private static Instant until(ShardedIdEngine ids) {
        return ids.workers()
            .stream()
            .filter(WorkerHolding::mine)
            .map(WorkerHolding::until)
            .findFirst()
            .orElse(Instant.MIN);
    }

    /** Hibernate hands its own settings to the driver, which the URL does not show. */
    @Test
    void unitThatReadsAnotherTableIsRefused() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> open(Map.of("jakarta.persistence.jdbc.url", this.database.url(),
                    "jakarta.persistence.jdbc.user", "unit1", "hibernate.connection.currentSchema", "sales")))
            .withMessageContainingAll("shardedid_worker", "another table", "mark the data source");
    }

    @Test
    void unitThatReadsTheTableStarts() {
        try (SessionFactory factory = open(Map.of("jakarta.persistence.jdbc.url", this.database.url(),
                "jakarta.persistence.jdbc.user", "unit1"))) {
            assertThat(ShardedIdService.idsOf(factory).next(1)).isPositive();
            assertThat(this.database.query("SELECT count(*) FROM pg_stat_activity WHERE usename = 'unit1' "
                    + "AND application_name = 'shardedid-lease'"))
                .isEqualTo("1");
        }
    }

}
