package io.shardedid.spring.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerLeaseException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What a context that stops, starts, pauses and closes does to the lease, as the rows of
 * the lease table show it.
 */
class EngineLifecycleTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class))
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                "shardedid.clock.max-ahead=10ms");

    @Test
    void contextThatStopsGivesItsWorkerBack() {
        this.runner.withPropertyValues("shardedid.clock.max-wait=1ms").run((context) -> {
            ShardedIdEngine ids = context.getBean(ShardedIdEngine.class);
            assertThat(held(context)).isOne();

            context.stop();

            assertThat(held(context)).isZero();
            assertThatThrownBy(() -> ids.next(1)).isInstanceOf(WorkerLeaseException.class);
        });
    }

    @Test
    void contextThatStartsAgainLeasesAWorkerAgain() {
        this.runner.run((context) -> {
            ShardedIdEngine ids = context.getBean(ShardedIdEngine.class);
            long before = ids.next(1);
            context.stop();

            context.start();

            assertThat(ids.next(1)).isGreaterThan(before);
            assertThat(held(context)).isOne();
        });
    }

    /**
     * A test context that waits in the cache shares its lease with others. Spring 6
     * cannot pause contexts.
     */
    @Test
    @Tag("boot-4")
    void contextThatPausesKeepsItsWorker() {
        this.runner.withBean(AsksForIds.class).run((context) -> {
            ConfigurableApplicationContext.class.getMethod("pause").invoke(context.getSourceApplicationContext());

            assertThat(held(context)).isOne();
            assertThat(context.getBean(ShardedIdEngine.class).next(1)).isPositive();
        });
    }

    @Test
    void othersMakeIdsWhileTheyStopAndStart() {
        this.runner.withBean(Saving.class).run((context) -> {
            Saving saving = context.getBean(Saving.class);

            context.stop();
            context.start();

            assertThat(saving.events).containsExactly("starting: made", "stopping: made", "starting: made");
        });
    }

    @Test
    void beansMakeIdsWhileTheyAreDestroyed() {
        List<Saving> savings = new ArrayList<>();
        this.runner.withBean(Saving.class).run((context) -> savings.add(context.getBean(Saving.class)));

        assertThat(savings).singleElement()
            .satisfies((saving) -> assertThat(saving.events).containsExactly("starting: made", "stopping: made",
                    "destroyed: made"));
    }

    /** How many leases run. */
    private static int held(ApplicationContext context) {
        Integer held = new JdbcTemplate(context.getBean(DataSource.class)).queryForObject(
                "select count(*) from shardedid_worker where lease_until > 0 and worker_id >= 0", Integer.class);
        return (held != null) ? held : -1;
    }

    /** Saves rows whatever happens to it, before all beans whose phase is greater. */
    static class Saving implements SmartLifecycle, DisposableBean {

        final List<String> events = new ArrayList<>();

        private final ShardedIdEngine ids;

        private boolean running;

        Saving(ShardedIdEngine ids) {
            this.ids = ids;
        }

        @Override
        public void start() {
            this.running = true;
            save("starting");
        }

        @Override
        public void stop() {
            this.running = false;
            save("stopping");
        }

        @Override
        public void destroy() {
            save("destroyed");
        }

        private void save(String when) {
            try {
                this.ids.next(1);
                this.events.add(when + ": made");
            }
            catch (ShardedIdException ex) {
                this.events.add(when + ": " + ex.getMessage());
            }
        }

        @Override
        public boolean isRunning() {
            return this.running;
        }

        @Override
        public int getPhase() {
            return Integer.MIN_VALUE + 1;
        }

    }

}
