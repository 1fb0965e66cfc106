package io.shardedid.routing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

import javax.sql.DataSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.SimpleAutowireCandidateResolver;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.health.DataSourceHealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the health of the databases:
 * each is named once, and one that is down does not take the application out of service,
 * unless it is the home database.
 */
@AutoConfiguration(after = DatabasesAutoConfiguration.class,
        beforeName = "org.springframework.boot.jdbc.autoconfigure.health.DataSourceHealthContributorAutoConfiguration")
@ConditionalOnClass({ ConditionalOnEnabledHealthIndicator.class, DataSourceHealthIndicator.class })
@ConditionalOnBean(Databases.class)
@ConditionalOnEnabledHealthIndicator("db")
final class DatabasesHealthAutoConfiguration {

    DatabasesHealthAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean(name = { "dbHealthIndicator", "dbHealthContributor" })
    HealthContributor dbHealthContributor(Databases databases, ConfigurableListableBeanFactory beans,
            ObjectProvider<DataSource> router) {
        Map<String, HealthContributor> all = new LinkedHashMap<>();
        all.put("databases", new DatabasesHealth(databases));
        SimpleAutowireCandidateResolver.resolveAutowireCandidates(beans, DataSource.class, false, true)
            .forEach((name, source) -> {
                if (!databases.pools().containsValue(source) && source != router.getIfAvailable()) {
                    all.put(name, new DataSourceHealthIndicator(source));
                }
            });
        return (all.size() == 1) ? all.get("databases") : CompositeHealthContributor.fromMap(all);
    }

    /** The databases of the router. They are asked side by side. */
    private static final class DatabasesHealth extends AbstractHealthIndicator {

        /** A database that answers later than this is down. */
        private static final int ANSWER_SECONDS = 5;

        private final Databases databases;

        DatabasesHealth(Databases databases) {
            super("Databases could not be asked");
            this.databases = databases;
        }

        @Override
        protected void doHealthCheck(Health.Builder health) throws InterruptedException, ExecutionException {
            Map<String, FutureTask<Status>> asked = new LinkedHashMap<>();
            this.databases.pools()
                .forEach((database, pool) -> asked.put(database, new FutureTask<>(() -> status(pool))));
            this.databases.sideBySide().accept(asked.values());
            health.up();
            String problem = this.databases.mapProblem();
            if (!problem.isEmpty()) {
                // the map in use is right, and a process that is started again would
                // have none
                health.withDetail("shard map", problem);
            }
            for (Map.Entry<String, FutureTask<Status>> task : asked.entrySet()) {
                Status status = task.getValue().get();
                health.withDetail(task.getKey(), status.getCode());
                if (status.equals(Status.DOWN) && task.getKey().equals(this.databases.home())) {
                    health.down();
                }
            }
        }

        private static Status status(DataSource pool) {
            try (Connection connection = pool.getConnection()) {
                return connection.isValid(ANSWER_SECONDS) ? Status.UP : Status.DOWN;
            }
            catch (SQLException ex) {
                return Status.DOWN;
            }
        }

    }

}
