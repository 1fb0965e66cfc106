package io.shardedid.spring.boot;

import io.shardedid.ShardedIds;
import liquibase.integration.spring.SpringLiquibase;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationInitializer;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class EngineAfterMigrationsTest {

    private final MockEnvironment environment = new MockEnvironment();

    @Test
    void engineThatLeasesComesAfterMigrations() {
        assertThat(dependencies()).containsExactlyInAnyOrder("other", "flywayInitializer", "liquibase");
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

    private String[] dependencies() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        RootBeanDefinition engine = new RootBeanDefinition(ShardedIds.class);
        engine.setDependsOn("other");
        beans.registerBeanDefinition("ids", engine);
        beans.registerBeanDefinition("flywayInitializer", new RootBeanDefinition(FlywayMigrationInitializer.class));
        beans.registerBeanDefinition("liquibase", new RootBeanDefinition(SpringLiquibase.class));
        new EngineAfterMigrations(this.environment).postProcessBeanFactory(beans);
        return engine.getDependsOn();
    }

}
