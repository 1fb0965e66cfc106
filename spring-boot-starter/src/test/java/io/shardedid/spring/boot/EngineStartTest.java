package io.shardedid.spring.boot;

import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

import javax.sql.DataSource;

import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerLeaseException;
import io.shardedid.spring.feed.FeedApplication;
import jakarta.persistence.EntityManagerFactory;
import org.aopalliance.aop.Advice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.metrics.buffering.BufferingApplicationStartup;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("jdk")
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class EngineStartTest {

    private static final String TOO_EARLY = "is not eligible for getting processed by all BeanPostProcessors";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class, ShardedIdAutoConfiguration.class,
                ShardedIdJpaAutoConfiguration.class))
        .withPropertyValues("spring.jpa.hibernate.ddl-auto=create-drop");

    private final BufferingApplicationStartup startup = new BufferingApplicationStartup(10_000);

    @Test
    void leasesBeforeAnybodyGetsTheFactory() {
        this.runner.withUserConfiguration(Feed.class, FirstUser.class)
            .run((context) -> assertThat(context.getBean(FirstUser.class).worker).isNotNegative());
    }

    @Test
    void leaseIsOneStepThatNamesTheWorker() {
        this.runner.withUserConfiguration(Feed.class)
            .withInitializer(this::recordSteps)
            .run((context) -> assertThat(steps()).containsExactly("worker=" + worker(context)));
    }

    @Test
    void startWithoutAnEntityManagerFactoryLeasesAsWell() {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
            .withUserConfiguration(Feed.class)
            .withBean(AsksForIds.class)
            .withInitializer(this::recordSteps)
            .run((context) -> assertThat(steps()).containsExactly("worker=" + worker(context)));
    }

    private void recordSteps(ConfigurableApplicationContext context) {
        context.setApplicationStartup(this.startup);
    }

    private List<String> steps() {
        return this.startup.getBufferedTimeline()
            .getEvents()
            .stream()
            .filter((event) -> event.getStartupStep().getName().equals("shardedid.lease.acquire"))
            .flatMap((event) -> StreamSupport.stream(event.getStartupStep().getTags().spliterator(), false))
            .map((tag) -> tag.getKey() + "=" + tag.getValue())
            .toList();
    }

    private static int worker(ApplicationContext context) {
        int worker = context.getBean(ShardedIdEngine.class).stats().worker();
        assertThat(worker).isNotNegative();
        return worker;
    }

    @Test
    void startWithoutALeaseFails() {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
            .withUserConfiguration(Feed.class)
            .withBean(AsksForIds.class)
            .withPropertyValues("shardedid.worker.lease.initialize-schema=never")
            .run((context) -> assertThat(context).getFailure()
                .cause()
                .cause()
                .cause()
                .isInstanceOf(WorkerLeaseException.class)
                .hasMessageContaining("shardedid_worker"));
    }

    @Test
    void handoverDoesNotMakeAdvisorsBeforeTheirTime(CapturedOutput output) {
        this.runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
            .withUserConfiguration(Feed.class, OwnAdvisor.class)
            .run((context) -> assertThat(context.getBean(OwnAdvisor.class).madeWhilePostProcessorsWere).isFalse());

        assertThat(output.getAll()).doesNotContain(TOO_EARLY);
    }

    @Test
    void everyBeanOfAnApplicationMeetsAllPostProcessors(CapturedOutput output) {
        new SpringApplicationBuilder(FeedApplication.class)
            .run("--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "--server.port=0")
            .close();

        assertThat(output.getAll()).contains("Sharded ids: ").doesNotContain(TOO_EARLY);
    }

    /** The first bean that gets an entity manager factory. */
    static class FirstUser {

        final int worker;

        FirstUser(EntityManagerFactory factory, ShardedIdEngine ids) {
            this.worker = ids.stats().worker();
        }

    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = FeedApplication.class)
    static class Feed {

        @Bean
        DataSource application() {
            return database();
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class OwnAdvisor {

        boolean madeWhilePostProcessorsWere;

        @Bean
        Advisor advisor() {
            this.madeWhilePostProcessorsWere = StackWalker.getInstance()
                .walk((frames) -> frames
                    .anyMatch((frame) -> frame.getMethodName().equals("registerBeanPostProcessors")));
            return new DefaultPointcutAdvisor(new NameMatchMethodPointcut(), new Advice() {
            });
        }

    }

    private static DataSource database() {
        return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
    }

}
