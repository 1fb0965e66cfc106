package io.shardedid.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
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
import io.shardedid.WorkerLeaseException;
import io.shardedid.LeaseSettings;
import io.shardedid.JdbcWorkerLeases;
import io.shardedid.internal.lease.jdbc.LeaseLogin;
import org.h2.Driver;
import org.h2.jdbcx.JdbcDataSource;
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
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ApplicationLeaseTest {

    private final MockEnvironment environment = new MockEnvironment();

    @Test
    void keeperNeedsNoConnectionOfThePool() {
        new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class))
            .withUserConfiguration(EmptyPool.class)
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                    "spring.datasource.hikari.maximum-pool-size=1", "spring.datasource.hikari.connection-timeout=250",
                    "shardedid.worker.lease.window=1s", "shardedid.worker.lease.startup-timeout=2s",
                    "shardedid.clock.max-ahead=10ms")
            .run((context) -> {
                assertThat(context).hasNotFailed();
                assertThat(context.getBean(HikariDataSource.class).getHikariPoolMXBean().getIdleConnections()).isZero();
                assertThat(context.getBean(ShardedIds.class).next(1)).isPositive();
            });
    }

    @Test
    void defaultOfARouterStandsForIt() {
        DriverManagerDataSource home = new DriverManagerDataSource("jdbc:h2:mem:home");
        AbstractRoutingDataSource router = new AbstractRoutingDataSource() {

            @Override
            protected Object determineCurrentLookupKey() {
                throw new IllegalStateException("a thread of the keeper is in no transaction");
            }

        };
        router.setTargetDataSources(Map.of("a", home));
        router.setDefaultTargetDataSource(home);
        router.afterPropertiesSet();

        assertThat(ApplicationLease.connections(new LazyConnectionDataSourceProxy(router)).describe())
            .isEqualTo(ApplicationLease.connections(home).describe())
            .contains("jdbc:h2:mem:home");
    }

    /** A router may know a tenant on every thread, and another one in each process. */
    @ParameterizedTest
    @CsvSource({ "false,", "true,", "false,a", "true,a", "false,b" })
    void routerWithoutADefaultIsRefusedWhateverItAnswers(boolean lazy, String tenant) {
        AbstractRoutingDataSource router = new Router(tenant);
        router.setTargetDataSources(Map.of("a", new DriverManagerDataSource("jdbc:h2:mem:a"), "b",
                new DriverManagerDataSource("jdbc:h2:mem:b")));
        router.afterPropertiesSet();
        LazyConnectionDataSourceProxy later = new LazyConnectionDataSourceProxy();
        later.setTargetDataSource(router);

        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
            .withBean(DataSource.class, () -> lazy ? later : router)
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContainingAll("source=" + Router.class.getName(), "target=null",
                        "setDefaultTargetDataSource"));
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
    void poolThatOnlyReadsIsRefusedWithWhatToMark() {
        new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:reads", "spring.datasource.hikari.read-only=true",
                    "spring.datasource.hikari.pool-name=replica")
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContainingAll("connection=jdbc:h2:mem:reads", "pool='replica'", "@ShardedIdDataSource"));
    }

    /** What a failed start shows, and the log of each start. */
    @Test
    void dataSourceThatMayConnectByMoreThanItShowsIsNamedWithWhatToDo() {
        JdbcDataSource some = new JdbcDataSource();
        some.setUrl("jdbc:h2:mem:some");

        assertThat(ApplicationLease.lease(some).describe())
            .isEqualTo("jdbc:h2:mem:some by the URL, the user and the password of org.h2.jdbcx.JdbcDataSource alone "
                    + "(mark it with '@ShardedIdDataSource' if it connects by more)");
        assertThat(ApplicationLease.lease(new DriverManagerDataSource("jdbc:h2:mem:all")).describe())
            .isEqualTo("jdbc:h2:mem:all");
    }

    @Test
    @Tag("slow")
    void dataSourceThatLeadsToAnotherTableThanItShowsIsRefused() {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;INIT=CREATE SCHEMA IF NOT EXISTS sales";
        DataSource elsewhere = new SimpleDriverDataSource(new Driver(), url, "sa", "") {

            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setSchema("SALES");
                return connection;
            }

        };
        ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class));

        runner.withBean(DataSource.class, () -> elsewhere)
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContainingAll("table=shardedid_worker", "connection=jdbc:h2:mem")
                .hasMessageContaining("does not read the lease that was just written there: there is no such table")
                .hasMessageContaining("mark the data source that leads to the lease table"));
        runner.withBean(DataSource.class, () -> elsewhere)
            .withPropertyValues("shardedid.worker.lease.acquire=first-use", "shardedid.clock.max-wait=6s")
            .run((context) -> assertThatThrownBy(() -> context.getBean(ShardedIds.class).next(1))
                .isInstanceOf(WorkerLeaseException.class)
                .hasMessageContaining("there is no such table"));
        runner.withBean(DataSource.class, () -> new SimpleDriverDataSource(new Driver(), url, "sa", ""))
            .run((context) -> assertThat(context.getBean(ShardedIds.class).next(1)).isPositive());
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
        runner.withPropertyValues("shardedid.worker.lease.password=s3cret")
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
        assertThat(ApplicationLease.mayBePrivate(new DriverManagerDataSource(url), null)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:postgresql://db/x", "jdbc:h2:tcp://db/x", "jdbc:hsqldb:hsql://db/x",
            "jdbc:otel:mariadb://db/x" })
    void asksNoDataSourceBesideAServer(String url) {
        assertThat(ApplicationLease.mayBePrivate(null, url)).isFalse();
        assertThat(ApplicationLease.mayBePrivate(new DriverManagerDataSource(url), null)).isFalse();
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
        return new ApplicationLease(null, null, List.of(), this.environment, List.of(), false, null).get()
            .makesSchema();
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
