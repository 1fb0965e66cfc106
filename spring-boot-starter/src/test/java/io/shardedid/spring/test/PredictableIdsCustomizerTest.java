package io.shardedid.spring.test;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Instant;
import java.util.List;

import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.WorkerMode;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import io.shardedid.test.TestClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.MergedContextConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@Tag("slow")
class PredictableIdsCustomizerTest {

    private static final Instant START = Instant.parse("2025-06-01T12:00:00Z");

    private final PredictableIdsCustomizerFactory factory = new PredictableIdsCustomizerFactory();

    private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(AutoConfigurations
        .of(ShardedIdAutoConfiguration.class, DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class));

    /** More than Spring caches, and than there are worker ids. */
    @Test
    void fortyContextsOnOneDatabaseTakeNoWorkerId() {
        inContexts(40, this.runner.withPropertyValues("spring.datasource.url=jdbc:h2:mem:forty;DB_CLOSE_DELAY=-1"));
    }

    private static void inContexts(int more, ApplicationContextRunner runner) {
        runner.withInitializer(PredictableIdsCustomizerTest::customize).run((context) -> {
            assertThat(context.getBean(ShardedIdEngine.class).next(7)).isEqualTo(109803523276800000L + (7 << 12));
            assertThat(context.getBean(JdbcTemplate.class)
                .queryForList(
                        "select table_name from information_schema.tables where lower(table_name) like 'sharded%'"))
                .isEmpty();
            if (more > 1) {
                inContexts(more - 1, runner);
            }
        });
    }

    @Test
    void whatIsConfiguredOfTheIdsCounts() {
        this.runner.withInitializer(PredictableIdsCustomizerTest::customize)
            .withPropertyValues("shardedid.shards=64", "shardedid.layout.preset=many-shards",
                    "shardedid.worker.mode=lease")
            .run((context) -> {
                ShardedIdEngine ids = context.getBean(ShardedIdEngine.class);
                assertThat(ids.shards()).isEqualTo(64);
                assertThat(ids.layout().shardBits()).isEqualTo(13);
                assertThat(ids.parse(ids.next(1)).instant()).isEqualTo(START);
                assertThat(context.getBean(ShardedIdSettings.class).workerMode()).isEqualTo(WorkerMode.FIXED);
            });
    }

    @Test
    void contextsWithoutTheAnnotationAreLeftAlone() {
        assertThat(this.factory.createContextCustomizer(Plain.class, List.of())).isNull();
    }

    @Test
    void contextsWithTheSameStartAndWorkerAreShared() {
        assertThat(this.factory.createContextCustomizer(Noon.class, List.of()))
            .isEqualTo(this.factory.createContextCustomizer(SubclassOfNoon.class, List.of()))
            .isEqualTo(this.factory.createContextCustomizer(ByMetaAnnotation.class, List.of()))
            .isNotEqualTo(this.factory.createContextCustomizer(OtherWorker.class, List.of()))
            .isNotEqualTo(this.factory.createContextCustomizer(OneOClock.class, List.of()));
    }

    @Test
    void refusesAStartThatIsNoInstant() {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> this.factory.createContextCustomizer(LocalTime.class, List.of()))
            .withMessageContainingAll("start='2025-06-01 12:00'", "@PredictableIds", "example");
    }

    @Test
    void refusesAnEngineThatTheApplicationOpened() {
        this.runner.withInitializer(PredictableIdsCustomizerTest::customize)
            .withUserConfiguration(OwnEngine.class)
            .run((context) -> assertThat(context).getFailure()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("@PredictableIds", "ShardedIds", "TestWorker"));
    }

    @Test
    void bringsTheEngineIntoSlicesOnlyWhenAsked() {
        ApplicationContextRunner slice = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(PredictableIdsAutoConfiguration.class));

        slice.run((context) -> assertThat(context).doesNotHaveBean(ShardedIds.class));
        slice.withInitializer(PredictableIdsCustomizerTest::customize).run((context) -> {
            assertThat(context).hasSingleBean(ShardedIds.class);
            assertThat(context.getBean(ShardedIdEngine.class).terms().time())
                .isSameAs(context.getBean(TestClock.class));
        });
    }

    @Test
    void backsOffInSlicesForTheEnginesOfTheApplication() {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(PredictableIdsAutoConfiguration.class))
            .withInitializer(PredictableIdsCustomizerTest::customize)
            .withUserConfiguration(OwnPredictableEngine.class)
            .run((context) -> assertThat(context).hasSingleBean(ShardedIds.class).hasBean("ownEngine"));
    }

    private static void customize(ConfigurableApplicationContext context) {
        new PredictableIdsCustomizer(START, 0).customizeContext(context,
                new MergedContextConfiguration(Plain.class, null, null, null, null));
    }

    static class Plain {

    }

    @PredictableIds(start = "2025-06-01T12:00:00Z")
    static class Noon {

    }

    static class SubclassOfNoon extends Noon {

    }

    @PredictableIds
    @Retention(RetentionPolicy.RUNTIME)
    @interface AtNoon {

    }

    @AtNoon
    static class ByMetaAnnotation {

    }

    @PredictableIds(worker = 1)
    static class OtherWorker {

    }

    @PredictableIds(start = "2025-06-01T13:00:00Z")
    static class OneOClock {

    }

    @PredictableIds(start = "2025-06-01 12:00")
    static class LocalTime {

    }

    @Configuration(proxyBeanMethods = false)
    static class OwnEngine {

        @Bean
        ShardedIdEngine ownEngine() {
            return ShardedIds.builder().workers(WorkerLeases.fixed(29)).open();
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class OwnPredictableEngine {

        @Bean
        ShardedIdEngine ownEngine(io.shardedid.test.TestWorker worker, TestClock clock) {
            return ShardedIds.builder().workers(worker).timeSource(clock).open();
        }

    }

}
