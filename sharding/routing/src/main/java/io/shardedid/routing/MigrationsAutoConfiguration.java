package io.shardedid.routing;

import javax.sql.DataSource;

import liquibase.integration.spring.SpringLiquibase;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that lets Flyway and Liquibase run
 * over every database, over the home database first.
 */
@AutoConfiguration(after = DatabasesAutoConfiguration.class,
        beforeName = "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration")
@ConditionalOnBean(Databases.class)
final class MigrationsAutoConfiguration {

    MigrationsAutoConfiguration() {
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({ Flyway.class, FlywayMigrationStrategy.class })
    static class FlywayConfiguration {

        @Bean
        @ConditionalOnMissingBean
        FlywayMigrationStrategy shardedIdFlywayMigrationStrategy(Databases databases) {
            return (flyway) -> {
                for (String name : databases.namesAtStart()) {
                    try {
                        Flyway.configure(flyway.getConfiguration().getClassLoader())
                            .configuration(flyway.getConfiguration())
                            .dataSource(databases.pool(name))
                            .load()
                            .migrate();
                    }
                    catch (FlywayException ex) {
                        throw DatabasesStart.unreachable("migrate a database", name, ex);
                    }
                }
            };
        }

    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SpringLiquibase.class)
    static class LiquibaseConfiguration {

        @Bean
        static LiquibaseOverAll shardedIdLiquibaseOverAll(ObjectProvider<Databases> databases) {
            return new LiquibaseOverAll(databases);
        }

    }

    /** Repeats what Liquibase has done to the home database in each of the others. */
    static final class LiquibaseOverAll implements BeanPostProcessor, AopInfrastructureBean {

        private final ObjectProvider<Databases> databases;

        LiquibaseOverAll(ObjectProvider<Databases> databases) {
            this.databases = databases;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (bean instanceof SpringLiquibase liquibase) {
                Databases known = this.databases.getObject();
                DataSource before = liquibase.getDataSource();
                for (String database : known.namesAtStart()) {
                    if (!database.equals(known.home())) {
                        run(liquibase, known.pool(database), database);
                    }
                }
                liquibase.setDataSource(before);
            }
            return bean;
        }

        private static void run(SpringLiquibase liquibase, DataSource pool, String database) {
            liquibase.setDataSource(pool);
            try {
                liquibase.afterPropertiesSet();
            }
            catch (Exception ex) {
                throw DatabasesStart.unreachable("migrate a database", database, ex);
            }
        }

    }

}
