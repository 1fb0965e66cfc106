package io.shardedid.spring.actuate;

import io.shardedid.ShardedIdEngine;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link ShardedIdEndpoint}.
 *
 * @apiNote This class is no API for applications. Spring Boot needs it to be public.
 * @since 0.1
 */
@AutoConfiguration(after = ShardedIdAutoConfiguration.class)
@ConditionalOnClass({ ShardedIdEngine.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnSingleCandidate(ShardedIdEngine.class)
@ConditionalOnAvailableEndpoint(ShardedIdEndpoint.class)
public final class ShardedIdEndpointAutoConfiguration {

    ShardedIdEndpointAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    ShardedIdEndpoint shardedIdEndpoint(ShardedIdEngine ids) {
        return new ShardedIdEndpoint(ids);
    }

}
