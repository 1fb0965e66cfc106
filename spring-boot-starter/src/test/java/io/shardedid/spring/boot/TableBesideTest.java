package io.shardedid.spring.boot;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.LeasedWorker;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ObjectAssert;
import org.h2.Driver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application whose database has a lease table, when its worker ids come from
 * somewhere else.
 */
class TableBesideTest {

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID()
            + ";DB_CLOSE_DELAY=-1;INIT=CREATE SCHEMA IF NOT EXISTS ids";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class))
        .withBean(AsksForIds.class)
        .withPropertyValues("spring.datasource.url=" + this.url, "shardedid.worker.lease.table=ids.shardedid_worker");

    @BeforeEach
    void leasedBefore() {
        this.runner.withPropertyValues("shardedid.worker.lease.worker-ids=0-5")
            .run((context) -> assertThat(context).hasNotFailed());
    }

    /** No start asks it anything. */
    private static WorkerLeases inAnotherStore() {
        LeaseStore store = (LeaseStore) Proxy.newProxyInstance(LeaseStore.class.getClassLoader(),
                new Class<?>[] { LeaseStore.class }, (proxy, method, arguments) -> {
                    throw new IllegalStateException("asked");
                });
        return new LeasedWorker(LeaseSettings.builder().build(), store, List.of());
    }

    @Test
    void leasesOfAnotherStoreAreRefusedUntilTheTableIsClosed() throws SQLException {
        ApplicationContextRunner other = this.runner.withBean(WorkerLeases.class, TableBesideTest::inAnotherStore);
        other.run((context) -> refusal(context).satisfies((ex) -> {
            assertThat(ex.problem().text()).contains("namespace=default", "worker-ids=0-5");
            assertThat(ex.problem().remedy()).contains("LeaseChange");
        }));
        try (Connection connection = DriverManager.getConnection(this.url, "sa", "")) {
            connection.createStatement()
                .executeUpdate("UPDATE ids.shardedid_worker SET layout = 'closed:' || layout WHERE worker_id = -1");
        }
        other.run((context) -> assertThat(context).getFailure().rootCause().hasMessage("asked"));
    }

    @Test
    void fixedWorkerIdIsRefusedIfTheTableGivesItOut() {
        ApplicationContextRunner fixed = this.runner.withPropertyValues("shardedid.worker.mode=fixed");
        fixed.withPropertyValues("shardedid.worker.id=5").run((context) -> refusal(context).satisfies((ex) -> {
            assertThat(ex.problem().keys()).contains("shardedid.worker.id");
            assertThat(ex.problem().remedy()).contains("inspector change");
        }));
        fixed.withPropertyValues("shardedid.worker.id=6").run((context) -> {
            assertThat(context).hasNotFailed();
            ShardedIdEngine ids = context.getBean(ShardedIdEngine.class);
            assertThat(ids.parse(ids.next(7)).worker()).isEqualTo(6);
        });
        fixed.run((context) -> refusal(context)
            .satisfies((ex) -> assertThat(ex.problem().remedy()).contains("each process")));
        fixed.withPropertyValues("shardedid.worker.id=5", "shardedid.worker.lease.namespace=other")
            .run((context) -> assertThat(context).hasNotFailed());
    }

    @Test
    void tableInTheMarkedOneOfTwoDataSourcesCounts() {
        ApplicationContextRunner two = this.runner
            .withBean("other", DataSource.class, () -> new SimpleDriverDataSource(new Driver(), "jdbc:h2:mem:other"))
            .withBean("leases", DataSource.class, () -> new SimpleDriverDataSource(new Driver(), this.url, "sa", ""),
                    (marked) -> ((AbstractBeanDefinition) marked)
                        .addQualifier(new AutowireCandidateQualifier(ShardedIdDataSource.class)));
        two.withPropertyValues("shardedid.worker.mode=fixed", "shardedid.worker.id=5")
            .run((context) -> refusal(context)
                .satisfies((ex) -> assertThat(ex.problem().keys()).contains("shardedid.worker.id")));
        two.withBean(WorkerLeases.class, TableBesideTest::inAnotherStore)
            .run((context) -> refusal(context)
                .satisfies((ex) -> assertThat(ex.problem().remedy()).contains("LeaseChange")));
    }

    private static ObjectAssert<ShardedIdConfigurationException> refusal(AssertableApplicationContext context) {
        return assertThat(context).getFailure()
            .rootCause()
            .asInstanceOf(InstanceOfAssertFactories.type(ShardedIdConfigurationException.class));
    }

}
