package io.shardedid.routing;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the meter
 * {@code shardedid.routing.cross_shard}.
 */
@AutoConfiguration(after = RoutingAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ MeterRegistry.class, CrossShardCalls.class })
final class RoutingMetricsAutoConfiguration {

    RoutingMetricsAutoConfiguration() {
    }

    @Bean
    MeterBinder shardedIdRoutingMetrics(CrossShardCalls crossings) {
        return (registry) -> FunctionCounter.builder("shardedid.routing.cross_shard", crossings, CrossShardCalls::total)
            .description("Transactions that touched a second shard")
            .register(registry);
    }

}
