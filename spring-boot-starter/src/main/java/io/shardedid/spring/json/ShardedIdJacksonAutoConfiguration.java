package io.shardedid.spring.json;

import io.shardedid.ShardedId;
import io.shardedid.jackson.ShardedIdJacksonModule;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.module.SimpleModule;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for JSON of sharded ids. Off by
 * {@code shardedid.json.as-string=false}.
 */
@AutoConfiguration(beforeName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass({ ShardedId.class, JacksonModule.class })
public final class ShardedIdJacksonAutoConfiguration {

    ShardedIdJacksonAutoConfiguration() {
    }

    /**
     * Declares the module for a Spring Boot that does not find modules by itself. Jackson
     * registers it once, found and declared or not.
     */
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBooleanProperty(name = "shardedid.json.as-string", matchIfMissing = true)
    ShardedIdJacksonModule shardedIdJacksonModule() {
        return new ShardedIdJacksonModule();
    }

    /**
     * Takes the place of the module that Spring Boot finds, because it has the same
     * registration id and is added later.
     */
    @Bean
    @ConditionalOnMissingBean(ShardedIdJacksonModule.class)
    @Conditional(OnIdsAsNumbers.class)
    JacksonModule noShardedIdJacksonModule() {
        return new SimpleModule(ShardedIdJacksonModule.class.getName());
    }

    /**
     * Matches each word that Spring Boot takes for false: {@code off} and {@code no},
     * too.
     */
    private static final class OnIdsAsNumbers extends NoneNestedConditions {

        OnIdsAsNumbers() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnBooleanProperty(name = "shardedid.json.as-string", matchIfMissing = true)
        static final class AsString {

        }

    }

}
