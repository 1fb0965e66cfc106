package io.shardedid.spring.json;

import io.shardedid.ShardedId;
import io.shardedid.jackson.ShardedIdJacksonModule;
import tools.jackson.databind.JacksonModule;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for JSON of sharded ids. Off by
 * {@code shardedid.json.as-string=false}.
 */
@AutoConfiguration(beforeName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass({ ShardedId.class, JacksonModule.class })
@ConditionalOnBooleanProperty(name = "shardedid.json.as-string", matchIfMissing = true)
public final class ShardedIdJacksonAutoConfiguration {

    ShardedIdJacksonAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    ShardedIdJacksonModule shardedIdJacksonModule() {
        return new ShardedIdJacksonModule();
    }

}
