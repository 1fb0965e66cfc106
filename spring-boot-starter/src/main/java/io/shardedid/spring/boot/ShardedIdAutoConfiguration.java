package io.shardedid.spring.boot;

import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;
import io.shardedid.config.LeaseEnvironment;
import io.shardedid.config.ShardedIdKey;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.test.TestClock;
import io.shardedid.test.TestWorker;
import io.shardedid.worker.WorkerLeaseListener;
import io.shardedid.worker.WorkerMode;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.metrics.ApplicationStartup;
import org.springframework.core.metrics.StartupStep;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link ShardedIds}. Backs off
 * when the application defines a {@code ShardedIds} bean of its own.
 */
@AutoConfiguration(afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass(ShardedIds.class)
@EnableConfigurationProperties(ShardedIdProperties.class)
public final class ShardedIdAutoConfiguration {

    ShardedIdAutoConfiguration() {
    }

    @Bean
    static EngineAfterMigrations shardedIdEngineAfterMigrations() {
        return new EngineAfterMigrations();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(ShardedIds.class)
    static class EngineConfiguration {

        @Bean
        ShardedIdSettings shardedIdSettings(ShardedIdProperties properties, ConfigurableEnvironment environment,
                ObjectProvider<ShardFunction> shardFunction) {
            Map<String, Object> settings = properties.toSettings();
            for (String name : UnknownProperties.in(environment)) {
                // nobody reads it, so the settings refuse it
                settings.put(name, "");
            }
            ShardFunction bean = shardFunction.getIfAvailable();
            if (bean != null) {
                take(bean, settings);
            }
            return ShardedIdSettings.from(settings);
        }

        private static void take(ShardFunction bean, Map<String, Object> settings) {
            String key = ShardedIdKey.SHARD_FUNCTION.externalName();
            Object other = settings.put(key, bean);
            if (other != null) {
                throw new ShardedIdConfigurationException(
                        "The shard function must be given once: bean of type '%s', %s='%s'; remove one of them"
                            .formatted(bean.getClass().getName(), key, other));
            }
        }

        @Bean
        @ConditionalOnMissingBean
        LeaseFigures shardedIdLeaseFigures() {
            return new LeaseFigures();
        }

        @Bean
        KeeperLog shardedIdKeeperLog() {
            return new KeeperLog();
        }

        @Bean(destroyMethod = "close")
        ShardedIds shardedIds(ShardedIdSettings settings, ObjectProvider<DataSource> dataSources,
                @ShardedIdDataSource ObjectProvider<DataSource> own, ObjectProvider<WorkerLeaseListener> listeners,
                ObjectProvider<TestWorker> testWorker, ObjectProvider<TestClock> testClock, Environment environment,
                ApplicationStartup startup) {
            TestWorker forTest = testWorker.getIfAvailable();
            ShardedIds ids;
            if (forTest != null) {
                ids = settings.open(forTest, testClock.getObject());
            }
            else if (settings.workerMode() != WorkerMode.LEASE) {
                ids = settings.open(LeaseEnvironment.UNKNOWN);
            }
            else {
                DataSource marked = own.getIfAvailable();
                List<DataSource> databases = ApplicationLease.mayBePrivate(marked, settings.get(ShardedIdKey.LEASE_URL))
                        ? dataSources.stream().toList() : List.of();
                ApplicationLease lease = new ApplicationLease(marked,
                        (marked != null) ? null : dataSources.getIfUnique(), databases, environment,
                        listeners.orderedStream().toList());
                ids = acquire(settings, lease.get(), startup);
            }
            EngineReport.log(ids, settings);
            return ids;
        }

        /** Connecting, reading the layout row and taking the lease are one step. */
        private static ShardedIds acquire(ShardedIdSettings settings, LeaseEnvironment around,
                ApplicationStartup startup) {
            StartupStep step = startup.start("shardedid.lease.acquire");
            try {
                ShardedIds ids = settings.open(around);
                step.tag("worker", () -> Integer.toString(ids.stats().worker()));
                return ids;
            }
            finally {
                step.end();
            }
        }

        @Bean
        EngineLifecycle shardedIdEngineLifecycle(ShardedIds ids) {
            return new EngineLifecycle(ids);
        }

    }

}
