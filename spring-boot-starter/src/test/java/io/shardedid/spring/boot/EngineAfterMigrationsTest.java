package io.shardedid.spring.boot;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import liquibase.integration.spring.SpringLiquibase;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationInitializer;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

class EngineAfterMigrationsTest {

    private final MockEnvironment environment = new MockEnvironment();

    private final ApplicationContextRunner leasing = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class))
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                "shardedid.worker.lease.initialize-schema=never");

    @Test
    void engineThatLeasesComesAfterMigrations() {
        assertThat(dependencies()).containsExactlyInAnyOrder("other", "flywayInitializer", "liquibase", "scripts");
    }

    @Test
    void engineThatLeasesNothingWaitsForNobody() {
        this.environment.setProperty("shardedid.worker.mode", "fixed");

        assertThat(dependencies()).containsExactly("other");
    }

    @Test
    void engineComesBeforeMigrationsThatWaitForTheEntityManagerFactory() {
        this.environment.setProperty("spring.jpa.defer-datasource-initialization", "true");

        assertThat(dependencies()).containsExactly("other");
    }

    @Test
    void engineThatWasMadeBeforeIsLeftAlone() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        try (ShardedIdEngine made = ShardedIds.builder().workers(WorkerLeases.fixed(0)).open()) {
            beans.registerSingleton("made", made);

            assertThatCode(() -> migrations().postProcessBeanFactory(beans)).doesNotThrowAnyException();
        }
    }

    @Test
    void engineWaitsForTheTableOfAMigrationThatGoesOn() {
        this.leasing.withUserConfiguration(LiquibaseOnItsOwnThread.class)
            .run((context) -> assertThat(context.getBean(ShardedIds.class).next(1)).isPositive());
    }

    @Test
    void engineDoesNotWaitForATableThatAMigrationHasNotMade() {
        this.leasing.withUserConfiguration(LiquibaseThatHasEnded.class)
            .withBean(AsksForIds.class)
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("SHARDEDID_WORKER"));
    }

    private EngineAfterMigrations migrations() {
        EngineAfterMigrations migrations = new EngineAfterMigrations();
        migrations.setEnvironment(this.environment);
        return migrations;
    }

    private String[] dependencies() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        RootBeanDefinition engine = new RootBeanDefinition(ShardedIds.class);
        engine.setDependsOn("other");
        beans.registerBeanDefinition("ids", engine);
        beans.registerBeanDefinition("flywayInitializer", new RootBeanDefinition(FlywayMigrationInitializer.class));
        beans.registerBeanDefinition("liquibase", new RootBeanDefinition(SpringLiquibase.class));
        beans.registerBeanDefinition("scripts", new RootBeanDefinition(DataSourceScriptDatabaseInitializer.class));
        migrations().postProcessBeanFactory(beans);
        return engine.getDependsOn();
    }

    /** As JHipster does it; the table comes when the start has missed it once. */
    @Configuration(proxyBeanMethods = false)
    static class LiquibaseOnItsOwnThread {

        @Bean
        SpringLiquibase liquibase(DataSource database) {
            return new SpringLiquibase() {

                @Override
                public void afterPropertiesSet() {
                    Thread start = Thread.currentThread();
                    CompletableFuture.runAsync(() -> {
                        await().until(() -> waits(start));
                        new ResourceDatabasePopulator(new ClassPathResource("io/shardedid/lease-table-h2.sql"))
                            .execute(database);
                    });
                }

            };
        }

        private static boolean waits(Thread start) {
            return Arrays.stream(start.getStackTrace())
                .anyMatch((frame) -> frame.getMethodName().equals("park")
                        && frame.getClassName().startsWith("io.shardedid."));
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class LiquibaseThatHasEnded {

        @Bean
        SpringLiquibase liquibase() {
            SpringLiquibase liquibase = new SpringLiquibase();
            liquibase.setShouldRun(false);
            return liquibase;
        }

    }

}
