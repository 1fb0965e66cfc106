package io.shardedid.routing;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties of the linter and the router.
 *
 * @param guard What happens when a transaction touches a second shard: 'log' unless set
 * with one database, 'shard' unless set with several.
 * @since 0.1
 */
@ConfigurationProperties("shardedid.routing")
public record RoutingProperties(@Nullable RoutingGuard guard) {
}
