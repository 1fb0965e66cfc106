package io.shardedid.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;

import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The script without one of its guards makes duplicate ids: what the proofs would see.
 */
@Tag("database")
class BrokenDatabaseIdsIT {

    private static final int CLIENTS = 8;

    private static final int IDS = 1_000;

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    private final String script = new DatabaseIds(IdLayout.standard(), 2000, ShardFunction.modulo(),
            Duration.ofSeconds(1), Duration.ofSeconds(5))
        .script("");

    private List<Long> next(int count) throws SQLException {
        return DrawnIds.of(this.database, "shardedid_next(7)", count);
    }

    private long duplicatesOfManyClients() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<List<Long>>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                all.add(threads.submit(() -> next(IDS)));
            }
            Set<Long> distinct = new HashSet<>();
            for (Future<List<Long>> one : all) {
                distinct.addAll(one.get());
            }
            return (long) CLIENTS * IDS - distinct.size();
        }
        finally {
            threads.shutdownNow();
        }
    }

    @Test
    void withItsLocksItMakesNoDuplicateIds() throws Exception {
        this.database.execute(this.script);

        assertThat(duplicatesOfManyClients()).isZero();
    }

    @Test
    void withoutItsLocksItMakesDuplicateIds() throws Exception {
        // a session that is put off between the two looks, as one may be at any time
        this.database.execute(this.script.replaceAll("(?m)^ *PERFORM pg_advisory_.*$", "")
            .replace("cell := setval(", "PERFORM pg_sleep(0.001); cell := setval("));

        long duplicates = 0;
        // until the race shows, which a busy machine may put off
        for (int run = 0; run < 20 && duplicates == 0; run++) {
            duplicates = duplicatesOfManyClients();
        }
        assertThat(duplicates).isPositive();
    }

    @Test
    void withACacheItMakesNoDuplicateIds() throws Exception {
        assertThat(duplicatesBesideACache((script) -> script)).isZero();
    }

    @Test
    void withACacheAndWithoutALookAtItsEndItMakesDuplicateIds() throws Exception {
        assertThat(duplicatesBesideACache((script) -> script.replaceAll(
                "greatest\\(now_cell, pg_sequence_last_value\\('HOME_SCHEMA.shardedid_cell'\\) \\+ 1\\)", "now_cell")))
            .isPositive();
    }

    /**
     * A session holds values that time has passed by, while another one has gone ahead of
     * the clock.
     */
    private long duplicatesBesideACache(UnaryOperator<String> change) throws Exception {
        Instant noon = Instant.parse("2026-06-01T12:00:00Z");
        this.database
            .execute(
                    change.apply(new DatabaseIds(IdLayout.javascript(), 1000, ShardFunction.modulo(),
                            Duration.ofHours(1), Duration.ofSeconds(5))
                        .script("")),
                    "ALTER SEQUENCE shardedid_cell CACHE 50");
        InstagramPage.setClock(this.database, "public", noon, "shardedid_claim()");
        List<Long> ids = new ArrayList<>();
        try (Connection slow = this.database.connect(); Connection fast = this.database.connect()) {
            ids.addAll(next(slow, 2));
            ids.addAll(next(fast, IDS));
            InstagramPage.setClock(this.database, "public", noon.plusSeconds(1));
            ids.addAll(next(slow, 1));
            ids.addAll(next(fast, IDS));
        }
        ids.addAll(next(IDS));
        return ids.size() - new HashSet<>(ids).size();
    }

    private static List<Long> next(Connection session, int count) throws SQLException {
        return DrawnIds.of(session, "shardedid_next(7)", count);
    }

    @Test
    void withTheWorkerIdOfAProcessItMakesDuplicateIds() throws Exception {
        try (ShardedIdEngine ids = SeparateProcess.open(ShardedIds.builder()
            .workers(JdbcLeases.leased(LeaseSettings.builder().build(),
                    LeaseConnections.url(this.database.url(), "postgres", ""), "shardedid_worker",
                    SchemaInitialization.ALWAYS, List.of())))) {
            long reserved = IdLayout.standard().compose(0, 0, 127, 0);
            long leased = IdLayout.standard().compose(0, 0, ids.stats().worker(), 0);
            this.database.execute(this.script.replace("| " + reserved + "\n", "| " + leased + "\n"));
            int different = 26 * IDS;
            for (int attempt = 0; attempt < 20 && different == 26 * IDS; attempt++) {
                long[] made = new long[24 * IDS];
                ids.next(7, made);
                // these begin in the time that the process has run ahead, if we are quick
                Set<Long> all = new HashSet<>(next(2 * IDS));
                for (long id : made) {
                    all.add(id);
                }
                different = all.size();
            }

            assertThat(different).isLessThan(26 * IDS);
        }
    }

}
