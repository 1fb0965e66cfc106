package io.shardedid.internal.lease.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.LoggedLines;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.internal.lease.IdSet;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.LeasedWorker;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * A lease table that is dropped while a process runs: outside the promise, but seen to
 * heal, or to say what is missing.
 */
class DroppedTableTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final TestDatabase database = TestServer.H2.freshDatabase();

    @AfterEach
    void shutDown() {
        this.database.execute("SHUTDOWN");
    }

    @ParameterizedTest
    @EnumSource(names = { "ALWAYS", "EMBEDDED" })
    void isMadeAgainWhereAStartWouldMakeIt(SchemaInitialization initialization) throws Exception {
        isMadeAgain(this.database, initialization);
    }

    @Test
    void isMissedByItsScriptAndItsKeyWhereAStartWouldNotMakeIt() throws Exception {
        isMissed(this.database, "h2");
    }

    /** A process that ends has no use for the table. */
    @Test
    void isNotMadeAgainByTheEndOfAProcess() throws Exception {
        try (ShardedIdEngine ids = open(this.database, SchemaInitialization.ALWAYS, Duration.ofSeconds(60),
                new ArrayList<>())) {
            ids.next(1);
            this.database.execute("DROP TABLE shardedid_worker");
        }
        assertThat(this.database
            .query("SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = 'SHARDEDID_WORKER'"))
            .isEqualTo("0");
    }

    /** No id is made twice, and the process goes on above all that it has leased. */
    static void isMadeAgain(TestDatabase database, SchemaInitialization initialization) throws Exception {
        List<String> losses = Collections.synchronizedList(new ArrayList<>());
        try (LoggedLines lines = new LoggedLines(SqlLeaseTable.class.getName());
                ShardedIdEngine ids = open(database, initialization, Duration.ofMillis(1500), losses)) {
            IdSet made = new IdSet();
            long last = ids.next(1);
            made.add(last);
            String identity = database.query("SELECT token FROM shardedid_worker WHERE worker_id = -1");
            long leasedUpTo = Long
                .parseLong(database.query("SELECT hwm_tick FROM shardedid_worker WHERE worker_id = 0"));
            database.execute("DROP TABLE shardedid_worker");
            long until = System.nanoTime() + PATIENCE.toNanos();
            while (losses.isEmpty() || ids.stats().worker() < 0) {
                last = next(ids, last, made);
                assertThat(System.nanoTime() - until).as("time is left").isNegative();
            }
            last = next(ids, last, made);

            Instant end = IdLayout.standard().instantAt(leasedUpTo);
            assertThat(ids.parse(last).instant()).isAfterOrEqualTo(end);
            assertThat(losses).singleElement().asString().contains("row", "gone");
            assertThat(database.query("SELECT token FROM shardedid_worker WHERE worker_id = -1")).isEqualTo(identity);
            assertThat(Long.parseLong(database.query("SELECT hwm_tick FROM shardedid_worker WHERE worker_id = 0")))
                .isGreaterThan(leasedUpTo);
            assertThat(lines.lines()).singleElement()
                .asString()
                .startsWith("WARNING ")
                .contains("table=shardedid_worker", "connection=" + database.url(),
                        "initialize-schema=" + initialization.name().toLowerCase(Locale.ROOT), "drops");
        }
    }

    private static long next(ShardedIdEngine ids, long last, IdSet made) {
        long id = ids.next(1);
        assertThat(id).isGreaterThan(last);
        assertThat(made.add(id)).isTrue();
        return id;
    }

    /** A retry does not help, and the script does. */
    static void isMissed(TestDatabase database, String script) throws Exception {
        try (LeaseStore table = table(database, SchemaInitialization.ALWAYS)) {
            table.ensure();
        }
        try (LoggedLines lines = new LoggedLines("io.shardedid.internal.lease.LeaseReport");
                ShardedIdEngine ids = open(database, SchemaInitialization.NEVER, Duration.ofMillis(1500),
                        new ArrayList<>())) {
            long last = whenBack(ids);
            database.execute("DROP TABLE shardedid_worker");
            WorkerLeaseException refused = refusal(ids);

            String missing = "'io/shardedid/lease-table-" + script + ".sql'";
            assertThat(refused).hasMessageContainingAll("initialize-schema=never", missing, "initialize-schema=always")
                .matches((failure) -> !failure.retryable())
                .hasCauseInstanceOf(WorkerLeaseException.class);
            assertThat(refused.action()).contains("script");
            assertThat(lines.lines()).filteredOn((line) -> line.contains(missing))
                .singleElement()
                .asString()
                .startsWith("WARNING ")
                .contains("table=shardedid_worker", "initialize-schema=always", "again");

            database.execute(script(script));
            assertThat(whenBack(ids)).isGreaterThan(last);
        }
    }

    private static WorkerLeaseException refusal(ShardedIdEngine ids) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        WorkerLeaseException refused = null;
        while (refused == null || !refused.getMessage().contains("Could not use the lease table")) {
            assertThat(System.nanoTime() - until).as("time is left, after " + refused).isNegative();
            TimeUnit.MILLISECONDS.sleep(10);
            refused = catchThrowableOfType(WorkerLeaseException.class, () -> ids.next(1));
        }
        return refused;
    }

    private static long whenBack(ShardedIdEngine ids) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return ids.next(1);
            }
            catch (WorkerLeaseException ex) {
                assertThat(System.nanoTime() - until).as("time is left, after " + ex).isNegative();
            }
        }
    }

    private static String script(String database) throws IOException {
        try (InputStream script = DroppedTableTest.class
            .getResourceAsStream("/io/shardedid/lease-table-" + database + ".sql")) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static LeaseStore table(TestDatabase database, SchemaInitialization initialization) {
        return new SqlLeaseTable(LeaseConnections.url(database.url(), database.user(), database.password()),
                LeaseTableName.DEFAULT, "default", initialization, LeaseTimeouts.DEFAULT);
    }

    private static ShardedIdEngine open(TestDatabase database, SchemaInitialization initialization, Duration window,
            List<String> losses) {
        LeaseSettings settings = LeaseSettings.builder().window(window).startupTimeout(Duration.ofSeconds(70)).build();
        return SeparateProcess.open(ShardedIds.builder()
            .maxWait((initialization == SchemaInitialization.NEVER) ? Duration.ofMillis(200) : Duration.ofSeconds(20))
            .workers(new LeasedWorker(settings, table(database, initialization), List.of(new WorkerLeaseListener() {
                @Override
                public void lost(int worker, String why) {
                    losses.add(why);
                }
            }))));
    }

}
