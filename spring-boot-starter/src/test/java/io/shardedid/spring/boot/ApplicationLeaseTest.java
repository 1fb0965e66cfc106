package io.shardedid.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;
import io.shardedid.worker.table.LeaseConnections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void routerWithoutADefaultIsRefusedWithTheAnnotationToAdd(boolean lazy) {
        AbstractRoutingDataSource router = new Router();
        router.setTargetDataSources(Map.of("a", new DriverManagerDataSource("jdbc:h2:mem:a")));
        router.afterPropertiesSet();
        LazyConnectionDataSourceProxy later = new LazyConnectionDataSourceProxy();
        later.setTargetDataSource(router);
        LeaseConnections connections = ApplicationLease.connections(lazy ? later : router);

        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> connections.open(Duration.ofSeconds(1)))
            .withMessage("Could not lease a worker id: connection=borrowed from " + Router.class.getName()
                    + " (Cannot determine target DataSource for lookup key [null]; the router has no default, and the "
                    + "lease is kept outside of all transactions by which it could choose); mark one data source with "
                    + "'@ShardedIdDataSource'");
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
        return new ApplicationLease(null, null, List.of(), this.environment, List.of(), List.of(), false).get()
            .makesSchema();
    }

    private static final class Router extends AbstractRoutingDataSource {

        @Override
        protected Object determineCurrentLookupKey() {
            return null;
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
