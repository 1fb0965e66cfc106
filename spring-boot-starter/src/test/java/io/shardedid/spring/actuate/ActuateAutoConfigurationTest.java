package io.shardedid.spring.actuate;

import java.util.Map;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.spring.boot.LeaseMonitor;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class ActuateAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(
                AutoConfigurations.of(ShardedIdAutoConfiguration.class, ShardedIdEndpointAutoConfiguration.class,
                        ShardedIdHealthAutoConfiguration.class, ShardedIdMetricsAutoConfiguration.class))
        .withPropertyValues("shardedid.worker.mode=fixed", "shardedid.worker.id=8", "shardedid.clock.max-ahead=10ms",
                "management.endpoints.web.exposure.include=*", "management.endpoints.jmx.exposure.include=shardedid");

    private final ApplicationContextRunner measured = this.runner
        .withBean(SimpleMeterRegistry.class, SimpleMeterRegistry::new)
        .withConfiguration(
                AutoConfigurations.of(MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class));

    @Test
    void healthIsOn() {
        this.runner.run((context) -> assertThat(context).hasBean("shardedidHealthIndicator"));
    }

    @Test
    void healthIsNamedAsEverythingElse() {
        this.runner
            .withConfiguration(AutoConfigurations.of(HealthContributorAutoConfiguration.class,
                    HealthContributorRegistryAutoConfiguration.class, HealthEndpointAutoConfiguration.class))
            .withPropertyValues("management.endpoint.health.group.readiness.include=shardedid")
            .run((context) -> {
                HealthEndpoint health = context.getBean(HealthEndpoint.class);
                assertThat(health.healthForPath("shardedid").getStatus()).isEqualTo(Status.UP);
                assertThat(health.healthForPath("readiness").getStatus()).isEqualTo(Status.UP);
            });
    }

    @Test
    void healthIsOffByProperty() {
        this.runner.withPropertyValues("management.health.shardedid.enabled=false")
            .run((context) -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
    }

    @Test
    void healthBacksOffWhenTheApplicationDefinesItsOwn() {
        this.runner.withBean("shardedidHealthIndicator", HealthIndicator.class, () -> () -> null)
            .run((context) -> assertThat(context).hasSingleBean(HealthIndicator.class)
                .doesNotHaveBean(ShardedIdHealthIndicator.class));
    }

    @Test
    void healthBacksOffForAContributorOfItsName() {
        this.runner.withBean("shardedidHealthContributor", HealthIndicator.class, () -> () -> null)
            .run((context) -> assertThat(context).hasSingleBean(HealthIndicator.class)
                .doesNotHaveBean(ShardedIdHealthIndicator.class));
    }

    /** Their settings are known, but not which of them is meant, or what they leased. */
    @Test
    void healthBacksOffForEnginesOfTheApplication() {
        ShardedIdSettings settings = ShardedIdSettings
            .from(Map.of("shardedid.worker.mode", "fixed", "shardedid.worker.id", 0));
        ApplicationContextRunner one = this.runner.withBean(ShardedIdSettings.class, () -> settings)
            .withBean("one", ShardedIdEngine.class, () -> settings.builder().workers(WorkerLeases.fixed(0)).open());

        one.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ShardedIdHealthIndicator.class));
        one.withBean(LeaseMonitor.class)
            .run((context) -> assertThat(context).hasSingleBean(ShardedIdHealthIndicator.class));
        one.withBean(LeaseMonitor.class)
            .withBean("other", ShardedIdEngine.class, () -> settings.builder().workers(WorkerLeases.fixed(0)).open())
            .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ShardedIdHealthIndicator.class));
    }

    @Test
    void healthBacksOffWithoutItsClasses() {
        this.runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
            .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("shardedidHealthIndicator"));
    }

    @Test
    void endpointIsOn() {
        this.runner.run((context) -> assertThat(context).hasSingleBean(ShardedIdEndpoint.class));
    }

    @Test
    void endpointIsOffByProperty() {
        this.runner.withPropertyValues("management.endpoint.shardedid.access=NONE")
            .run((context) -> assertThat(context).doesNotHaveBean(ShardedIdEndpoint.class));
    }

    @Test
    void endpointIsOffUnlessItIsExposed() {
        new WebApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(ShardedIdAutoConfiguration.class, ShardedIdEndpointAutoConfiguration.class))
            .withPropertyValues("shardedid.worker.lease.acquire=first-use")
            .run((context) -> assertThat(context).doesNotHaveBean(ShardedIdEndpoint.class));
    }

    @Test
    void endpointIsOffWhenItIsNotExposed() {
        this.runner
            .withPropertyValues("management.endpoints.web.exposure.exclude=shardedid",
                    "management.endpoints.jmx.exposure.exclude=shardedid")
            .run((context) -> assertThat(context).doesNotHaveBean(ShardedIdEndpoint.class));
    }

    @Test
    void endpointBacksOffWhenTheApplicationDefinesItsOwn() {
        this.runner.withBean("own", ShardedIdEndpoint.class)
            .run((context) -> assertThat(context).hasSingleBean(ShardedIdEndpoint.class).hasBean("own"));
    }

    @Test
    void endpointBacksOffWithoutItsClasses() {
        this.runner.withClassLoader(new FilteredClassLoader(ConditionalOnAvailableEndpoint.class))
            .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("shardedIdEndpoint"));
    }

    @Test
    void metersAreBound() {
        this.measured.run((context) -> {
            context.getBean(ShardedIds.class).next(1);
            assertThat(context.getBean(MeterRegistry.class).get("shardedid.ids").functionCounter().count())
                .isEqualTo(1);
            assertThat(context.getBean(MeterRegistry.class).find("shardedid.lease.remaining").timeGauge()).isNull();
        });
    }

    @Test
    void metersAreOffByProperty() {
        this.measured.withPropertyValues("management.metrics.enable.shardedid=false")
            .run((context) -> assertThat(context.getBean(MeterRegistry.class).find("shardedid.ids").functionCounter())
                .isNull());
    }

    @Test
    void metersBackOffWithoutARegistry() {
        this.runner.run((context) -> assertThat(context).doesNotHaveBean(ShardedIdMetrics.class));
    }

    @Test
    void metersBackOffWhenTheApplicationDefinesTheirBinder() {
        this.measured
            .withBean("own", ShardedIdMetrics.class,
                    () -> new ShardedIdMetrics(ShardedIds.builder().workers(WorkerLeases.fixed(0)).open(),
                            new LeaseMonitor()))
            .run((context) -> assertThat(context).hasSingleBean(ShardedIdMetrics.class).hasBean("own"));
    }

    @Test
    void metersBackOffWithoutItsClasses() {
        this.runner.withClassLoader(new FilteredClassLoader(MeterRegistry.class))
            .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("shardedIdMetrics"));
    }

    /** What they show is more than such a bean has to offer. */
    @Test
    void everythingBacksOffForABeanThatIsDeclaredAsShardedIds() {
        this.measured.withBean(LeaseMonitor.class)
            .withBean(ShardedIdSettings.class, () -> ShardedIdSettings.from(Map.of()))
            .withBean("own", ShardedIds.class, () -> ShardedIds.builder().workers(WorkerLeases.fixed(0)).open())
            .run((context) -> assertThat(context).hasNotFailed()
                .hasSingleBean(ShardedIds.class)
                .doesNotHaveBean(ShardedIdEndpoint.class)
                .doesNotHaveBean(ShardedIdHealthIndicator.class)
                .doesNotHaveBean(ShardedIdMetrics.class));
    }

    @Test
    void everythingBacksOffWithoutAnEngine() {
        new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ShardedIdEndpointAutoConfiguration.class,
                    ShardedIdHealthAutoConfiguration.class, ShardedIdMetricsAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class, SimpleMeterRegistry::new)
            .withPropertyValues("management.endpoints.web.exposure.include=*")
            .run((context) -> assertThat(context).hasNotFailed()
                .doesNotHaveBean(ShardedIdEndpoint.class)
                .doesNotHaveBean(ShardedIdHealthIndicator.class)
                .doesNotHaveBean(ShardedIdMetrics.class)
                .doesNotHaveBean(ShardedIdSettings.class));
    }

}
