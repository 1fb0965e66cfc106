package io.shardedid.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLeases;
import io.shardedid.WorkerMode;
import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.test.TestClock;
import io.shardedid.test.TestWorker;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.SpringProperties;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@ExtendWith(OutputCaptureExtension.class)
class ShardedIdAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
        .withPropertyValues("shardedid.worker.mode=fixed", "shardedid.worker.id=1", "shardedid.clock.max-ahead=10ms");

    @Test
    void opensAnEngineByTheProperties() {
        this.runner
            .withPropertyValues("shardedid.epoch=2024-01-01T00:00:00Z", "shardedid.shards=1024",
                    "shardedid.layout.preset=many-shards", "shardedid.shard-function=hash")
            .run((context) -> {
                ShardedIdEngine ids = context.getBean(ShardedIdEngine.class);
                assertThat(ids.layout())
                    .isEqualTo(IdLayout.manyShards().toBuilder().epoch(Instant.parse("2024-01-01T00:00:00Z")).build());
                assertThat(ids.shards()).isEqualTo(1024);
                assertThat(ids.reader().shardFunction().id()).isEqualTo("hash");
                assertThat(ids.parse(ids.next(77)).shard()).isEqualTo(77);
                assertThat(ids.parse(ids.next(77)).worker()).isEqualTo(1);
            });
    }

    @Test
    void closesTheEngineWithTheContext() {
        ShardedIds[] ids = new ShardedIds[1];
        this.runner.run((context) -> ids[0] = context.getBean(ShardedIdEngine.class));

        assertThatThrownBy(() -> ids[0].next(1)).isInstanceOf(ShardedIdException.class);
    }

    @Test
    void readsVariablesInBothSpellings() {
        this.runner
            .withInitializer((context) -> context.getEnvironment()
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", Map.of("SHARDEDID_WORKER_ID",
                        "2", "SHARDEDID_CLOCK_MAXWAIT", "7s", "SHARDEDID_CLOCK_MAX_AHEAD", "20ms"))))
            .run((context) -> {
                ShardedIdSettings settings = context.getBean(ShardedIdSettings.class);
                assertThat(settings.workerId()).hasValue(2);
                assertThat(settings.get(ShardedIdKey.CLOCK_MAX_WAIT)).isEqualTo(Duration.ofSeconds(7));
                assertThat(settings.get(ShardedIdKey.CLOCK_MAX_AHEAD)).isEqualTo(Duration.ofMillis(20));
            });
    }

    @Test
    void backsOffWhenTheApplicationDefinesAnEngine() {
        this.runner.withUserConfiguration(OwnEngine.class).run((context) -> {
            assertThat(context).hasSingleBean(ShardedIds.class).hasBean("ownIds");
            assertThat(context).doesNotHaveBean(ShardedIdSettings.class);
        });
    }

    @Test
    void leaseMonitorBacksOffWhenTheApplicationDefinesThem() {
        this.runner.withBean("own", LeaseMonitor.class)
            .run((context) -> assertThat(context).hasSingleBean(LeaseMonitor.class).hasBean("own"));
    }

    @Test
    void backsOffWithoutTheGenerator() {
        this.runner.withClassLoader(new FilteredClassLoader(ShardedIds.class))
            .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("shardedIdSettings"));
    }

    @Test
    void takesUpALeaseSourceBeanWithTheClocksBesideIt() {
        TestClock clock = TestClock.at(Instant.parse("2025-06-01T12:00:00Z"));
        this.runner.withBean(TestWorker.class, () -> TestWorker.of(5))
            .withBean(TestClock.class, () -> clock)
            .run((context) -> {
                ShardedIdEngine ids = context.getBean(ShardedIdEngine.class);
                assertThat(ids.parse(ids.next(7)).worker()).isEqualTo(5);
                assertThat(ids.terms().time()).isSameAs(clock);
            });
    }

    @Test
    void takesUpALeaseSourceBeanWithTheClocksOfTheMachine() {
        this.runner.withBean(TestWorker.class, () -> TestWorker.of(5)).run((context) -> {
            ShardedIdEngine ids = context.getBean(ShardedIdEngine.class);
            assertThat(ids.parse(ids.next(7)).worker()).isEqualTo(5);
            assertThat(ids.terms().time()).isSameAs(TimeSource.system());
        });
    }

    @Test
    void startLineNamesNoStoreWhereABeanHasTheLeases(CapturedOutput output) {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
            .withBean(TestWorker.class, () -> TestWorker.of(5))
            .withBean(AsksForIds.class)
            .run((context) -> assertThat(output.getOut().lines()).filteredOn((line) -> line.contains("Sharded ids: "))
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains("leased")
                .doesNotContain("store"));
    }

    @Test
    void leaseSourceBeanNeedsNoDatabase() {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
            .withBean(TestWorker.class, () -> TestWorker.of(5))
            .run((context) -> {
                assertThat(context.getBean(ShardedIdSettings.class).workerMode()).isEqualTo(WorkerMode.LEASE);
                assertThat(context.getBean(ShardedIdEngine.class).next(7)).isPositive();
            });
    }

    @Test
    void refusesClocksWithoutALeaseSource() {
        this.runner.withBean(TestClock.class, () -> TestClock.at(Instant.parse("2025-06-01T12:00:00Z")))
            .withBean(AsksForIds.class)
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContainingAll("io.shardedid.test.TestClock", "LeaseSource", "declare"));
    }

    @Test
    void takesUpAShardFunctionBean() {
        this.runner.withPropertyValues("shardedid.worker.id=3")
            .withUserConfiguration(OwnShardFunction.class)
            .run((context) -> assertThat(context.getBean(ShardedIdEngine.class).shardOfKey("anything")).isEqualTo(42));
    }

    @Test
    void refusesAShardFunctionGivenTwice() {
        this.runner.withUserConfiguration(OwnShardFunction.class)
            .withPropertyValues("shardedid.shard-function=modulo")
            .run((context) -> assertThat(context.getStartupFailure()).rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContainingAll("shardedid.shard-function='modulo'", Constant.class.getName(), "remove"));
    }

    @Test
    void refusesAnUnknownKeyAndNamesTheNearest() {
        this.runner.withPropertyValues("shardedid.worker.lease.windows=30s")
            .run((context) -> assertThat(context.getStartupFailure()).rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContainingAll("shardedid.worker.lease.windows", "correct"));
    }

    @Test
    void refusesAnUnknownVariable() {
        this.runner
            .withInitializer(
                    (context) -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment",
                                Map.of("SHARDEDID_SHARDZ", "5"))))
            .run((context) -> assertThat(context.getStartupFailure()).rootCause()
                .hasMessageContainingAll("shardedid.shardz", "shardedid.shards"));
    }

    /** Spring Boot binds neither of them, and the default would be in force. */
    @Test
    void refusesAKeyBehindAnotherPrefix() {
        this.runner
            .withInitializer((context) -> context.getEnvironment()
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment",
                        Map.of("SHARDED_ID_SHARDS", "5", "SHARDED_ID_PORT", "tcp://10.0.0.1:80"))))
            .withPropertyValues("spring.shardedid.epoch=now", "acme.shardedid.shards=5")
            .run((context) -> assertThat(context.getStartupFailure()).rootCause()
                .hasMessageContainingAll("SHARDED_ID_SHARDS", "shardedid.shards", "correct"));
    }

    @Test
    void warnsOfAnUnknownSystemProperty(CapturedOutput output) {
        this.runner.withSystemProperties("shardedid.shardz=5").run((context) -> {
            assertThat(context).hasNotFailed();
            assertThat(output).contains("'shardedid.shardz'", "ignored", "remove");
        });
    }

    @Test
    void logsOneLineAboutTheEngine(CapturedOutput output) {
        this.runner.withBean(AsksForIds.class)
            .run((context) -> assertThat(output.getOut().lines()).filteredOn((line) -> line.contains("Sharded ids: "))
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains("2025-01-01T00:00:00Z", "2059-11-04T19:53:47Z", "2,000 shards", "worker id 1 (fixed)"));
    }

    @Test
    void opensAnEngineThatOnlyReads() {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
            .run((context) -> assertThat(context.getBean(ShardedIdEngine.class).workers()).isEqualTo(List.of()));
    }

    @Test
    void trainingRunTouchesNoDatabase() {
        // what ends the process after the refresh reads the property once
        new ApplicationContextRunner().run((context) -> assertThat(context).hasNotFailed());
        AtomicInteger asked = new AtomicInteger();
        SimpleDriverDataSource database = new SimpleDriverDataSource() {
            @Override
            protected Connection getConnectionFromDriver(Properties properties) throws SQLException {
                asked.incrementAndGet();
                throw new SQLException("no server");
            }
        };
        SpringProperties.setProperty("spring.context.exit", "onRefresh");
        try {
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
                .withBean(DataSource.class, () -> database)
                .run((context) -> assertThat(context.getBean(ShardedIdEngine.class).shardOfKey(7L)).isEqualTo(7));
        }
        finally {
            SpringProperties.setProperty("spring.context.exit", null);
        }
        assertThat(asked).hasValue(0);
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnEngine {

        @Bean
        ShardedIdEngine ownIds() {
            return ShardedIds.builder().workers(WorkerLeases.fixed(0)).open();
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class OwnShardFunction {

        @Bean
        ShardFunction shardFunction() {
            return new Constant();
        }

    }

    static final class Constant implements ShardFunction {

        @Override
        public int shardOf(Object key, int shards) {
            return 42;
        }

        @Override
        public String id() {
            return "constant-42";
        }

    }

}
