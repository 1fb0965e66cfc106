package io.shardedid.routing;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link ShardsEndpoint}.
 */
@AutoConfiguration(after = RoutingAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(CrossShardCalls.class)
@ConditionalOnAvailableEndpoint(ShardsEndpoint.class)
final class ShardsEndpointAutoConfiguration {

    ShardsEndpointAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    ShardsEndpoint shardedIdShardsEndpoint(RoutedSessionFactories units, CrossShardCalls crossings,
            ObjectProvider<Databases> databases) {
        return new ShardsEndpoint(units, crossings, databases.getIfAvailable());
    }

}
