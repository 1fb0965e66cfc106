package io.shardedid.spring.actuate;

import io.shardedid.ShardedIdEngine;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link ShardedIdEndpoint}.
 */
@AutoConfiguration(after = ShardedIdAutoConfiguration.class)
@ConditionalOnClass({ ShardedIdEngine.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnSingleCandidate(ShardedIdEngine.class)
@ConditionalOnAvailableEndpoint(ShardedIdEndpoint.class)
final class ShardedIdEndpointAutoConfiguration {

    ShardedIdEndpointAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    ShardedIdEndpoint shardedIdEndpoint(ConfigurableListableBeanFactory beans) {
        return new ShardedIdEndpoint(EngineMonitor.engineOf(beans));
    }

}
