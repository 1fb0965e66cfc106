package io.shardedid.internal.lease;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.testdb.PostgresMajor;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Many starts at once on a server that accepts few connections. */
@Tag("proof")
@Tag("nightly")
class StartStormIT {

    private static final int CONNECTIONS = 12;

    private static final int STARTS = 6;

    private static final String TOO_MANY = "53300";

    @Test
    void everyStartEndsWithALeaseOnceThereAreConnections() throws Exception {
        try (EmbeddedPostgres server = PostgresMajor.V18.server()
            .setServerConfig("max_connections", String.valueOf(CONNECTIONS))
            .start()) {
            String url = "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(server.getPort());
            List<Connection> taken = takeAll(url);
            AtomicInteger refused = new AtomicInteger();
            List<CompletableFuture<ShardedIdEngine>> starts = IntStream.range(0, STARTS)
                .mapToObj((i) -> CompletableFuture.supplyAsync(() -> open(url, refused)))
                .toList();
            awaitAtLeast(refused, 2 * STARTS);
            assertThat(starts).noneMatch(CompletableFuture::isDone);
            for (Connection each : taken) {
                each.close();
            }
            List<ShardedIdEngine> opened = new ArrayList<>();
            for (CompletableFuture<ShardedIdEngine> start : starts) {
                opened.add(start.get(60, TimeUnit.SECONDS));
            }
            assertThat(opened).extracting((ids) -> ids.stats().worker()).doesNotHaveDuplicates().hasSize(STARTS);
            opened.forEach(ShardedIdEngine::close);
        }
    }

    private static List<Connection> takeAll(String url) throws SQLException {
        List<Connection> taken = new ArrayList<>();
        while (true) {
            try {
                taken.add(DriverManager.getConnection(url, "postgres", ""));
            }
            catch (SQLException ex) {
                assertThat(ex.getSQLState()).isEqualTo(TOO_MANY);
                return taken;
            }
        }
    }

    private static void awaitAtLeast(AtomicInteger count, int least) throws InterruptedException {
        while (count.get() < least) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private static ShardedIdEngine open(String url, AtomicInteger refused) {
        LeaseConnections real = LeaseConnections.url(url, "postgres", "");
        LeaseConnections counted = new LeaseConnections() {
            @Override
            public Connection open(Duration timeout) throws SQLException {
                try {
                    return real.open(timeout);
                }
                catch (SQLException ex) {
                    refused.incrementAndGet();
                    throw ex;
                }
            }

            @Override
            public String describe() {
                return real.describe();
            }
        };
        LeaseSettings settings = LeaseSettings.builder().startupTimeout(Duration.ofSeconds(60)).owner("test").build();
        return SeparateProcess.open(ShardedIds.builder()
            .workers(JdbcLeases.leased(settings, counted, "shardedid_worker", SchemaInitialization.ALWAYS, List.of())));
    }

}
