package io.shardedid.spring.aggregates;

import java.util.Collection;
import java.util.List;

import javax.sql.DataSource;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.spring.boot.OurConfigurations;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.PlatformTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Aggregates of Spring Data JDBC beside the starter alone. The repositories are public,
 * because another class loader makes their proxies.
 */
class AggregatesWithoutExtensionTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(OurConfigurations.named("ShardedIdDataJdbcCheckAutoConfiguration"))
        .withClassLoader(new FilteredClassLoader("io.shardedid.spring.data.jdbc"));

    @Test
    void aStartWithAShardedIdFailsWithTheDependencyToAdd() {
        this.runner.withUserConfiguration(WithPhotos.class)
            .run((context) -> assertThat(context).getFailure()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessage("Could not find what gives '@ShardedId' its ids: attribute='" + Photo.class.getName()
                        + ".id' (with Spring Data JDBC that is the extension 'shardedid-spring-data-jdbc'); add the "
                        + "dependency 'io.shardedid:shardedid-spring-data-jdbc' in the version of the starter"));
    }

    @Test
    void aggregatesWithIdsOfTheDatabaseStart() {
        this.runner.withUserConfiguration(WithCountries.class)
            .run((context) -> assertThat(context).hasNotFailed().hasSingleBean(Countries.class));
    }

    public interface Photos extends CrudRepository<Photo, Long> {

    }

    @Table
    record Photo(@Id @ShardedId(shardKey = "userId") Long id, Long userId) {

    }

    public interface Countries extends CrudRepository<Country, Long> {

    }

    @Table
    record Country(@Id Long id, String name) {

    }

    @Configuration(proxyBeanMethods = false)
    @EnableJdbcRepositories(considerNestedRepositories = true,
            excludeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Countries.class))
    static class WithPhotos extends Database {

    }

    @Configuration(proxyBeanMethods = false)
    @EnableJdbcRepositories(considerNestedRepositories = true,
            excludeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Photos.class))
    static class WithCountries extends Database {

    }

    static class Database extends AbstractJdbcConfiguration {

        /** The repositories name the aggregates. */
        @Override
        protected Collection<String> getMappingBasePackages() {
            return List.of();
        }

        @Bean
        DataSource dataSource() {
            return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
        }

        @Bean
        NamedParameterJdbcOperations jdbcOperations(DataSource dataSource) {
            return new NamedParameterJdbcTemplate(dataSource);
        }

        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

    }

}
