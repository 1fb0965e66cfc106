package photos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
 * that loads its classes; the best of several, what the work itself takes. It prints the figures and judges none.
 */
class StartTest {

    private static final int STARTS = 6;

    private static final int PROCESSES = 5;

    private static final Pattern PRINTED = Pattern.compile("beans (\\d+) ms, acquire (\\d+) ms of (\\d+) ms");

    @Test
    void printsWhatIdsAddToAStart() {
        List<Cost> starts = IntStream.range(0, STARTS).mapToObj((number) -> start()).toList();

        Duration beans = least(starts, Cost::beans);
        Duration acquire = least(starts, Cost::acquire);
        System.out.printf("starts of ten lines in one JVM: first %s, at best beans %d ms, acquire %d ms%n",
                starts.get(0), beans.toMillis(), acquire.toMillis());
    }

    /** What the beans take depends on what else the machine does; the wait for the lease hardly. */
    @Test
    void printsWhatIdsAddToTheStartOfAProcess() throws Exception {
        List<Cost> starts = new ArrayList<>();
        for (int process = 0; process < PROCESSES; process++) {
            starts.add(startOfAProcess());
        }

        Duration acquire = median(starts, Cost::acquire);
        System.out.printf("starts of ten lines in %d processes: median beans %d ms, acquire %d ms; each: %s%n",
                PROCESSES, median(starts, Cost::beans).toMillis(), acquire.toMillis(), starts);
    }

    private static Duration least(List<Cost> starts, Function<Cost, Duration> figure) {
        return starts.stream().map(figure).sorted().findFirst().orElseThrow();
    }

    private static Duration median(List<Cost> starts, Function<Cost, Duration> figure) {
        return starts.stream().map(figure).sorted().skip(starts.size() / 2).findFirst().orElseThrow();
    }

    private static Cost startOfAProcess() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), StartTest.class.getName())
            .redirectErrorStream(true)
            .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        Matcher cost = PRINTED.matcher(printed);
        assertThat(cost.find()).as(printed).isTrue();
        return new Cost(millis(cost.group(1)), millis(cost.group(2)), millis(cost.group(3)));
    }

    private static Duration millis(String number) {
        return Duration.ofMillis(Long.parseLong(number));
    }

    public static void main(String[] args) {
        System.out.println(start());
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
