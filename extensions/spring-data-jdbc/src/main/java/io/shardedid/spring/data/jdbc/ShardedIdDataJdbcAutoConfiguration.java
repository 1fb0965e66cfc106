package io.shardedid.spring.data.jdbc;

import io.shardedid.ShardedIds;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import io.shardedid.spring.boot.ShardedIdExceptionTranslator;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;
import org.springframework.data.relational.core.mapping.event.BeforeConvertCallback;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that lets Spring Data JDBC read
 * {@code @ShardedId}, and gives it the right exceptions.
 *
 * @apiNote Applications name this class to exclude it, and to start it alone in a test.
 * @since 0.1
 */
@AutoConfiguration(after = ShardedIdAutoConfiguration.class,
        afterName = "io.shardedid.spring.boot.ShardedIdJpaAutoConfiguration")
@ConditionalOnClass({ ShardedIds.class, JdbcMappingContext.class, BeforeConvertCallback.class })
public final class ShardedIdDataJdbcAutoConfiguration {

    ShardedIdDataJdbcAutoConfiguration() {
    }

    @Bean
    AggregateIdCallback shardedIdAggregateIdCallback(ObjectProvider<ShardedIds> engines,
            ObjectProvider<ShardedIdSettings> settings, ObjectProvider<JdbcMappingContext> mappings) {
        return new AggregateIdCallback(engines, settings, mappings);
    }

    @Bean
    @ConditionalOnMissingBean(name = "shardedIdExceptionTranslator")
    ShardedIdExceptionTranslator shardedIdExceptionTranslator() {
        return new ShardedIdExceptionTranslator();
    }

}
