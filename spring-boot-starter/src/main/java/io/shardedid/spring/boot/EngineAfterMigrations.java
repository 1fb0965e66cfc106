package io.shardedid.spring.boot;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.shardedid.ShardedIds;
import io.shardedid.WorkerMode;
import io.shardedid.internal.config.ShardedIdKey;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Lets an engine that leases its worker come after Flyway, Liquibase and the SQL scripts
 * of Spring Boot, which may create the lease table.
 *
 * <p>
 * By their types only: {@code @DependsOnDatabaseInitialization} would make the engine
 * wait for the entity manager factory where
 * {@code spring.jpa.defer-datasource-initialization} is set, which itself waits for the
 * engine. There the migrations come after the entity manager factory, so the engine goes
 * before them.
 */
final class EngineAfterMigrations implements BeanFactoryPostProcessor, EnvironmentAware {

    private static final String LIQUIBASE = "liquibase.integration.spring.SpringLiquibase";

    private static final List<String> MIGRATIONS = List.of(
            "org.springframework.boot.flyway.autoconfigure.FlywayMigrationInitializer",
            "org.springframework.boot.autoconfigure.flyway.FlywayMigrationInitializer", LIQUIBASE,
            "org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer");

    private Environment environment = new StandardEnvironment();

    /** No parameter of the bean: so early, finding one asks every definition. */
    @Override
    public void setEnvironment(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        if (!leases() || this.environment.getProperty("spring.jpa.defer-datasource-initialization", Boolean.class,
                Boolean.FALSE)) {
            return;
        }
        String[] migrations = MIGRATIONS.stream()
            .flatMap((type) -> namesOf(type, beans))
            .distinct()
            .toArray(String[]::new);
        for (String engine : beans.getBeanNamesForType(ShardedIds.class, true, false)) {
            if (beans.containsBeanDefinition(engine)) {
                BeanDefinition definition = beans.getBeanDefinition(engine);
                definition.setDependsOn(StringUtils.concatenateStringArrays(definition.getDependsOn(), migrations));
            }
        }
    }

    /**
     * Returns whether a migration that has begun may not have ended yet: that of
     * Liquibase by a class of the application or of its framework, such as JHipster's,
     * which runs it on a thread of its own. Those of Liquibase and of Spring Boot have
     * ended.
     */
    static boolean mayGoOn(ConfigurableListableBeanFactory beans) {
        return namesOf(LIQUIBASE, beans).filter(beans::containsSingleton)
            .map((begun) -> beans.getBean(begun).getClass().getName())
            .anyMatch((type) -> !type.startsWith("liquibase.") && !type.startsWith("org.springframework.boot."));
    }

    private boolean leases() {
        return Binder.get(this.environment)
            .bind(ShardedIdKey.WORKER_MODE.externalName(), WorkerMode.class)
            .orElse(WorkerMode.LEASE) == WorkerMode.LEASE;
    }

    private static Stream<String> namesOf(String type, ConfigurableListableBeanFactory beans) {
        if (!ClassUtils.isPresent(type, beans.getBeanClassLoader())) {
            return Stream.empty();
        }
        return Arrays.stream(
                beans.getBeanNamesForType(ClassUtils.resolveClassName(type, beans.getBeanClassLoader()), true, false));
    }

}
