package io.shardedid.internal.lease.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.LeasedWorker;
import io.shardedid.testdb.SwallowingProxy;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A data source whose driver waits forever, and a network that swallows everything. */
@Tag("database")
class MarkedDataSourceIT {

    /** What a second or two are on a very busy machine. */
    private static final Duration SOON = Duration.ofMinutes(1);

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    /** More logins hang than there are threads for calls under way. */
    @Test
    void makesIdsAgainAfterAnOutage() throws Exception {
        assertRecovers(new LeaseTimeouts(Duration.ofMillis(300), Duration.ofMillis(300)), Duration.ofSeconds(6));
    }

    @Test
    @Tag("proof")
    @Tag("nightly")
    void makesIdsAgainAfterFortyFiveSeconds() throws Exception {
        assertRecovers(LeaseTimeouts.DEFAULT, Duration.ofSeconds(45));
    }

    private void assertRecovers(LeaseTimeouts timeouts, Duration outage) throws Exception {
        try (SwallowingProxy network = SwallowingProxy.to(this.database);
                ShardedIdEngine ids = open(this.database.behind(network), timeouts)) {
            ids.next(7);
            network.swallow();
            long began = System.nanoTime();
            while (System.nanoTime() - began < outage.toNanos()) {
                // somebody waits for an id all the time
                makes(ids);
                TimeUnit.MILLISECONDS.sleep(10);
            }
            network.pass();
            long back = System.nanoTime();
            while (!makes(ids)) {
                assertThat(Duration.ofNanos(System.nanoTime() - back)).isLessThan(SOON);
            }
            System.getLogger(MarkedDataSourceIT.class.getName())
                .log(System.Logger.Level.INFO, "Ids again after {0} ms",
                        Duration.ofNanos(System.nanoTime() - back).toMillis());
        }
    }

    private static boolean makes(ShardedIdEngine ids) {
        try {
            ids.next(7);
            return true;
        }
        catch (ShardedIdException ex) {
            return false;
        }
    }

    private static ShardedIdEngine open(TestDatabase reached, LeaseTimeouts timeouts) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(reached.url());
        dataSource.setUser(reached.user());
        dataSource.setPassword(reached.password());
        // what it asks first has a timeout of its own, unlike the login
        dataSource.setSslMode("disable");
        dataSource.setGssEncMode("disable");
        LeaseStore table = new SqlLeaseTable(LeaseConnections.own(dataSource), LeaseTableName.DEFAULT, "default",
                SchemaInitialization.ALWAYS, timeouts);
        LeaseSettings settings = LeaseSettings.builder()
            .window(Duration.ofMillis(1500))
            .startupTimeout(Duration.ofSeconds(30))
            .application("me")
            .build();
        return SeparateProcess.open(ShardedIds.builder()
            .maxWait(Duration.ofMillis(500))
            .workers(new LeasedWorker(settings, table, List.of())));
    }

}
