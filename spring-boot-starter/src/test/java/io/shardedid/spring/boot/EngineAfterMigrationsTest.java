package io.shardedid.spring.boot;

import javax.sql.DataSource;

import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.worker.WorkerLeases;
import liquibase.integration.spring.SpringLiquibase;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationInitializer;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

class EngineAfterMigrationsTest {

    private final MockEnvironment environment = new MockEnvironment();

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
        try (ShardedIdEngine made = ShardedIds.builder().workers(WorkerLeases.none()).open()) {
            beans.registerSingleton("made", made);

            assertThatCode(() -> migrations().postProcessBeanFactory(beans)).doesNotThrowAnyException();
        }
    }

    @Test
    void engineFindsWhatFlywayHasMade() {
        new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, FlywayAutoConfiguration.class,
                    ShardedIdAutoConfiguration.class))
            .withUserConfiguration(EngineThatNeedsATable.class)
            .run((context) -> assertThat(context).hasNotFailed());
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

    @Configuration(proxyBeanMethods = false)
    static class EngineThatNeedsATable {

        @Bean
        ShardedIdEngine engine(DataSource database) {
            new JdbcTemplate(database).queryForList("select id from migrated");
            return ShardedIds.builder().workers(WorkerLeases.none()).open();
        }

    }

}
