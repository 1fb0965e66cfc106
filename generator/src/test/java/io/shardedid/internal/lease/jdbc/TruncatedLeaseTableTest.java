package io.shardedid.internal.lease.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.shardedid.LeaseSettings;
import io.shardedid.LoggedLines;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLease;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.testdb.TestDatabase;
import org.h2.tools.Server;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A test suite that empties all tables, in H2. */
@Tag("slow")
class TruncatedLeaseTableTest {

    private final String name = "mem:t" + UUID.randomUUID().toString().replace("-", "");

    private final TestDatabase database = new TestDatabase("jdbc:h2:" + this.name, "sa", "");

    /** What is logged of a lease whose row is removed while ids are made. */
    private List<String> linesAfterTruncate(String url) throws Exception {
        return linesAfter(url, new CountDownLatch(2), new CountDownLatch(0), "TRUNCATE TABLE shardedid_worker");
    }

    private List<String> linesAfter(String url, CountDownLatch leased, CountDownLatch renewed, String... statements)
            throws Exception {
        this.database.execute("SET DB_CLOSE_DELAY -1");
        LeaseSettings settings = LeaseSettings.builder().window(Duration.ofSeconds(3)).application("test").build();
        try (LoggedLines log = new LoggedLines("io.shardedid.internal.lease.LeaseReport")) {
            try (ShardedIdEngine ids = SeparateProcess.open(ShardedIds.builder()
                .workers(JdbcLeases.leased(settings, LeaseConnections.url(url, "sa", ""), "shardedid_worker",
                        SchemaInitialization.ALWAYS, List.of(new WorkerLeaseListener() {
                            @Override
                            public void leased(WorkerLease lease) {
                                leased.countDown();
                            }

                            @Override
                            public void renewed(WorkerLease lease) {
                                renewed.countDown();
                            }
                        }))))) {
                this.database.execute(statements);
                while (!leased.await(1, TimeUnit.MILLISECONDS) || !renewed.await(1, TimeUnit.MILLISECONDS)) {
                    ids.next(7);
                }
                return log.lines().stream().filter((line) -> !line.startsWith("INFO")).toList();
            }
        }
        finally {
            this.database.execute("SHUTDOWN");
        }
    }

    @Test
    void saysInOneLineWhatItDidWhereNobodyElseReachesTheDatabase() throws Exception {
        assertThat(linesAfterTruncate("jdbc:h2:" + this.name)).singleElement()
            .asString()
            .startsWith("WARNING Worker id 0 of namespace 'default'")
            .contains("gone", "another");
    }

    /** As docs/testing.md says, and renewed often enough to notice a row that is gone. */
    @Test
    void saysNothingWhereTestsCleanAllTablesButThisOne() throws Exception {
        Server server = Server.createTcpServer("-tcpPort", "0").start();
        try {
            assertThat(linesAfter("jdbc:h2:tcp://127.0.0.1:%s/%s".formatted(server.getPort(), this.name),
                    new CountDownLatch(1), new CountDownLatch(4), "CREATE TABLE photo (id BIGINT PRIMARY KEY)",
                    "INSERT INTO photo VALUES (1)", "TRUNCATE TABLE photo"))
                .isEmpty();
        }
        finally {
            server.stop();
        }
    }

    @Test
    void saysThatIdsMayBeEqualWhereOthersReachTheDatabase() throws Exception {
        Server server = Server.createTcpServer("-tcpPort", "0").start();
        try {
            assertThat(linesAfterTruncate("jdbc:h2:tcp://127.0.0.1:%s/%s".formatted(server.getPort(), this.name)))
                .hasSize(2)
                .last()
                .asString()
                .startsWith("SEVERE Ids may be equal");
        }
        finally {
            server.stop();
        }
    }

}
