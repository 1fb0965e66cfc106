package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.SettableTime;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLease;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a process at rest costs its database, counted at the driver over ten minutes that
 * pass at once: on its clocks and on the database's.
 */
class RestStatementsTest {

    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

    private final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    private final CountDownLatch over = new CountDownLatch(1);

    private final AtomicInteger renewals = new AtomicInteger();

    private int statements;

    private int connections;

    private int renewed;

    @Test
    void executesAtMostThreeStatementsARenewal() throws Exception {
        TestDatabase database = TestServer.H2.freshDatabase();
        database.execute("CREATE TABLE clock (millis BIGINT)",
                "INSERT INTO clock VALUES (%s)".formatted(this.time.instant().toEpochMilli()));
        TestConnections counted = TestConnections.to(database)
            .rewriting((sql) -> sql.replace(LeaseDialect.H2.nowMillis(), "(SELECT millis FROM clock)"));
        WorkerLeaseListener listener = new WorkerLeaseListener() {
            @Override
            public void renewed(WorkerLease lease) {
                RestStatementsTest.this.renewals.incrementAndGet();
            }
        };
        try (Connection clock = database.connect()) {
            try (ShardedIdEngine ids = SeparateProcess.open(ShardedIds.builder()
                .timeSource(this.time)
                .workers(JdbcLeases.leased(LeaseSettings.builder().build(), counted, "shardedid_worker",
                        SchemaInitialization.ALWAYS, List.of(listener))))) {
                int before = counted.executed.get();
                int renewalsBefore = this.renewals.get();
                Instant end = this.time.instant().plus(TEN_MINUTES);
                this.time.onPark(() -> parked(clock, end, counted));
                assertThat(this.over.await(60, TimeUnit.SECONDS)).as("ten minutes are over").isTrue();

                assertThat(this.renewed - renewalsBefore).as("renewals of 8 s and 20 %% of jitter").isBetween(62, 94);
                assertThat(this.statements - before).as("statements")
                    .isLessThanOrEqualTo(3 * (this.renewed - renewalsBefore));
                assertThat(this.connections).as("connections").isOne();
                System.out.printf("at rest: renewals=%s, statements=%s in %s%n", this.renewed - renewalsBefore,
                        this.statements - before, TEN_MINUTES);
            }
        }
    }

    private void parked(Connection clock, Instant end, TestConnections counted) {
        if (this.over.getCount() == 0) {
            // nothing more is counted: let the keeper be, until it is closed
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            return;
        }
        try (Statement statement = clock.createStatement()) {
            statement.execute("UPDATE clock SET millis = " + this.time.instant().toEpochMilli());
        }
        catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
        if (!this.time.instant().isBefore(end)) {
            this.statements = counted.executed.get();
            this.connections = counted.opened.get();
            this.renewed = this.renewals.get();
            this.over.countDown();
        }
    }

}
