package io.shardedid.spring.boot;

import java.util.UUID;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.spring.actuate.ShardedIdEndpoint;
import io.shardedid.spring.actuate.ShardedIdHealthIndicator;
import io.shardedid.spring.actuate.ShardedIdMetrics;
import io.shardedid.spring.feed.Author;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The first lease fixes layout and epoch, so the starter on the class path takes none
 * before somebody wants ids.
 */
class EngineOnDemandTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
                HibernateJpaAutoConfiguration.class, TransactionAutoConfiguration.class,
                ShardedIdAutoConfiguration.class, ShardedIdJpaAutoConfiguration.class))
        .withConfiguration(OurConfigurations.named("ShardedIdHealthAutoConfiguration",
                "ShardedIdEndpointAutoConfiguration", "ShardedIdMetricsAutoConfiguration"))
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                "spring.jpa.hibernate.ddl-auto=update", "management.endpoints.web.exposure.include=shardedid");

    private static int leaseTables(ApplicationContext context) {
        return context.getBean(JdbcTemplate.class)
            .queryForList("SELECT 1 FROM information_schema.tables WHERE table_name = 'SHARDEDID_WORKER'")
            .size();
    }

    @Test
    void nothingIsLeasedBeforeABeanAsksForIds() {
        this.runner.run((context) -> {
            assertThat(context.getBean(ShardedIdHealthIndicator.class).health().getStatus()).isEqualTo(Status.UP);
            assertThat(context.getBean(ShardedIdEndpoint.class).engine()).isNull();
            context.getBean(ShardedIdMetrics.class).bindTo(context.getBean(MeterRegistry.class));
            assertThat(context.getBean(MeterRegistry.class).get("shardedid.worker.id").gauge().value()).isEqualTo(-1);
            assertThat(leaseTables(context)).isZero();

            assertThat(context.getBean(ShardedIds.class).next(1)).isPositive();

            assertThat(leaseTables(context)).isOne();
            assertThat(context.getBean(ShardedIdEndpoint.class).engine()).isNotNull();
            assertThat(context.getBean(MeterRegistry.class).get("shardedid.worker.id").gauge().value()).isNotNegative();
        });
    }

    /** A checkpoint of its memory would hold the lease, and each copy of it, too. */
    @Test
    void engineThatOpensWhileTheContextStandsStillHoldsNoLease() {
        this.runner.run((context) -> {
            context.getSourceApplicationContext().stop();
            assertThat(context.getBean(ShardedIdEngine.class).stats().worker()).isNegative();

            context.getSourceApplicationContext().start();
            assertThat(context.getBean(ShardedIdEngine.class).next(1)).isPositive();
        });
    }

    @Test
    void engineThatOpensAfterTheEndOfTheContextIsClosed() {
        EngineLifecycle lifecycle = new EngineLifecycle();
        lifecycle.destroy();
        ShardedIdEngine late = ShardedIds.builder().workers(WorkerLeases.fixed(19)).open();

        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> lifecycle.opened(late));
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> late.next(1));
    }

    @Test
    void whoAsksSoonAfterAFailureHearsOfItAtOnce() {
        EngineLifecycle lifecycle = new EngineLifecycle();
        lifecycle.refuseAfterFailure();
        IllegalStateException failure = new IllegalStateException("no table");

        lifecycle.failed(failure);

        assertThatThrownBy(lifecycle::refuseAfterFailure).isSameAs(failure);
    }

    @Test
    void entityWithShardedIdsLeasesAtTheStart() {
        this.runner.withUserConfiguration(Feed.class).run((context) -> assertThat(leaseTables(context)).isOne());
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Author.class)
    static class Feed {

    }

}
