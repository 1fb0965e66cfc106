package io.shardedid.routing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdConfigurationException.Problem;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.shards.ShardDirectory;
import io.shardedid.shards.ShardMap;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import io.shardedid.shards.JdbcShardDirectory;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.util.function.SingletonSupplier;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the router: a pool for each
 * database below {@code shardedid.databases}, and the data source of the application that
 * chooses between them. Without such keys it adds nothing.
 */
@AutoConfiguration(beforeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
        before = { ShardedIdAutoConfiguration.class, RoutingAutoConfiguration.class })
@Conditional(DatabasesAutoConfiguration.OnDatabases.class)
@Import(DatabasesAutoConfiguration.Pools.class)
final class DatabasesAutoConfiguration {

    private static final Log LOG = LogFactory.getLog(DatabasesAutoConfiguration.class);

    DatabasesAutoConfiguration() {
    }

    @Bean(destroyMethod = "close")
    Databases shardedIdDatabases(Environment environment, BeanFactory beans, ObjectProvider<ShardDirectory> directory,
            ObjectProvider<TaskDecorator> decorator) {
        DatabasesProperties properties = DatabasesProperties.of(environment);
        Map<String, DataSource> pools = new LinkedHashMap<>();
        for (String name : properties.names()) {
            String bean = DatabasesProperties.bean(name, environment);
            pools.put(name, beans.getBean((bean != null) ? bean : name + DatabasesProperties.POOL, DataSource.class));
        }
        return new Databases(pools, properties, new SideBySide(properties.parallelism(), decorator.getIfUnique()),
                directory::getObject);
    }

    /**
     * The map as its table has it, kept by the keeper of the lease. A worker id without a
     * lease has no keeper: then the map stays as it was at the start, and the log says
     * so.
     */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    ShardDirectory shardedIdShardDirectory(Environment environment, ShardedIds ids, Databases databases) {
        DatabasesProperties properties = DatabasesProperties.of(environment);
        String text = properties.initialMap();
        ShardMap initial = ((text != null) ? ShardMap.parse(text, ids.shards())
                : ScopedShards.mapOfOne(properties.home(), ids.shards()))
            .checkDatabases(properties.names());
        if (ids instanceof ShardedIdEngine engine && JdbcShardDirectory.isPossibleWith(engine)) {
            return databases
                .closeWithPools(JdbcShardDirectory.open(engine, initial, properties.names(), properties.refresh()));
        }
        if (databases.several()) {
            LOG.warn(("The shard map stays as it is until the next start, because this process leases no worker id: "
                    + "map='%s'; stop it before a shard moves, or set 'shardedid.worker.mode' to 'lease'")
                .formatted(initial));
        }
        return ShardDirectory.of(initial);
    }

    /**
     * The data source of the application. It fetches a connection with the first
     * statement of a transaction, when the shard is known, and not when the transaction
     * begins: for that it has to know what a connection of the pools is like.
     */
    @Bean
    @Primary
    DataSource dataSource(Databases databases, ObjectProvider<ShardBindings> bindings) {
        RoutingDataSource router = new RoutingDataSource(databases, SingletonSupplier.of(bindings::getObject));
        router.afterPropertiesSet();
        LazyConnectionDataSourceProxy proxy = new LazyConnectionDataSourceProxy();
        proxy.setTargetDataSource(router);
        DataSource home = databases.pool(databases.home());
        try (Connection connection = home.getConnection()) {
            proxy.setDefaultAutoCommit(connection.getAutoCommit());
            proxy.setDefaultTransactionIsolation(connection.getTransactionIsolation());
        }
        catch (SQLException ex) {
            throw new ShardedIdConfigurationException(
                    new Problem(
                            "Could not connect to the home database: database=%s (%s)".formatted(databases.home(),
                                    DatabasesStart.why(ex)),
                            "start it, or correct '%s.%s.*'".formatted(DatabasesProperties.PREFIX, databases.home())),
                    ex);
        }
        return proxy;
    }

    /** One bean for each pool, so that health and meters see them. */
    static final class Pools implements ImportBeanDefinitionRegistrar {

        private final Environment environment;

        Pools(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            DatabasesProperties properties = DatabasesProperties.of(this.environment);
            for (String name : properties.names()) {
                if (DatabasesProperties.bean(name, this.environment) == null) {
                    RootBeanDefinition pool = new RootBeanDefinition(HikariDataSource.class,
                            () -> properties.pool(name, this.environment));
                    pool.setDefaultCandidate(false);
                    pool.setDestroyMethodName("close");
                    registry.registerBeanDefinition(name + DatabasesProperties.POOL, pool);
                }
            }
        }

    }

    /** Any key of a database. */
    static final class OnDatabases extends SpringBootCondition {

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return new ConditionOutcome(DatabasesProperties.areSet(context.getEnvironment()),
                    ConditionMessage.forCondition("databases").because(DatabasesProperties.PREFIX + ".*"));
        }

    }

}
