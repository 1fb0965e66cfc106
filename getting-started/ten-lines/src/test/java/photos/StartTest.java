package photos;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.metrics.buffering.BufferingApplicationStartup;
import org.springframework.boot.context.metrics.buffering.StartupTimeline.TimelineEvent;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the ids add to a start, by the steps that Spring records. The first start of a JVM tells what a process pays
 * that loads its classes; the best of several, what the work itself takes.
 */
class StartTest {

    private static final int STARTS = 6;

    @Test
    void idsAddLittleToAStart() {
        List<Cost> starts = IntStream.range(0, STARTS).mapToObj((number) -> start()).toList();

        Duration beans = least(starts, Comparator.comparing(Cost::beans)).beans();
        Duration acquire = least(starts, Comparator.comparing(Cost::acquire)).acquire();
        System.out.printf("start of ten lines: first of the JVM %s, then beans %d ms, acquire %d ms at best%n",
                starts.get(0), beans.toMillis(), acquire.toMillis());
        assertThat(beans).as("beans of the starter in each start: %s", starts).isLessThan(Duration.ofMillis(20));
        assertThat(acquire).as("acquire in each start: %s", starts).isLessThan(Duration.ofMillis(50));
        // it goes on beside the start, so the classes that it loads do not hold up the first one either
        assertThat(starts.get(0).acquire()).as("acquire in the first start").isLessThan(Duration.ofMillis(50));
    }

    private static Cost least(List<Cost> starts, Comparator<Cost> by) {
        return starts.stream().min(by).orElseThrow();
    }

    private static Cost start() {
        SpringApplication application = new SpringApplication(PhotosApplication.class);
        BufferingApplicationStartup startup = new BufferingApplicationStartup(10_000);
        application.setApplicationStartup(startup);
        try (ConfigurableApplicationContext context = application.run()) {
            List<TimelineEvent> steps = startup.getBufferedTimeline().getEvents();
            ConfigurableListableBeanFactory beans = context.getBeanFactory();
            return new Cost(sum(steps, (step) -> isOurs(step, beans)),
                    sum(steps, (step) -> named(step, "shardedid.lease.acquire")),
                    steps.stream()
                        .filter((step) -> named(step, "spring.context.refresh"))
                        .map(TimelineEvent::getDuration)
                        .reduce(Duration.ZERO, Duration::plus));
        }
    }

    /** The steps' own time, without that of the steps inside them. */
    private static Duration sum(List<TimelineEvent> steps, Predicate<TimelineEvent> which) {
        List<TimelineEvent> found = steps.stream().filter(which).toList();
        assertThat(found).isNotEmpty();
        return found.stream().map((step) -> ownTime(step, steps)).reduce(Duration.ZERO, Duration::plus);
    }

    private static Duration ownTime(TimelineEvent step, List<TimelineEvent> steps) {
        return steps.stream()
            .filter((other) -> Objects.equals(other.getStartupStep().getParentId(), step.getStartupStep().getId()))
            .map(TimelineEvent::getDuration)
            .reduce(step.getDuration(), Duration::minus);
    }

    private static boolean isOurs(TimelineEvent step, ConfigurableListableBeanFactory beans) {
        return named(step, "spring.beans.instantiate") && StreamSupport
            .stream(step.getStartupStep().getTags().spliterator(), false)
            .filter((tag) -> tag.getKey().equals("beanName") && beans.containsBeanDefinition(tag.getValue()))
            .map((tag) -> beans.getBeanDefinition(tag.getValue()))
            .anyMatch((bean) -> String.valueOf(bean.getResourceDescription()).contains("shardedid")
                    || String.valueOf(bean.getBeanClassName()).startsWith("io.shardedid."));
    }

    private static boolean named(TimelineEvent step, String name) {
        return step.getStartupStep().getName().equals(name);
    }

    private record Cost(Duration beans, Duration acquire, Duration refresh) {

        @Override
        public String toString() {
            return "[beans %d ms, acquire %d ms of %d ms]".formatted(this.beans.toMillis(), this.acquire.toMillis(),
                    this.refresh.toMillis());
        }

    }

}
