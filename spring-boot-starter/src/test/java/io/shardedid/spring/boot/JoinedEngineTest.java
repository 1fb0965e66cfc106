package io.shardedid.spring.boot;

import io.shardedid.ShardedIdEngine;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two contexts of one JVM on one database, as tests and parent contexts have them.
 */
class JoinedEngineTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class))
        .withBean(AsksForIds.class)
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:joined");

    @Test
    void secondContextKnowsTheLeaseToo() {
        this.runner.run((first) -> this.runner.run((second) -> {
            LeaseMonitor figures = second.getBean(LeaseMonitor.class);
            assertThat(figures).isNotSameAs(first.getBean(LeaseMonitor.class));
            assertThat(figures.lease()).isEqualTo(first.getBean(LeaseMonitor.class).lease()).isPresent();
            assertThat(figures.lease().orElseThrow().worker())
                .isEqualTo(second.getBean(ShardedIdEngine.class).stats().worker());
        }));
    }

    @Test
    void lastContextHearsThatTheLeaseWasGivenBack() {
        LeaseMonitor[] figures = new LeaseMonitor[1];

        this.runner.run((first) -> this.runner.run((second) -> figures[0] = second.getBean(LeaseMonitor.class)));

        assertThat(figures[0].lease()).isPresent();
        this.runner.run((only) -> figures[0] = only.getBean(LeaseMonitor.class));
        assertThat(figures[0].lease()).isEmpty();
    }

}
