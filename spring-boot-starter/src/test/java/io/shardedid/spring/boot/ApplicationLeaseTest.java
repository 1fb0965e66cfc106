package io.shardedid.spring.boot;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.LeaseSettings;
import io.shardedid.JdbcWorkerLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.internal.lease.jdbc.LeaseLogin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ApplicationLeaseTest {

    private final MockEnvironment environment = new MockEnvironment();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
        .withBean(AsksForIds.class);

    @Test
    void keeperNeedsNoConnectionOfThePool() {
        new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class))
            .withUserConfiguration(EmptyPool.class)
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                    "spring.datasource.hikari.maximum-pool-size=1", "spring.datasource.hikari.connection-timeout=250",
                    "shardedid.worker.lease.window=1s", "shardedid.worker.lease.startup-timeout=60s",
                    "shardedid.clock.max-ahead=10ms")
            .run((context) -> {
                assertThat(context).hasNotFailed();
                assertThat(context.getBean(HikariDataSource.class).getHikariPoolMXBean().getIdleConnections()).isZero();
                assertThat(context.getBean(ShardedIds.class).next(1)).isPositive();
            });
    }

    /** A router may know a tenant on every thread, and another one in each process. */
    @ParameterizedTest
    @CsvSource({ "false,", "true,", "false,a", "true,a", "false,b" })
    void routerIsRefusedWhateverItAnswers(boolean lazy, String tenant) {
        AbstractRoutingDataSource router = routed(new Router(tenant));
        router.setDefaultTargetDataSource(new DriverManagerDataSource("jdbc:h2:mem:a"));
        router.afterPropertiesSet();

        DataSource application = lazy ? new LazyConnectionDataSourceProxy(router) : router;
        this.runner.withBean(DataSource.class, () -> application)
            .run((context) -> assertUnmarked(context.getStartupFailure(), Router.class));
        assertThat(LeaseConnections.ofKnown(application)).as("a unit without Spring Boot").isEmpty();
    }

    private static AbstractRoutingDataSource routed(AbstractRoutingDataSource router) {
        router.setTargetDataSources(Map.of("a", new DriverManagerDataSource("jdbc:h2:mem:a"), "b",
                new DriverManagerDataSource("jdbc:h2:mem:b")));
        router.afterPropertiesSet();
        return router;
    }

    private static void assertUnmarked(Throwable failure, Class<?> type) {
        assertThat(failure).rootCause()
            .isInstanceOfSatisfying(ShardedIdConfigurationException.class,
                    (ex) -> assertThat(ex.problem().keys()).containsExactly("shardedid.worker.lease.data-source"))
            .hasMessageContaining("=" + type.getName() + " (")
            .hasMessageContaining("@ShardedIdDataSource");
    }

    /** It may be a router, too. */
    @Test
    void dataSourceOfUnknownKindIsRefusedUntilItIsMarkedOrNamed() {
        DataSource hidden = new AbstractDataSource() {

            @Override
            public Connection getConnection() throws SQLException {
                return DriverManager.getConnection("jdbc:h2:mem:hidden;DB_CLOSE_DELAY=-1", "sa", "");
            }

            @Override
            public Connection getConnection(String user, String password) throws SQLException {
                return getConnection();
            }

        };
        ApplicationContextRunner application = this.runner.withBean("hidden", DataSource.class, () -> hidden);

        application.run((context) -> assertUnmarked(context.getStartupFailure(), hidden.getClass()));
        application.withPropertyValues("shardedid.worker.lease.data-source=hidden")
            .run((context) -> assertThat(context.getBean(ShardedIds.class).next(1)).isPositive());
        application.withPropertyValues("shardedid.worker.lease.url=jdbc:h2:mem:other")
            .run((context) -> assertThat(context.getBean(ShardedIds.class).next(1)).isPositive());
        application.withPropertyValues("shardedid.worker.lease.data-source=hiden")
            .run((context) -> assertThat(context.getStartupFailure()).rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContaining("='hiden' (beans: hidden)"));
    }

    @Test
    void oneOfSeveralDataSourcesMustBeMarkedOrNamed() {
        ApplicationContextRunner several = this.runner
            .withBean("one", DataSource.class, () -> new DriverManagerDataSource("jdbc:h2:mem:one"))
            .withBean("two", DataSource.class, () -> new DriverManagerDataSource("jdbc:h2:mem:two"));

        several.run((context) -> assertThat(context.getStartupFailure()).rootCause()
            .isInstanceOf(ShardedIdConfigurationException.class)
            .hasMessageContaining("(beans: one, two); mark"));
        several.withPropertyValues("shardedid.worker.lease.data-source=two")
            .run((context) -> assertThat(context.getBean(ShardedIds.class).next(1)).isPositive());
    }

    @Test
    void defaultOfAMarkedRouterStandsForIt() {
        this.runner.withBean(DataSource.class, () -> {
            // of a class below the marked one, as a proxy is
            AbstractRoutingDataSource router = new MarkedRouter() {
            };
            router.setDefaultTargetDataSource(new DriverManagerDataSource("jdbc:h2:mem:a;DB_CLOSE_DELAY=-1"));
            return new LazyConnectionDataSourceProxy(routed(router));
        }).run((context) -> assertThat(context.getBean(ShardedIds.class).next(1)).isPositive());
    }

    /**
     * What processes with different tenants of one database did before they were refused.
     */
    @Test
    void processesWithARouterThatAnswersEachFromItsOwnDatabaseWouldMakeDuplicateIds() {
        List<DataSource> tenants = List.of(new DriverManagerDataSource("jdbc:h2:mem:t1;DB_CLOSE_DELAY=-1"),
                new DriverManagerDataSource("jdbc:h2:mem:t2;DB_CLOSE_DELAY=-1"));
        List<ShardedIdEngine> engines = tenants.stream()
            .map((tenant) -> ShardedIds.builder()
                .workers(JdbcWorkerLeases.leased(tenant, LeaseSettings.builder().build()))
                .open())
            .toList();
        try {
            Set<Long> ids = new HashSet<>();
            int equal = 0;
            for (int i = 0; i < 20_000; i++) {
                for (ShardedIdEngine engine : engines) {
                    equal += ids.add(engine.nextFor(7)) ? 0 : 1;
                }
            }
            assertThat(equal).isPositive();
        }
        finally {
            engines.forEach(ShardedIdEngine::close);
        }
    }

    @Test
    @Tag("slow")
    void dataSourceThatLeadsToAnotherTableThanItsPoolIsRefused() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;INIT=CREATE SCHEMA IF NOT EXISTS sales");
        DataSource elsewhere = new DelegatingDataSource(pool) {

            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setSchema("SALES");
                return connection;
            }

        };
        ApplicationContextRunner application = this.runner.withBean(DataSource.class, () -> elsewhere);

        application.run((context) -> assertThat(context.getStartupFailure())
            .hasStackTraceContaining(ShardedIdConfigurationException.class.getName())
            .hasStackTraceContaining("does not read the lease that was just written there: ")
            .hasStackTraceContaining("mark the data source that leads to the lease table"));
        application.withPropertyValues("shardedid.worker.lease.acquire=first-use").run((context) -> {
            ShardedIds ids = context.getBean(ShardedIds.class);
            Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .untilAsserted(
                        () -> assertThatThrownBy(() -> ids.next(1)).isInstanceOf(ShardedIdConfigurationException.class)
                            .hasMessageContaining("does not read the lease"));
        });
        // its connections have kept the schema
        pool.getHikariPoolMXBean().softEvictConnections();
        this.runner.withBean(DataSource.class, () -> pool)
            .run((context) -> assertThat(context.getBean(ShardedIds.class).next(1)).isPositive());
        pool.close();
    }

    /** All connections of the pool are taken for a while. */
    @Test
    void lookOfTheApplicationWaitsForAConnection() throws SQLException {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        pool.setMaximumPoolSize(1);
        Connection only = pool.getConnection();
        this.runner.withBean(DataSource.class, () -> pool)
            .withPropertyValues("shardedid.worker.lease.acquire=first-use")
            .run((context) -> {
                assertThat(context.getBean(ShardedIds.class).next(1)).isPositive();
                only.close();
                Awaitility.await()
                    .untilAsserted(
                            () -> assertThat(pool.getHikariPoolMXBean().getThreadsAwaitingConnection()).isZero());
                assertThat(context.getBean(ShardedIds.class).next(1)).isPositive();
            });
    }

    @Test
    void loginAtTheUrlOfTheLeasesIsAskedForAndGivenOnce() {
        ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
            .withUserConfiguration(OwnLogin.class)
            .withPropertyValues("shardedid.worker.lease.url=jdbc:h2:mem:login");

        runner.run((context) -> {
            assertThat(context.getBean(ShardedIds.class).next(1)).isPositive();
            assertThat(context.getBean(OwnLogin.class).asked).isPositive();
        });
        runner.withBean(AsksForIds.class)
            .withPropertyValues("shardedid.worker.lease.password=s3cret")
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .hasMessageContainingAll("shardedid.worker.lease.username=unset", "shardedid.worker.lease.password=set",
                        "supplier"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:h2:mem:x", "jdbc:hsqldb:mem:x", "jdbc:p6spy:h2:mem:x", "jdbc:acme:x",
            "jdbc:tc:postgresql:18:///x" })
    void asksWhereRowsGoUnlessTheLeaseDatabaseIsAServer(String url) {
        assertThat(ApplicationLease.mayBePrivate(null, url)).isTrue();
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        assertThat(ApplicationLease.mayBePrivate(pool, null)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:postgresql://db/x", "jdbc:h2:tcp://db/x", "jdbc:hsqldb:hsql://db/x",
            "jdbc:otel:mariadb://db/x" })
    void asksNoDataSourceBesideAServer(String url) {
        assertThat(ApplicationLease.mayBePrivate(null, url)).isFalse();
        assertThat(ApplicationLease.mayBePrivate(null, null)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "create", "create-drop", "create-only", "update" })
    void leaseTableIsMadeWhereHibernateMakesTheSchema(String how) {
        this.environment.setProperty("spring.jpa.hibernate.ddl-auto", how);
        assertThat(makesSchema()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { "validate", "none", "drop" })
    void leaseTableIsNotMadeWhereHibernateMakesNothing(String how) {
        this.environment.setProperty("spring.jpa.hibernate.ddl-auto", how);
        assertThat(makesSchema()).isFalse();
    }

    @Test
    void leaseTableIsNotMadeWhereNothingIsSaidOfTheSchema() {
        assertThat(makesSchema()).isFalse();
    }

    @Test
    void propertyOfHibernateCountsWhereTheOneOfSpringBootIsNotSet() {
        this.environment.setProperty("spring.jpa.properties.hibernate.hbm2ddl.auto", "update");
        assertThat(makesSchema()).isTrue();

        this.environment.setProperty("spring.jpa.hibernate.ddl-auto", "validate");
        assertThat(makesSchema()).isFalse();
    }

    private boolean makesSchema() {
        return ApplicationLease.makesSchema(this.environment);
    }

    @ShardedIdDataSource
    private static class MarkedRouter extends AbstractRoutingDataSource {

        @Override
        protected Object determineCurrentLookupKey() {
            throw new IllegalStateException("a thread of the keeper is in no transaction");
        }

    }

    private static final class Router extends AbstractRoutingDataSource {

        private final String tenant;

        Router(String tenant) {
            this.tenant = tenant;
        }

        @Override
        protected Object determineCurrentLookupKey() {
            return this.tenant;
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class OwnLogin {

        volatile int asked;

        @Bean
        Supplier<LeaseLogin> leaseLogin() {
            return () -> {
                this.asked++;
                return new LeaseLogin("sa", "");
            };
        }

    }

    /** Holds the only connection of the pool before there is an engine. */
    @Configuration(proxyBeanMethods = false)
    static class EmptyPool {

        @Bean
        Connection theOnlyOne(DataSource pool) throws SQLException {
            return pool.getConnection();
        }

    }

}
