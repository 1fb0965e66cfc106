package io.shardedid.spring.actuate;

import io.micrometer.core.instrument.MeterRegistry;
import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerMode;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.spring.boot.LeaseMonitor;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link ShardedIdMetrics}.
 */
@AutoConfiguration(after = ShardedIdAutoConfiguration.class,
        afterName = {
                "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
                "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnClass({ ShardedIdEngine.class, MeterRegistry.class })
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnSingleCandidate(ShardedIdEngine.class)
final class ShardedIdMetricsAutoConfiguration {

    ShardedIdMetricsAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    ShardedIdMetrics shardedIdMetrics(ConfigurableListableBeanFactory beans, ObjectProvider<ShardedIdSettings> settings,
            ObjectProvider<LeaseMonitor> leases) {
        ShardedIdSettings known = settings.getIfUnique();
        boolean leased = known != null && known.workerMode() == WorkerMode.LEASE;
        @Nullable LeaseMonitor figures = leased ? leases.getIfUnique() : null;
        return new ShardedIdMetrics(EngineMonitor.engineOf(beans), figures);
    }

}
