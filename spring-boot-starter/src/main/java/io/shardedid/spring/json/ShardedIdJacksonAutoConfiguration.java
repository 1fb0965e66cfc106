package io.shardedid.spring.json;

import io.shardedid.ShardedId;
import io.shardedid.jackson.ShardedIdJacksonModule;
import io.shardedid.jackson.UnmarkedNumbers;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.module.SimpleModule;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for JSON of sharded ids. Off by
 * {@code shardedid.json.as-string=false}.
 */
@AutoConfiguration(beforeName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass({ ShardedId.class, JacksonModule.class })
@Import(UnmarkedNumbersConfiguration.class)
final class ShardedIdJacksonAutoConfiguration {

    ShardedIdJacksonAutoConfiguration() {
    }

    /**
     * Declares the module for a Spring Boot that does not find modules by itself. Jackson
     * registers it once, found and declared or not.
     */
    @Bean
    @ConditionalOnMissingBean
    @Conditional(IdsAsStrings.class)
    ShardedIdJacksonModule shardedIdJacksonModule(UnmarkedNumbers numbers) {
        return new ShardedIdJacksonModule(numbers);
    }

    /**
     * Replaces the module that Spring Boot finds where there must be none, because it has
     * the same registration id and is added later.
     */
    @Bean
    @ConditionalOnMissingBean(ShardedIdJacksonModule.class)
    JacksonModule noShardedIdJacksonModule() {
        return new SimpleModule(ShardedIdJacksonModule.class.getName());
    }

}
