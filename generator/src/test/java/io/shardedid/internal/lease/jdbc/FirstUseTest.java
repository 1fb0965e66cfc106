package io.shardedid.internal.lease.jdbc;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.shardedid.IdLayout;
import io.shardedid.JdbcWorkerLeases;
import io.shardedid.LeaseSettings;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.ShardedIdsBuilder;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** A process that leases with its first id, and may never make one. */
class FirstUseTest {

    private static final long ID = IdLayout.standard().compose(IdLayout.standard().tickAt(Instant.now()), 7, 1, 1);

    private final TestDatabase database = TestServer.H2.freshDatabase();

    private final AtomicInteger asked = new AtomicInteger();

    /** What every connect fails with, or null. */
    private volatile @Nullable SQLException failure;

    private DataSource source() {
        return (DataSource) Proxy.newProxyInstance(FirstUseTest.class.getClassLoader(),
                new Class<?>[] { DataSource.class }, (proxy, method, arguments) -> {
                    if (!method.getName().equals("getConnection")) {
                        return method.getReturnType().equals(boolean.class) ? Boolean.FALSE : null;
                    }
                    this.asked.incrementAndGet();
                    SQLException now = this.failure;
                    if (now != null) {
                        throw now;
                    }
                    return this.database.connect();
                });
    }

    private ShardedIdsBuilder builder() {
        return ShardedIds.builder()
            .maxWait(Duration.ofSeconds(30))
            .workers(JdbcWorkerLeases.leased(source(), LeaseSettings.builder().firstUse(true).build()));
    }

    @Test
    void nothingIsConnectedBeforeTheFirstId() throws Exception {
        this.failure = new SQLException("no server");
        try (ShardedIdEngine ids = builder().olderIdsBefore(Instant.parse("2026-01-01T00:00:00Z")).open()) {
            assertThat(ids.shardOfKey(2005L)).isEqualTo(5);
            assertThat(ids.shardOf(ID)).isEqualTo(7);
            assertThat(ids.workers()).isEmpty();
            assertThat(ids.stats().worker()).isEqualTo(-1);
            ids.suspend();
            ids.resume();
            Thread.sleep(100);
            assertThat(this.asked).as("also by a process that goes on").hasValue(0);
        }
        assertThat(this.asked).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void firstIdSaysWhyThereIsNone(boolean lasts) {
        String state = lasts ? "28000" : "08001";
        this.failure = new SQLException("refused", state);
        try (ShardedIdEngine ids = builder().maxWait(Duration.ofSeconds(3)).open()) {
            String said;
            do {
                said = refusal(ids);
                // while a connect is under way, callers hear that it waits for the pool
            }
            while (said.contains("pool"));
            assertThat(said).contains("SQLState=" + state);
            this.failure = null;
            awaitId(ids);
        }
    }

    private static void awaitId(ShardedIdEngine ids) {
        while (ids.stats().worker() < 0) {
            try {
                ids.next(7);
            }
            catch (WorkerLeaseException ex) {
                // a round that failed is not over, or a connect is under way
            }
        }
    }

    private static String refusal(ShardedIdEngine ids) {
        return String.valueOf(catchThrowableOfType(WorkerLeaseException.class, () -> ids.next(7)).getMessage());
    }

    /** An id that is older than the first lease has its children elsewhere. */
    @Test
    void whoAsksForTheShardOfAnIdReadsTheFirstLeaseAndTakesNoWorkerId() {
        try (ShardedIdEngine other = SeparateProcess
            .open(ShardedIds.builder().workers(JdbcWorkerLeases.leased(source(), LeaseSettings.builder().build())))) {
            long made = other.next(7);
            try (ShardedIdEngine ids = builder().open()) {
                assertThat(ids.shardOf(made)).isEqualTo(7);
                assertThat(ids.shardOf(42)).as("a plain number").isEqualTo(42);
                assertThat(ids.reader().firstTick()).isEqualTo(other.reader().firstTick());
                assertThat(this.database.query("SELECT COUNT(*) FROM shardedid_worker WHERE worker_id >= 0"))
                    .isEqualTo("1");

                ids.next(7);
                assertThat(ids.workers()).extracting(WorkerHolding::worker).contains(0);
                assertThat(ids.stats().worker()).isOne();
            }
        }
    }

    @Test
    void shardOfAnIdIsNotGuessedWhileTheFirstLeaseIsNotKnown() {
        this.failure = new SQLException("no server", "08001");
        try (ShardedIdEngine ids = builder().maxWait(Duration.ofMillis(500)).open()) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> ids.shardOf(ID));
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> ids.withoutWaiting().shardOf(ID));
        }
    }

    @Test
    void lineAfterTheFirstLeaseIsRefused() throws Exception {
        try (ShardedIdEngine first = builder().open()) {
            awaitId(first);
        }
        Thread.sleep(10);
        Instant line = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        try (ShardedIdEngine ids = builder().olderIdsBefore(line).open()) {
            WorkerLeaseException refused;
            do {
                refused = catchThrowableOfType(WorkerLeaseException.class, () -> ids.next(7));
            }
            while (refused.retryable());
            assertThat(refused).hasMessageContaining("shardedid.older-ids-before=" + line)
                .hasCauseInstanceOf(ShardedIdConfigurationException.class);
        }
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ShardedIds.builder()
                .olderIdsBefore(line)
                .workers(JdbcWorkerLeases.leased(source(), LeaseSettings.builder().build()))
                .open())
            .withMessageContainingAll("shardedid.older-ids-before=" + line, "earlier");
        assertThat(ShardedIdEngine.openInThisJvm()).extracting((each) -> each.terms().olderIdsBefore())
            .doesNotContain(line);
    }

}
