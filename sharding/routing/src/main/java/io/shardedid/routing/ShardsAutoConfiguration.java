package io.shardedid.routing;

import java.util.OptionalInt;

import io.shardedid.ShardedIds;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link Shards} where nobody
 * looks ({@code shardedid.routing.guard=off} with one database), so that code that is
 * written for several databases runs there too. Its scopes choose nothing, because there
 * is one database, and a transaction may touch several shards. A shard that the layout
 * does not have, and {@code inEach} inside of a transaction, fail as with several
 * databases.
 */
@AutoConfiguration(after = { ShardedIdAutoConfiguration.class, RoutingAutoConfiguration.class })
@ConditionalOnClass({ ShardedIds.class, PlatformTransactionManager.class })
@ConditionalOnMissingBean(Shards.class)
final class ShardsAutoConfiguration {

    @Bean
    @ConditionalOnBean(ShardedIds.class)
    Shards shardedIdShards(ObjectProvider<ShardedIds> ids, ObjectProvider<PlatformTransactionManager> transactions) {
        ShardBindings bindings = new ShardBindings(RoutingGuard.OFF, Homes.ONE_DATABASE, new CrossShardCalls());
        return new ScopedShards(bindings, ids::getObject,
                SingletonSupplier.of(() -> ScopedShards.mapOfOne(bindings.homes().home(), ids.getObject().shards())),
                transactions::getObject, (row) -> OptionalInt.empty());
    }

}
