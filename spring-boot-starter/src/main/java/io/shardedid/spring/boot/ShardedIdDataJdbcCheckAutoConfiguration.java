package io.shardedid.spring.boot;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.data.relational.core.mapping.RelationalPersistentProperty;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that fails the start where
 * aggregates of Spring Data JDBC have {@code @ShardedId}, and the extension is missing
 * that reads it.
 */
@AutoConfiguration
@ConditionalOnClass({ ShardedId.class, JdbcMappingContext.class })
final class ShardedIdDataJdbcCheckAutoConfiguration {

    ShardedIdDataJdbcCheckAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingClass("io.shardedid.spring.data.jdbc.ShardedIdDataJdbcAutoConfiguration")
    static SmartInitializingSingleton shardedIdAggregateCheck(ObjectProvider<JdbcMappingContext> mappings) {
        return () -> mappings.stream()
            .flatMap((mapping) -> mapping.getPersistentEntities().stream())
            .forEach(ShardedIdDataJdbcCheckAutoConfiguration::check);
    }

    private static void check(RelationalPersistentEntity<?> aggregate) {
        for (RelationalPersistentProperty property : aggregate) {
            if (property.isAnnotationPresent(ShardedId.class)) {
                throw new ShardedIdConfigurationException(
                        ("Could not find what gives '@ShardedId' its ids: attribute='%s.%s' (with Spring Data JDBC "
                                + "that is the extension 'shardedid-spring-data-jdbc')")
                            .formatted(aggregate.getType().getName(), property.getName()),
                        "add the dependency 'io.shardedid:shardedid-spring-data-jdbc' in the version of the starter");
            }
        }
    }

}
