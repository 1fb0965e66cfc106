package io.shardedid.internal.lease.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.SchemaInitialization;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.testdb.PostgresMajor;
import io.shardedid.testdb.SwallowingProxy;
import io.shardedid.testdb.TestDatabase;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Writes of a PostgreSQL that waits for a synchronous standby which is not there: what
 * counts as confirmed, and what stays behind in the server.
 */
@Tag("proof")
@Tag("nightly")
@ParameterizedClass
@EnumSource
class UnconfirmedWriteIT {

    private static final String WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

    private static final String LOCKED = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";

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

    UnconfirmedWriteIT(PostgresMajor version) {
        this.database = new TestDatabase("jdbc:postgresql://127.0.0.1:%s/postgres".formatted(server.getPort()),
                "postgres", "");
    }

    @BeforeEach
    void makeTable() {
        standbys("");
        this.database.execute("DROP TABLE IF EXISTS shardedid_worker");
        try (LeaseStore table = LeaseTableContract.table(TestConnections.to(this.database), "default")) {
            table.ensure();
            for (int worker = 1; worker <= 2; worker++) {
                table.execute(new LeaseStatement.Insert(new LeaseRow(worker, "old", 0, 0, 0, null, null), null));
            }
        }
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

    private LeaseConnections own() {
        return LeaseConnections.url(this.database.url(), this.database.user(), this.database.password());
    }

    private static LeaseStore table(LeaseConnections connections) {
        return new SqlLeaseTable(connections, LeaseTableName.DEFAULT, "default", SchemaInitialization.NEVER,
                LeaseTimeouts.DEFAULT);
    }

    private static LeaseStatement.Update update(int worker, String seen, String token) {
        return new LeaseStatement.Update(worker, seen, 0, token, 1, 1, 0, null, null, null);
    }

    private static void assertUnconfirmed(LeaseReply reply, String why) {
        assertThat(reply).isInstanceOf(LeaseReply.Unknown.class);
        assertThat(((LeaseReply.Unknown) reply).cause()).isInstanceOf(SQLException.class)
            .hasMessageContaining(why)
            .matches((ex) -> "08007".equals(((SQLException) ex).getSQLState()));
    }

    @Test
    void isUnknownAndLeavesNothingBehindAlthoughReadsShowIt() {
        standbys("nobody");
        try (LeaseStore table = table(own())) {
            assertUnconfirmed(table.execute(update(1, "old", "first")), "warning=01000");
            assertUnconfirmed(
                    table.execute(new LeaseStatement.Insert(new LeaseRow(3, "new", 1, 0, 0, null, null), null)),
                    "warning=01000");
            assertThat(LeaseStoreCheck.read(table).row(1)).get().extracting(LeaseRow::token).isEqualTo("first");
            assertThat(this.database.query(WAITING)).isEqualTo("0");
            standbys("");
            assertThat(table.execute(update(1, "first", "second"))).isEqualTo(new LeaseReply.Written(1));
        }
    }

    @Test
    void isUnknownOnAConnectionOfAPool() {
        standbys("nobody");
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(this.database.url());
        config.setUsername("postgres");
        config.setMaximumPoolSize(2);
        try (HikariDataSource pool = new HikariDataSource(config);
                LeaseStore table = table(new HeldConnections(pool, true))) {
            assertUnconfirmed(table.execute(update(1, "old", "first")), "warning=01000");
        }
    }

    /** The wait ends by the query timeout, which no wrapper can hide. */
    @Test
    void isUnknownWhereAWrapperHidesTheWarnings() {
        standbys("nobody");
        LeaseConnections open = own();
        LeaseConnections hiding = new LeaseConnections() {

            @Override
            public Connection open(Duration timeout) throws SQLException {
                return withoutWarnings(Connection.class, open.open(timeout));
            }

            @Override
            public String describe() {
                return "hiding";
            }

        };
        try (LeaseStore table = table(hiding)) {
            assertUnconfirmed(table.execute(update(1, "old", "first")), "query timeout=2s");
        }
    }

    private static <T> T withoutWarnings(Class<T> type, T target) {
        return type
            .cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (self, method, values) -> {
                try {
                    return switch (method.getName()) {
                        case "getWarnings" -> null;
                        case "prepareStatement" ->
                            withoutWarnings(PreparedStatement.class, (PreparedStatement) method.invoke(target, values));
                        default -> method.invoke(target, values);
                    };
                }
                catch (InvocationTargetException ex) {
                    throw ex.getCause();
                }
            }));
    }

    @Test
    void isUnknownWhenAnAdministratorEndsTheWait() throws Exception {
        standbys("nobody");
        for (String end : List.of("pg_cancel_backend", "pg_terminate_backend")) {
            String seen = this.database.query("SELECT token FROM shardedid_worker WHERE worker_id = 1");
            try (LeaseStore table = table(own())) {
                LeaseStoreCheck.read(table);
                CompletableFuture<LeaseReply> reply = CompletableFuture
                    .supplyAsync(() -> table.execute(update(1, seen, end)));
                await(() -> !"0".equals(this.database.query(WAITING)));
                this.database.query("SELECT %s(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'".formatted(end));
                assertThat(reply.get(30, TimeUnit.SECONDS)).isInstanceOf(LeaseReply.Unknown.class);
            }
            assertThat(this.database.query("SELECT token FROM shardedid_worker WHERE worker_id = 1")).isEqualTo(end);
        }
    }

    /**
     * A client that is gone ends no wait. So each attempt could leave one more behind.
     */
    @Test
    void leavesOneWaitingCommitBehindHoweverOftenItIsTried() {
        standbys("nobody");
        try (SwallowingProxy network = SwallowingProxy.to(this.database);
                LeaseStore table = table(LeaseConnections.url(this.database.behind(network).url(), "postgres", ""))) {
            LeaseStoreCheck.read(table);
            CompletableFuture<LeaseReply> first = CompletableFuture
                .supplyAsync(() -> table.execute(update(1, "old", "first")));
            await(() -> "1".equals(this.database.query(WAITING)));
            network.cut();
            assertThat(first.join()).isInstanceOf(LeaseReply.Unknown.class);
            network.pass();
            for (int i = 0; i < 3; i++) {
                assertThat(LeaseStoreCheck.read(table).row(1)).get().extracting(LeaseRow::token).isEqualTo("old");
                LeaseReply reply = table.execute(update(1, "old", "later"));
                assertThat(reply).isInstanceOf(LeaseReply.Unknown.class);
                assertThat(((SQLException) ((LeaseReply.Unknown) reply).cause()).getSQLState()).isEqualTo("55P03");
                assertThat(this.database.query(WAITING)).isEqualTo("1");
            }
            // also when its driver cannot end the attempt, the server does
            CompletableFuture<LeaseReply> cut = CompletableFuture
                .supplyAsync(() -> table.execute(update(1, "old", "later")));
            await(() -> "1".equals(this.database.query(LOCKED)));
            network.cut();
            assertThat(cut.join()).isInstanceOf(LeaseReply.Unknown.class);
            await(() -> "0".equals(this.database.query(LOCKED)));
            network.pass();
            standbys("");
            await(() -> "0".equals(this.database.query(WAITING)));
            assertThat(LeaseStoreCheck.read(table).row(1)).get().extracting(LeaseRow::token).isEqualTo("first");
            assertThat(table.execute(update(1, "first", "second"))).isEqualTo(new LeaseReply.Written(1));
        }
    }

    @Test
    void noticesChangeNothingAndWarningsDo() {
        this.database.execute("""
                CREATE OR REPLACE FUNCTION remark() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                  IF NEW.worker_id = 1 THEN RAISE NOTICE 'remark'; ELSE RAISE WARNING 'remark'; END IF;
                  RETURN NEW;
                END $$""",
                "CREATE TRIGGER remark BEFORE UPDATE ON shardedid_worker FOR EACH ROW EXECUTE FUNCTION remark()");
        try (LeaseStore table = table(own())) {
            assertThat(table.execute(update(1, "old", "first"))).isEqualTo(new LeaseReply.Written(1));
            assertUnconfirmed(table.execute(update(2, "old", "first")), "warning=01000 remark");
        }
    }

    /** The clock in a write was read before the wait; what counts then is the row. */
    @Test
    void writeThatWaitedForALockMeetsTheRowAsItIsThen() throws Exception {
        try (LeaseStore table = table(own());
                Connection other = this.database.connect();
                Statement statement = other.createStatement()) {
            LeaseStatement.Guard guard = new LeaseStatement.Guard(LeaseStoreCheck.read(table).databaseMillis() + 60_000,
                    false);
            other.setAutoCommit(false);
            statement.execute("UPDATE shardedid_worker SET token = 'other' WHERE worker_id = 1");
            CompletableFuture<LeaseReply> reply = CompletableFuture.supplyAsync(
                    () -> table.execute(new LeaseStatement.Update(1, "old", 0, "new", 1, 1, 0, null, null, guard)));
            await(() -> "1".equals(this.database.query(LOCKED)));
            other.commit();
            assertThat(reply.get(30, TimeUnit.SECONDS)).isEqualTo(new LeaseReply.Written(0));
        }
    }

}
