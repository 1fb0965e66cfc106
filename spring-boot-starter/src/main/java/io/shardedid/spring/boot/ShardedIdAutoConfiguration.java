package io.shardedid.spring.boot;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.shardedid.LeaseAcquisition;
import io.shardedid.LeaseSource;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerMode;
import io.shardedid.internal.config.LeaseEnvironment;
import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.internal.lease.LeasedWorker;
import io.shardedid.internal.lease.jdbc.KeeperDatabase;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.internal.lease.jdbc.LeaseLogin;
import io.shardedid.internal.lease.jdbc.TableBeside;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.SpringProperties;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.metrics.ApplicationStartup;
import org.springframework.core.metrics.StartupStep;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link ShardedIds}. Backs off
 * when the application defines a {@code ShardedIds} bean of its own. A bean of type
 * {@link LeaseSource} replaces the settings of the worker, and a bean of type
 * {@link TimeSource} beside it replaces the clocks of the machine. In a context without
 * any database, and in a training run, the engine leases nothing before the first id; in
 * the former a call for one fails with the reason.
 *
 * @apiNote Applications name this class to exclude it, to start it alone in a test, and
 * to order configurations of their own.
 * @since 0.1
 */
@AutoConfiguration(afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
        "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration" })
@ConditionalOnClass(ShardedIds.class)
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
        ShardedIdSettings shardedIdSettings(ConfigurableEnvironment environment,
                ObjectProvider<ShardFunction> shardFunction, ListableBeanFactory beans) {
            Map<String, Object> settings = SetKeys.of(environment);
            boolean trains = "onRefresh".equalsIgnoreCase(SpringProperties.getProperty("spring.context.exit"));
            if (trains || NoDatabase.in(beans, settings)) {
                settings.put(ShardedIdKey.LEASE_ACQUIRE.externalName(), LeaseAcquisition.FIRST_USE);
            }
            for (String name : UnknownProperties.in(environment)) {
                // nothing reads it, so the settings refuse it
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
                        "The shard function must be given once: bean of type '%s', %s='%s'"
                            .formatted(bean.getClass().getName(), key, other),
                        "remove one of them", key);
            }
        }

        @Bean
        @ConditionalOnMissingBean
        LeaseMonitor shardedIdLeaseMonitor() {
            return new LeaseMonitor();
        }

        @Bean
        KeeperLog shardedIdKeeperLog() {
            return new KeeperLog();
        }

        /**
         * Opens when a bean asks for it, or an entity with sharded ids does: its table
         * then says by which layout ids are made, which is fixed from there on.
         */
        @Bean(destroyMethod = "close")
        @Lazy
        ShardedIdEngine shardedIds(ShardedIdSettings settings, EngineLifecycle lifecycle,
                ObjectProvider<DataSource> dataSources, @ShardedIdDataSource ObjectProvider<DataSource> own,
                ObjectProvider<WorkerLeaseListener> listeners, ObjectProvider<LeaseSource> ownWorkers,
                ObjectProvider<TimeSource> ownTime, ObjectProvider<Supplier<LeaseLogin>> logins,
                ObjectProvider<LeaseMonitor> monitors, ConfigurableListableBeanFactory beans, Environment environment,
                ApplicationStartup startup) {
            lifecycle.refuseAfterFailure();
            try {
                ShardedIdEngine ids = lifecycle
                    .opened(engine(settings, ownWorkers.getIfAvailable(), ownTime.getIfAvailable(), own, dataSources,
                            () -> new ApplicationLease(settings, beans, one(own.stream().toList()), dataSources,
                                    environment, listeners.orderedStream().toList(),
                                    EngineAfterMigrations.mayGoOn(beans), logins.getIfAvailable())
                                .get(),
                            startup));
                StartMessage.log(ids, settings);
                return ids;
            }
            catch (RuntimeException ex) {
                lifecycle.failed(ex);
                // so that health says so
                monitors.ifAvailable((monitor) -> monitor.renewalFailed(ex));
                throw ex;
            }
        }

        private static ShardedIdEngine engine(ShardedIdSettings settings, @Nullable LeaseSource workers,
                @Nullable TimeSource time, ObjectProvider<DataSource> own, ObjectProvider<DataSource> dataSources,
                Supplier<LeaseEnvironment> around, ApplicationStartup startup) {
            if (workers != null) {
                LeasedWorker.namespaceOf(workers, (store) -> !KeeperDatabase.isOf(store))
                    .ifPresent((namespace) -> refuseTable(settings, namespace, OptionalInt.empty(), own, dataSources));
                return settings.builder()
                    .workers(workers)
                    .timeSource((time != null) ? time : TimeSource.system())
                    .open();
            }
            if (time != null) {
                throw new ShardedIdConfigurationException(
                        ("The clocks of the engine must come with the source of its leases: bean of type '%s', beans "
                                + "of type 'LeaseSource'=0")
                            .formatted(time.getClass().getName()),
                        "declare both or neither");
            }
            if (settings.workerMode() == WorkerMode.FIXED) {
                // a worker id that is missing is refused before one that somebody else
                // has
                LeaseSource fixed = settings.workers(LeaseEnvironment.UNKNOWN);
                refuseTable(settings, settings.value(ShardedIdKey.LEASE_NAMESPACE, String.class), settings.workerId(),
                        own, dataSources);
                return settings.builder().workers(fixed).open();
            }
            return acquire(settings, around.get(), startup);
        }

        /** Worker ids that a lease table gives out must not come from somewhere else. */
        private static void refuseTable(ShardedIdSettings settings, String namespace, OptionalInt worker,
                ObjectProvider<DataSource> own, ObjectProvider<DataSource> dataSources) {
            DataSource marked = one(own.stream().toList());
            DataSource application = (marked != null) ? marked : dataSources.getIfUnique();
            if (application != null) {
                String table = String.valueOf(settings.get(ShardedIdKey.LEASE_TABLE));
                new TableBeside(LeaseConnections.own(application), table, namespace).refuse(worker);
            }
        }

        /** A primary one would be taken without a word. */
        private static @Nullable DataSource one(List<DataSource> marked) {
            if (marked.size() > 1) {
                throw new ShardedIdConfigurationException(
                        "One data source must lead to the lease table: marked with '@ShardedIdDataSource'=%s"
                            .formatted(marked.size()),
                        "leave the annotation on one of them");
            }
            return marked.isEmpty() ? null : marked.get(0);
        }

        /** Connecting, reading the layout row and taking the lease are one step. */
        private static ShardedIdEngine acquire(ShardedIdSettings settings, LeaseEnvironment around,
                ApplicationStartup startup) {
            StartupStep step = startup.start("shardedid.lease.acquire");
            try {
                ShardedIdEngine ids = settings.builder().workers(settings.workers(around)).open();
                step.tag("worker", () -> Integer.toString(ids.stats().worker()));
                return ids;
            }
            finally {
                step.end();
            }
        }

        @Bean
        EngineLifecycle shardedIdEngineLifecycle() {
            return new EngineLifecycle();
        }

    }

}
