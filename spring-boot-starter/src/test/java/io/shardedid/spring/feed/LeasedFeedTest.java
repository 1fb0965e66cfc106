package io.shardedid.spring.feed;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerHolding;
import io.shardedid.spring.actuate.ShardedIdEndpoint;
import io.shardedid.spring.actuate.ShardedIdHealthIndicator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/** The starter as it comes: nothing is configured but what is shown to operators. */
@Tag("jdk")
@SpringBootTest(properties = "management.endpoints.web.exposure.include=shardedid")
class LeasedFeedTest {

    @Autowired
    private ShardedIdEngine ids;

    @Autowired
    private Authors authors;

    @Autowired
    private ShardedIdHealthIndicator health;

    @Autowired
    private ShardedIdEndpoint endpoint;

    @Autowired
    private MeterRegistry meters;

    @Test
    void storesWithALeasedWorker() {
        Author author = this.authors.save(new Author());

        assertThat(this.ids.workers()).filteredOn(WorkerHolding::mine)
            .extracting(WorkerHolding::worker)
            .containsExactly(this.ids.parse(author.getId()).worker());
    }

    @Test
    void operatorsSeeTheLease() {
        int worker = this.ids.stats().worker();

        Health shown = this.health.health();

        assertThat(shown.getStatus()).isEqualTo(Status.UP);
        assertThat(shown.getDetails()).containsEntry("mode", "lease")
            .containsEntry("workerId", worker)
            .containsKeys("until", "lastRenewal", "remaining");
        assertThat(this.endpoint.engine().workers()).filteredOn(ShardedIdEndpoint.WorkerDescriptor::mine)
            .extracting(ShardedIdEndpoint.WorkerDescriptor::workerId)
            .containsExactly(worker);
        assertThat(this.meters.get("shardedid.lease.remaining").timeGauge().value()).isBetween(1.0, 30.0);
        assertThat(this.meters.get("shardedid.worker.id").gauge().value()).isEqualTo(worker);
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Meters {

        @Bean
        SimpleMeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }

    }

}
