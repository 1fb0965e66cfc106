package io.shardedid.routing;

import java.util.function.Supplier;

import javax.sql.DataSource;

import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.shards.JdbcShardDirectory;
import io.shardedid.shards.ShardMap;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import org.hibernate.SessionFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.dao.support.PersistenceExceptionTranslator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.util.function.SingletonSupplier;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the linter: each transaction
 * that touches two shards is logged, or fails, as {@code shardedid.routing.guard} says.
 */
@AutoConfiguration(after = ShardedIdAutoConfiguration.class,
        beforeName = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
@ConditionalOnClass({ ShardedIds.class, SessionFactory.class })
@Conditional(RoutingAutoConfiguration.OnGuard.class)
@EnableConfigurationProperties(RoutingProperties.class)
final class RoutingAutoConfiguration {

    RoutingAutoConfiguration() {
    }

    @Bean
    static RoutedSessionFactories shardedIdRoutedSessionFactories(ObjectProvider<ShardBindings> bindings,
            ObjectProvider<Databases> databases, ObjectProvider<DataSource> dataSource, Environment environment) {
        return new RoutedSessionFactories(bindings, databases, dataSource,
                Binder.get(environment).bind(ShardedIdKey.ON_KEY_CHANGE.externalName(), String.class).orElse(null));
    }

    @Bean
    CrossShardCalls shardedIdCrossShardCalls() {
        return new CrossShardCalls();
    }

    @Bean
    ShardBindings shardedIdShardBindings(RoutingProperties properties, ObjectProvider<Homes> homes,
            CrossShardCalls crossings) {
        Homes known = homes.getIfUnique(() -> Homes.ONE_DATABASE);
        RoutingGuard byDefault = known.several() ? RoutingGuard.SHARD : RoutingGuard.LOG;
        return new ShardBindings((properties.guard() != null) ? properties.guard() : byDefault, known, crossings);
    }

    @Bean
    @ConditionalOnMissingBean(Shards.class)
    ScopedShards shardedIdShards(ShardBindings bindings, ObjectProvider<ShardedIds> ids,
            ObjectProvider<Databases> databases, ObjectProvider<PlatformTransactionManager> transactions,
            RoutedSessionFactories factories) {
        Databases several = databases.getIfAvailable();
        Supplier<ShardMap> map = (several != null) ? several::map
                : SingletonSupplier.of(() -> ScopedShards.mapOfOne(bindings.homes().home(), ids.getObject().shards()));
        return new ScopedShards(bindings, ids::getObject, map, transactions::getObject, factories::shardOfRow);
    }

    @Bean
    static RepositoryRouting shardedIdRepositoryRouting(ObjectProvider<ShardBindings> bindings,
            ObjectProvider<RoutedSessionFactories> factories) {
        return new RepositoryRouting(bindings, factories);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ScopeAdvisor shardedIdScopeAdvisor(ObjectProvider<ShardBindings> bindings,
            ObjectProvider<ScopedShards> shards) {
        return new ScopeAdvisor(bindings::getObject, shards::getObject);
    }

    /** The first of all, so that no other one wraps what the router refuses. */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static PersistenceExceptionTranslator shardedIdRefusals() {
        return (failure) -> {
            ShardedIdException refusal = Refusals.in(failure);
            if (refusal != null) {
                throw refusal;
            }
            return null;
        };
    }

    @Bean
    @ConditionalOnBean(Databases.class)
    DatabasesStart shardedIdDatabasesStart(Databases databases, RoutedSessionFactories factories,
            ListableBeanFactory beans, ShardedIds ids, Environment environment) {
        boolean leasesElsewhere = environment.containsProperty("shardedid.worker.lease.url");
        String namespace = (ids instanceof ShardedIdEngine engine && !leasesElsewhere)
                ? JdbcShardDirectory.namespaceOf(engine).orElse(null) : null;
        return new DatabasesStart(databases, factories, beans, namespace,
                environment.getProperty("shardedid.worker.lease.table", "shardedid_worker"));
    }

    /** Spring Boot gives it to every transaction manager that it makes. */
    @Bean
    TransactionExecutionListener shardedIdTransactionScopes(ObjectProvider<ShardBindings> bindings) {
        Supplier<ShardBindings> known = SingletonSupplier.of(bindings::getObject);
        return new TransactionExecutionListener() {

            @Override
            public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
                if (failure == null) {
                    known.get().transactionBegan();
                }
            }

        };
    }

    /** One database without the linter needs nothing. */
    static final class OnGuard extends SpringBootCondition {

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            RoutingGuard guard = Binder.get(context.getEnvironment())
                .bind("shardedid.routing.guard", RoutingGuard.class)
                .orElse(RoutingGuard.LOG);
            return new ConditionOutcome(
                    guard != RoutingGuard.OFF || DatabasesProperties.areSet(context.getEnvironment()),
                    ConditionMessage.forCondition("guard").because("shardedid.routing.guard=" + guard));
        }

    }

}
