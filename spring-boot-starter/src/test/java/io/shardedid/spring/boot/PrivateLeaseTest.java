package io.shardedid.spring.boot;

import java.util.UUID;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;
import io.shardedid.internal.lease.jdbc.LeaseLogin;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import static org.assertj.core.api.Assertions.assertThat;

/** A lease table that only this process sees. */
class PrivateLeaseTest {

    private static Server server;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
        .withBean(AsksForIds.class);

    @BeforeAll
    static void start() throws Exception {
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    }

    @AfterAll
    static void stop() {
        server.stop();
    }

    private static String inMemory() {
        return "jdbc:h2:mem:" + UUID.randomUUID();
    }

    private static String inMemory(String driver) {
        return "jdbc:" + driver + ":mem:" + UUID.randomUUID();
    }

    private static DataSource shared() {
        return new DriverManagerDataSource(
                "jdbc:h2:tcp://127.0.0.1:%s/mem:%s".formatted(server.getPort(), UUID.randomUUID()), "sa", "");
    }

    @ParameterizedTest
    @ValueSource(strings = { "h2", "hsqldb" })
    void isRefusedByUrlBesideADatabaseThatOthersReach(String driver) {
        this.runner.withBean(DataSource.class, PrivateLeaseTest::shared)
            .withPropertyValues("shardedid.worker.lease.url=" + inMemory(driver))
            .run((context) -> assertRefused(context.getStartupFailure(), context));
    }

    @ParameterizedTest
    @ValueSource(strings = { "h2", "hsqldb" })
    void isRefusedByUrlBesideSeveralDatabases(String driver) {
        this.runner.withBean("one", DataSource.class, PrivateLeaseTest::shared)
            .withBean("two", DataSource.class, PrivateLeaseTest::shared)
            .withPropertyValues("shardedid.worker.lease.url=" + inMemory(driver))
            .run((context) -> assertRefused(context.getStartupFailure(), context));
    }

    @ParameterizedTest
    @ValueSource(classes = { Marked.class, MarkedHsqldb.class })
    void isRefusedByAMarkedDataSource(Class<?> configuration) {
        this.runner.withUserConfiguration(configuration)
            .run((context) -> assertRefused(context.getStartupFailure(), context));
    }

    @Test
    void primaryOfTwoMarkedDataSourcesIsNotTakenWithoutAWord() {
        this.runner.withUserConfiguration(TwoMarked.class)
            .run((context) -> assertThat(context.getStartupFailure()).rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContainingAll("'@ShardedIdDataSource'=2", "one"));
    }

    @Test
    void dataSourceThatAUrlReplacesIsNotPassedOverWithoutAWord() {
        this.runner.withBean("rows", DataSource.class, PrivateLeaseTest::shared)
            .withPropertyValues("shardedid.worker.lease.url=" + inMemory(), "shardedid.worker.lease.data-source=rows")
            .run((context) -> assertThat(context.getStartupFailure()).rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContainingAll("shardedid.worker.lease.url", "data-source='rows'", "remove"));
    }

    @Test
    void loginWithoutAUrlIsNotPassedOverWithoutAWord() {
        this.runner.withBean(DataSource.class, PrivateLeaseTest::shared)
            .withUserConfiguration(Login.class)
            .run((context) -> assertThat(context.getStartupFailure()).rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContainingAll("LeaseLogin", "shardedid.worker.lease.url", "remove"));
    }

    @Test
    void isTakenBesideADatabaseOfThisProcess() {
        this.runner
            .withBean(DataSource.class,
                    () -> new DelegatingDataSource(new DriverManagerDataSource(inMemory(), "sa", "")))
            .withPropertyValues("shardedid.worker.lease.url=" + inMemory())
            .run((context) -> assertThat(context.getBean(ShardedIds.class).next(7)).isPositive());
    }

    /** The engine opens beside the context, so either may be the first to say so. */
    private static void assertRefused(Throwable startup, org.springframework.context.ApplicationContext context) {
        Throwable thrown = (startup != null) ? startup
                : org.assertj.core.api.Assertions.catchThrowable(() -> context.getBean(ShardedIds.class).next(7));
        while (thrown.getCause() != null) {
            thrown = thrown.getCause();
        }
        assertThat(thrown).isInstanceOf(ShardedIdConfigurationException.class)
            .hasMessageContaining("connection")
            .hasMessageContaining("only this process sees the lease table");
    }

    @Configuration(proxyBeanMethods = false)
    static class Marked {

        @Bean
        @Primary
        DataSource rows() {
            return shared();
        }

        @Bean
        @ShardedIdDataSource
        DataSource leases() {
            return new DriverManagerDataSource(inMemory(), "sa", "");
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class Login {

        @Bean
        Supplier<LeaseLogin> login() {
            return () -> new LeaseLogin("sa", "");
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class TwoMarked {

        @Bean
        @Primary
        @ShardedIdDataSource
        DataSource rows() {
            return shared();
        }

        @Bean
        @ShardedIdDataSource
        DataSource leases() {
            return shared();
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedHsqldb {

        @Bean
        @Primary
        DataSource rows() {
            return shared();
        }

        @Bean
        @ShardedIdDataSource
        EmbeddedDatabase leases() {
            return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.HSQL).generateUniqueName(true).build();
        }

    }

}
