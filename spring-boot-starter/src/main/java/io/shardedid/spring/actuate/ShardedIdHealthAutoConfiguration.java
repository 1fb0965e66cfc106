package io.shardedid.spring.actuate;

import io.shardedid.ShardedIdEngine;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.spring.boot.LeaseMonitor;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for
 * {@link ShardedIdHealthIndicator}.
 */
@AutoConfiguration(after = ShardedIdAutoConfiguration.class)
@ConditionalOnClass({ ShardedIdEngine.class, HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnSingleCandidate(ShardedIdEngine.class)
@ConditionalOnBean({ ShardedIdSettings.class, LeaseMonitor.class })
@ConditionalOnEnabledHealthIndicator("shardedid")
final class ShardedIdHealthAutoConfiguration {

    ShardedIdHealthAutoConfiguration() {
    }

    /** Its name makes it {@code shardedid} in health, as in all other places. */
    @Bean
    @ConditionalOnMissingBean(name = { "shardedidHealthIndicator", "shardedidHealthContributor" })
    ShardedIdHealthIndicator shardedidHealthIndicator(ConfigurableListableBeanFactory beans, ShardedIdSettings settings,
            LeaseMonitor leases) {
        return new ShardedIdHealthIndicator(EngineMonitor.engineOf(beans), settings, leases);
    }

}
