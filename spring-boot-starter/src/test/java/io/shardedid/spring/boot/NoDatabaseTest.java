package io.shardedid.spring.boot;

import java.time.Instant;
import java.util.Map;

import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** An application context that a test makes without the database of the application. */
@SpringBootTest(classes = NoDatabaseTest.WithoutDatabase.class, properties = """
        spring.autoconfigure.exclude=\
        org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,\
        org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,\
        org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration,\
        org.springdoc.core.configuration.SpringDocDataRestConfiguration,\
        org.springdoc.core.configuration.SpringDocHateoasConfiguration""")
@Tag("slow")
class NoDatabaseTest {

    @Autowired
    private ShardedIds ids;

    @Autowired
    private HealthIndicator shardedidHealthIndicator;

    @Test
    void layoutShardsAndPartsCanBeRead() {
        assertThat(this.ids.shardOfKey(4711L)).isEqualTo(711);
        assertThat(this.ids.parse(109803523276800000L).instant()).isEqualTo(Instant.parse("2025-06-01T12:00:00Z"));
        assertThat(this.ids.layout().shardBits()).isEqualTo(11);
    }

    @Test
    void theFirstIdIsRefusedWithTheReason() {
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> this.ids.next(7))
            .withMessageContainingAll("shardedid.worker.lease.url=null", "shardedid.worker.mode=lease", "DataSource")
            .matches((refused) -> !refused.retryable());
    }

    @Test
    void healthDoesNotMissALease() {
        assertThat(this.shardedidHealthIndicator.health().getStatus()).isEqualTo(Status.UP);
    }

    @Test
    void theDataSourceOfTheParentContextIsOne() {
        DefaultListableBeanFactory parent = new DefaultListableBeanFactory();
        DefaultListableBeanFactory child = new DefaultListableBeanFactory(parent);
        assertThat(NoDatabase.in(child, Map.of())).isTrue();

        parent.registerSingleton("dataSource", new SimpleDriverDataSource());

        assertThat(NoDatabase.in(child, Map.of())).isFalse();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithoutDatabase {

    }

}
