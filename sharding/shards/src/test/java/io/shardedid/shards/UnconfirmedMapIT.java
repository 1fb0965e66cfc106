package io.shardedid.shards;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.shardedid.SchemaInitialization;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.TestConnections;
import io.shardedid.testdb.PostgresMajor;
import io.shardedid.testdb.TestDatabase;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/** The map in a PostgreSQL that waits for a synchronous standby which is not there. */
@Tag("proof")
@Tag("nightly")
@ParameterizedClass
@EnumSource
class UnconfirmedMapIT {

    private static final String WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

    private static EmbeddedPostgres server;

    private final TestDatabase database;

    @BeforeParameterizedClassInvocation
    static void start(PostgresMajor version) throws Exception {
        server = version.server().start();
    }

    @AfterParameterizedClassInvocation
    static void stop() throws Exception {
        server.close();
    }

    UnconfirmedMapIT(PostgresMajor version) {
        this.database = new TestDatabase("jdbc:postgresql://127.0.0.1:%s/postgres".formatted(server.getPort()),
                "postgres", "");
    }

    private void standbys(String names) {
        this.database.execute("ALTER SYSTEM SET synchronous_standby_names = '%s'".formatted(names),
                "SELECT pg_reload_conf()");
        // another server process than the one that was told
        await(() -> names.equals(this.database.query("SHOW synchronous_standby_names")));
    }

    private static void await(Supplier<Boolean> condition) {
        while (!condition.get()) {
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    /** The wait for the commit of a transaction has no timeout but the socket's. */
    @Test
    void rowsAreNotConfirmed() throws Exception {
        try (LeaseStore leases = JdbcLeases.store("default", TestConnections.to(this.database), "shardedid_worker",
                SchemaInitialization.ALWAYS)) {
            SqlShardTable map = new SqlShardTable(leases, "default");
            map.ensure();
            standbys("nobody");
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> map.note("name" + System.nanoTime(), "one"))
                    .withMessageContaining("warning=01000");
            }
            CompletableFuture<Throwable> fill = CompletableFuture
                .supplyAsync(() -> catchThrowable(() -> map.fill(ShardMap.parse("0-9: a", 10))));
            await(() -> "1".equals(this.database.query(WAITING)));
            this.database.query("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
            assertThat(fill.get(30, TimeUnit.SECONDS)).hasMessageContaining("warning=01000");
            standbys("");
            assertThat(map.note("a", "one")).isEqualTo("one");
            assertThat(map.version().number()).isOne();
        }
    }

}
