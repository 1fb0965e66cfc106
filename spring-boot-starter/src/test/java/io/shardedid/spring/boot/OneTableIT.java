package io.shardedid.spring.boot;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import io.shardedid.tools.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes of one application that say in different ways where they write. A marked
 * data source is believed, so marking the wrong one is what each of the guards prevents.
 */
@Tag("proof")
class OneTableIT {

    private static EmbeddedPostgres server;

    @BeforeAll
    static void start() throws Exception {
        server = EmbeddedPostgres.builder().setPort(FreePort.find()).setPGStartupWait(Duration.ofSeconds(90)).start();
    }

    /** In an empty table the first process takes the worker id 0, else one by chance. */
    @BeforeEach
    void emptySchemas() throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP SCHEMA IF EXISTS public, sales, t1, t2 CASCADE; CREATE SCHEMA public; "
                    + "CREATE SCHEMA sales; CREATE SCHEMA t1; CREATE SCHEMA t2");
        }
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    /** What refuses a process, in words of its message, or nothing if both start. */
    @ParameterizedTest
    @CsvSource({ "ByProperties,", "Elsewhere,", "Router,ShardedIdDataSource" })
    void processesLeaseFromOneTableOrDoNotStart(String configuration, String refusal) throws Exception {
        RacingApplications race = race(configuration);

        assertThat(race.equal()).as(race.toString()).isZero();
        assertThat(race.first().get(1))
            .startsWith((refusal != null) ? RacingApplications.REFUSED : RacingApplications.READY)
            .contains((refusal != null) ? refusal : "");
    }

    @ParameterizedTest
    @CsvSource({ "MarkedElsewhere", "MarkedRouter" })
    void processesWhoseDataSourcesAreBelievedMakeDuplicateIds(String configuration) throws Exception {
        RacingApplications race = race(configuration);

        assertThat(race.equal()).as(race.toString()).isPositive();
    }

    private static RacingApplications race(String configuration) throws Exception {
        String url = "--spring.datasource.url=" + server.getJdbcUrl("postgres", "postgres");
        String user = "--spring.datasource.username=postgres";
        String table = "--shardedid.worker.lease.initialize-schema=always";
        return RacingApplications.race(Class.forName(OneTableIT.class.getName() + "$" + configuration),
                List.of(url + "&currentSchema=sales", user, table, "--tenant=t1"), List.of(url, user, table,
                        "--spring.datasource.hikari.data-source-properties.currentSchema=sales", "--tenant=t2"));
    }

    /** Shows the URL, and writes where a property says. */
    private static DataSource elsewhere(Environment environment) {
        DriverManagerDataSource shown = new DriverManagerDataSource(
                environment.getRequiredProperty("spring.datasource.url"), "postgres", "");
        return new DelegatingDataSource(shown) {

            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setSchema("sales");
                return connection;
            }

        };
    }

    /** Knows on every thread which tenant it is for. */
    private static DataSource router(Environment environment) {
        DriverManagerDataSource one = new DriverManagerDataSource(
                environment.getRequiredProperty("spring.datasource.url"), "postgres", "");
        one.setSchema("t1");
        DriverManagerDataSource two = new DriverManagerDataSource(
                environment.getRequiredProperty("spring.datasource.url"), "postgres", "");
        two.setSchema("t2");
        ThreadLocal<String> tenant = ThreadLocal.withInitial(() -> environment.getRequiredProperty("tenant"));
        AbstractRoutingDataSource router = new AbstractRoutingDataSource() {

            @Override
            protected Object determineCurrentLookupKey() {
                return tenant.get();
            }

        };
        router.setTargetDataSources(Map.of("t1", one, "t2", two));
        router.afterPropertiesSet();
        return router;
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({ DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class })
    static class ByProperties {

    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(ShardedIdAutoConfiguration.class)
    static class Elsewhere {

        @Bean
        DataSource rows(Environment environment) {
            return elsewhere(environment);
        }

    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(ShardedIdAutoConfiguration.class)
    static class MarkedElsewhere {

        @Bean
        @ShardedIdDataSource
        DataSource rows(Environment environment) {
            return ((DelegatingDataSource) elsewhere(environment)).getTargetDataSource();
        }

    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(ShardedIdAutoConfiguration.class)
    static class Router {

        @Bean
        DataSource rows(Environment environment) {
            return router(environment);
        }

    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(ShardedIdAutoConfiguration.class)
    static class MarkedRouter {

        @Bean
        @ShardedIdDataSource
        DataSource rows(Environment environment) {
            return router(environment);
        }

    }

}
