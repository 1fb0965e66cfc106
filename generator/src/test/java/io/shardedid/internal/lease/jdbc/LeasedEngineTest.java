package io.shardedid.internal.lease.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.stream.IntStream;

import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.LoggedLines;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Engines that lease from a real table, in H2.
 */
class LeasedEngineTest {

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    private WorkerLeases leases(String namespace, OptionalInt worker, boolean firstUse) {
        LeaseSettings.Builder settings = LeaseSettings.builder()
            .namespace(namespace)
            .window(Duration.ofSeconds(3))
            .startupTimeout(Duration.ofMillis(3100))
            .firstUse(firstUse)
            .application("test");
        worker.ifPresent(settings::workerId);
        return JdbcLeases.leased(settings.build(), LeaseConnections.url(this.url, "sa", ""), "shardedid_worker",
                SchemaInitialization.EMBEDDED, List.of());
    }

    private ShardedIdEngine open(String namespace) {
        return ShardedIds.builder().workers(leases(namespace, OptionalInt.empty(), false)).open();
    }

    @Test
    void makesIdsUnderTheLeasedWorker() {
        try (ShardedIdEngine ids = open("default")) {
            long id = ids.next(1341);
            assertThat(ids.parse(id).shard()).isEqualTo(1341);
            assertThat(ids.parse(id).worker()).isZero();
            assertThat(ids.workers()).singleElement().satisfies((holding) -> {
                assertThat(holding.worker()).isZero();
                assertThat(holding.owner()).startsWith("test on ");
                assertThat(holding.mine()).isTrue();
            });
        }
    }

    @Test
    void isOneEngineADatabaseAndNamespace() {
        List<ShardedIdEngine> contexts = IntStream.range(0, 40).mapToObj((i) -> open("default")).toList();
        try (ShardedIdEngine other = open("other")) {
            assertThat(contexts).allSatisfy((ids) -> assertThat(ids.parse(ids.next(7)).worker()).isZero());
            assertThat(contexts.get(0).workers()).hasSize(1);
            assertThat(other.workers()).hasSize(1);
        }
        finally {
            contexts.forEach(ShardedIdEngine::close);
        }
    }

    @Test
    void givesTheWorkerBackAtClose() {
        open("default").close();
        try (ShardedIdEngine ids = open("default")) {
            assertThat(ids.workers()).singleElement()
                .satisfies((holding) -> assertThat(holding.acquisitions()).isEqualTo(2));
        }
    }

    @Test
    void givesTheWorkerBackWhileSuspendedAndGoesOnLater() {
        try (ShardedIdEngine ids = open("default"); ShardedIdEngine second = open("default")) {
            long before = ids.next(3);
            ids.suspend();
            assertThat(second.next(3)).as("one of two users still runs").isGreaterThan(before);
            second.suspend();
            assertThat(ids.stats().worker()).isEqualTo(-1);
            ids.resume();
            assertThat(ids.next(3)).isGreaterThan(before);
        }
    }

    @Test
    void acquiresWithTheFirstIdWhenToldTo() {
        try (ShardedIdEngine ids = ShardedIds.builder().workers(leases("default", OptionalInt.empty(), true)).open()) {
            // not by workers(): an answer may serve for a second
            assertThat(ids.stats().worker()).isEqualTo(-1);
            ids.next(5);
            assertThat(ids.workers()).extracting(WorkerHolding::mine).containsExactly(true);
        }
    }

    @Test
    void claimsExactlyTheWorkerThatWasAskedFor() {
        try (ShardedIdEngine ids = ShardedIds.builder().workers(leases("default", OptionalInt.of(17), false)).open()) {
            assertThat(ids.parse(ids.next(5)).worker()).isEqualTo(17);
        }
    }

    @Test
    void refusesToStartWhenEveryWorkerIsTaken() {
        IdLayout small = IdLayout.builder().workerBits(1).build();
        SqlLeaseTable table = new SqlLeaseTable(LeaseConnections.url(this.url, "sa", ""), LeaseTableName.DEFAULT,
                "default", SchemaInitialization.EMBEDDED, LeaseTimeouts.DEFAULT);
        try (ShardedIdEngine first = ShardedIds.builder()
            .layout(small)
            .workers(leases("default", OptionalInt.empty(), false))
            .open()) {
            first.suspend();
            long until = System.currentTimeMillis() + 3_600_000;
            LeaseReply.Rows rows = (LeaseReply.Rows) table.execute(new LeaseStatement.ReadAll());
            LeaseRow row = rows.row(0).orElseThrow();
            assertThat(table.execute(new LeaseStatement.Update(0, row.token(), Long.MAX_VALUE, "theirs", 1, until,
                    row.hwmTick() + 1, "somebody else", null, null)))
                .isEqualTo(new LeaseReply.Written(1));
        }
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(
                () -> ShardedIds.builder().layout(small).workers(leases("default", OptionalInt.empty(), false)).open())
            .withMessageContainingAll("worker-bits=1", "default")
            .satisfies((ex) -> assertThat(ex.action()).contains("shardedid.worker.lease.acquire=first-use"));
        table.close();
    }

    @Test
    void warnsThatFewWorkerIdsAreLeft() {
        IdLayout small = IdLayout.builder().workerBits(2).build();
        List<ShardedIdEngine> processes = new ArrayList<>();
        try (LoggedLines log = new LoggedLines("io.shardedid.internal.lease.LeaseReport")) {
            for (int process = 1; process <= 3; process++) {
                assertThat(log.lines()).noneMatch((line) -> line.startsWith("WARNING"));
                processes.add(SeparateProcess
                    .open(ShardedIds.builder().layout(small).workers(leases("default", OptionalInt.empty(), false))));
            }
            assertThat(log.lines()).filteredOn((line) -> line.startsWith("WARNING"))
                .singleElement()
                .asString()
                .startsWith("WARNING 3 of the 3 worker ids of namespace 'default' ");
        }
        finally {
            processes.forEach(ShardedIdEngine::close);
        }
    }

    @Test
    void refusesAnotherLayoutInOneNamespace() {
        open("default").close();
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(
                () -> ShardedIds.builder().shards(1000).workers(leases("default", OptionalInt.empty(), false)).open())
            .withMessageContainingAll("shards=1000", "shards=2000", "Inspector change");
    }

}
