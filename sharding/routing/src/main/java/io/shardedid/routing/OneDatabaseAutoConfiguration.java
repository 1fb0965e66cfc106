package io.shardedid.routing;

import io.shardedid.ShardedIdEngine;
import io.shardedid.shards.JdbcShardDirectory;
import io.shardedid.shards.ShardDirectory;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for a process with one data source,
 * which does not route: it registers where movers look, so that none takes a shard away
 * from its database while it runs.
 */
@AutoConfiguration(after = { ShardedIdAutoConfiguration.class, DatabasesAutoConfiguration.class })
@ConditionalOnMissingBean({ Databases.class, ShardDirectory.class })
final class OneDatabaseAutoConfiguration {

    OneDatabaseAutoConfiguration() {
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnBean(ShardedIdEngine.class)
    AutoCloseable shardedIdOneDatabase(ShardedIdEngine engine) {
        return JdbcShardDirectory.isPossibleWith(engine) ? JdbcShardDirectory.registerOneDatabase(engine) : () -> {
        };
    }

}
