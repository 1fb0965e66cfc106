package io.shardedid.routing;

import io.shardedid.ShardedIds;
import io.shardedid.routing.ShardBindings.Homes;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import org.hibernate.SessionFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the linter: each transaction
 * that touches two shards is named or refused, as {@code shardedid.routing.guard} says.
 *
 * @apiNote This class is no API for applications. Spring Boot needs it to be public.
 * @since 0.1
 */
@AutoConfiguration(after = ShardedIdAutoConfiguration.class,
        beforeName = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
@ConditionalOnClass({ ShardedIds.class, SessionFactory.class })
@Conditional(RoutingAutoConfiguration.OnGuard.class)
@EnableConfigurationProperties(RoutingProperties.class)
public final class RoutingAutoConfiguration {

    RoutingAutoConfiguration() {
    }

    @Bean
    static RoutedSessionFactories shardedIdRoutedSessionFactories(ObjectProvider<ShardBindings> bindings) {
        return new RoutedSessionFactories(bindings);
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

    /** Spring Boot gives it to every transaction manager that it makes. */
    @Bean
    TransactionExecutionListener shardedIdTransactionScopes(ObjectProvider<ShardBindings> bindings) {
        return new TransactionExecutionListener() {

            @Override
            public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
                if (failure == null) {
                    bindings.getObject().transactionBegan();
                }
            }

        };
    }

    /** One database that nobody looks at needs nothing. */
    static final class OnGuard extends SpringBootCondition {

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            RoutingGuard guard = Binder.get(context.getEnvironment())
                .bind("shardedid.routing.guard", RoutingGuard.class)
                .orElse(RoutingGuard.LOG);
            return new ConditionOutcome(guard != RoutingGuard.OFF,
                    ConditionMessage.forCondition("guard").because("shardedid.routing.guard=" + guard));
        }

    }

}
