package io.shardedid.internal.lease.jdbc;

import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.LoggedLines;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.SettableTime;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.LeasedWorker;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tools.FreePort;
import org.h2.tools.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A start whose database does not answer, for reasons that pass and for others. */
class StartRetryTest {

    private static final Duration STARTUP_TIMEOUT = Duration.ofSeconds(90);

    private final SettableTime time = SettableTime.at(Instant.now());

    private final EngineTerms terms = new EngineTerms(IdLayout.standard(), 2000, "modulo", Duration.ofSeconds(1),
            Duration.ofSeconds(5), null, this.time);

    private final AtomicInteger attempts = new AtomicInteger();

    private final List<Duration> limits = new CopyOnWriteArrayList<>();

    @TempDir
    private Path folder;

    static Stream<Arguments> reasons() {
        return Stream.of(Arguments.of(true, new SQLException("refused", "08001")),
                Arguments.of(true, new SQLException("lost", "08006")),
                Arguments.of(true, new SQLException("the database system is starting up", "57P03")),
                Arguments.of(true, new SQLException("too many clients already", "53300")),
                Arguments.of(true, new SQLException("Too many connections", "08004", 1040)),
                Arguments.of(true, new SQLException("more than 'max_user_connections'", "42000", 1203)),
                Arguments.of(true, new SQLNonTransientConnectionException("Socket fail to connect", "08000")),
                Arguments.of(true, new SQLTimeoutException("no answer")),
                Arguments.of(true, new SQLException("Connection is broken", "90067", 90067)),
                Arguments.of(true, new IllegalStateException("pool", new SQLException("refused", "08001"))),
                Arguments.of(false, new SQLException("password authentication failed", "28P01")),
                Arguments.of(false, new SQLException("Access denied", "28000", 1045)),
                Arguments.of(false, new SQLException("no such database", "3D000")),
                Arguments.of(false, new SQLException("Unknown database", "42000", 1049)),
                Arguments.of(false, new SQLException("Host is not allowed to connect", "08004", 1130)),
                Arguments.of(false, new SQLException("The server does not support SSL.", "08004")),
                Arguments.of(false, new SQLException("No suitable driver found for jdbc:x", "08001")),
                Arguments.of(false, new SQLException("Unable to parse URL", "99999")),
                Arguments.of(false, new SQLException("SSL", "08006", new CertificateException("not trusted"))),
                Arguments.of(false,
                        new SQLTransientConnectionException("request timed out",
                                new SQLException("password authentication failed", "28P01"))),
                Arguments.of(false, new IllegalStateException("pool")));
    }

    @ParameterizedTest
    @MethodSource("reasons")
    void triesAgainUntilTheStartupTimeoutIfTheReasonIsTransient(boolean passes, Exception reason) {
        WorkerLeases keeper = keeper((attempt) -> reason);

        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> keeper.connect(this.terms))
            .withMessageContainingAll("table=shardedid_worker", "connection=test");

        keeper.close();
        long waited = this.time.nanoTime() - this.start;
        assertThat(waited).isEqualTo(passes ? STARTUP_TIMEOUT.toNanos() : 0);
        // pauses of 0.25 to 8 s, a fifth more or less
        assertThat(this.attempts.get()).isBetween(passes ? 12 : 1, passes ? 20 : 1);
    }

    private final long start = this.time.nanoTime();

    @Test
    void startsOnceTheReasonHasPassed() {
        WorkerLeases keeper = keeper(
                (attempt) -> (attempt <= 5) ? new SQLException("too many clients already", "53300") : null);

        assertThat(keeper.connect(this.terms).name()).startsWith("lease:");

        keeper.close();
        assertThat(this.attempts).hasValue(6);
    }

    /** A driver is loaded, on a machine that starts many things at once. */
    @Test
    void driverIsGivenFourTimesAsLongForTheFirstConnectionAlone() {
        try (SqlLeaseTable table = table(() -> null)) {
            table.ensure();
            table.disconnect();
            table.ensure();
        }
        assertThat(this.limits).containsExactly(Duration.ofMinutes(2), Duration.ofSeconds(30));
    }

    @Test
    void failsAtOnceWhenAReasonThatLastsFollowsOneThatPasses() {
        WorkerLeases keeper = keeper((attempt) -> (attempt == 1) ? new SQLException("starting up", "57P03")
                : new SQLException("no such database", "3D000"));

        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> keeper.connect(this.terms))
            .withMessageContaining("SQLState=3D000");

        keeper.close();
        assertThat(this.attempts).hasValue(2);
    }

    @Test
    void saysSoOnceAMinute() {
        List<String> lines = new ArrayList<>();
        Logger logger = Logger.getLogger("io.shardedid.internal.lease.LeaseReport");
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                lines.add(new java.util.logging.SimpleFormatter().formatMessage(record));
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        };
        logger.addHandler(handler);
        WorkerLeases keeper = keeper((attempt) -> new SQLException("too many clients already", "53300"));
        try {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> keeper.connect(this.terms));
        }
        finally {
            keeper.close();
            logger.removeHandler(handler);
        }

        assertThat(lines).hasSize(2)
            .first()
            .asString()
            .contains("SQLState=53300", "shardedid.worker.lease.startup-timeout=90s");
    }

    @Test
    void waitsForATableThatAMigrationMakes() {
        TestDatabase database = TestServer.H2.freshDatabase();
        WorkerLeases keeper = withoutTable(database, true, () -> {
            if (this.attempts.incrementAndGet() == 3) {
                makeTable(database);
            }
            return null;
        });

        assertThat(keeper.connect(this.terms).name()).startsWith("lease:");

        keeper.close();
        assertThat(this.attempts).hasValue(3);
    }

    @Test
    void saysAtOnceWhichTableItWaitsForAndFailsByTheStartupTimeout() {
        WorkerLeases keeper = withoutTable(TestServer.H2.freshDatabase(), true, () -> null);
        String[] missing = { "table=shardedid_worker", "user=SA", "initialize-schema=never",
                "'io/shardedid/lease-table-h2.sql'", "initialize-schema=always" };
        try (LoggedLines log = new LoggedLines("io.shardedid.internal.lease.LeaseReport")) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> keeper.connect(this.terms))
                .withMessageContainingAll(missing);

            assertThat(log.lines()).hasSize(2)
                .first()
                .asString()
                .startsWith("WARNING ")
                .contains(missing)
                .contains("shardedid.worker.lease.startup-timeout=90s");
        }
        keeper.close();
        assertThat(this.time.nanoTime() - this.start).isEqualTo(STARTUP_TIMEOUT.toNanos());
    }

    @Test
    void failsAtOnceWithoutATableThatNobodyMakes() {
        WorkerLeases keeper = withoutTable(TestServer.H2.freshDatabase(), false, () -> null);

        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> keeper.connect(this.terms))
            .withMessageContaining("(it does not exist, and ");

        keeper.close();
        assertThat(this.time.nanoTime()).isEqualTo(this.start);
    }

    private WorkerLeases withoutTable(TestDatabase database, boolean awaitTable, Supplier<Exception> before) {
        return JdbcLeases.leased(LeaseSettings.builder().startupTimeout(STARTUP_TIMEOUT).awaitTable(awaitTable).build(),
                counted(LeaseConnections.url(database.url(), database.user(), database.password()), before),
                "shardedid_worker", SchemaInitialization.NEVER, List.of());
    }

    private static void makeTable(TestDatabase database) {
        try (LeaseStore table = JdbcLeases.store("default",
                LeaseConnections.url(database.url(), database.user(), database.password()), "shardedid_worker",
                SchemaInitialization.ALWAYS)) {
            table.ensure();
        }
    }

    @Test
    void interruptedStartGivesUp() {
        WorkerLeases keeper = keeper((attempt) -> new SQLException("too many clients already", "53300"));
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> keeper.connect(this.terms));

        assertThat(Thread.interrupted()).isTrue();
        keeper.close();
        assertThat(this.attempts).hasValue(1);
    }

    /** By the real clock: the port is refused, then a server opens it. */
    @Test
    void startsWhenTheServerIsUpAtLast() throws Exception {
        int port = FreePort.find();
        Server server = Server.createTcpServer("-tcpPort", String.valueOf(port), "-ifNotExists", "-baseDir",
                this.folder.toString());
        AtomicInteger refused = new AtomicInteger();
        LeaseConnections real = LeaseConnections.url("jdbc:h2:tcp://127.0.0.1:%s/./late;WRITE_DELAY=0".formatted(port),
                "sa", "");
        LeaseConnections connections = counted(real, () -> {
            // the third attempt finds the server
            if (refused.incrementAndGet() == 3) {
                start(server);
            }
            return null;
        });
        try (ShardedIdEngine ids = SeparateProcess.open(ShardedIds.builder()
            .workers(JdbcLeases.leased(settings(), connections, "shardedid_worker", SchemaInitialization.ALWAYS,
                    List.of())))) {
            assertThat(ids.next(7)).isPositive();
            assertThat(refused.get()).isGreaterThanOrEqualTo(3);
        }
        finally {
            server.stop();
        }
    }

    private static void start(Server server) {
        try {
            server.start();
        }
        catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    static Stream<Arguments> remedies() {
        String login = "correct the user and the password, which are 'shardedid.worker.lease.username' and "
                + "'shardedid.worker.lease.password', and those of the application's data source only where "
                + "'shardedid.worker.lease.url' is not set";
        String database = "create the database, or correct 'shardedid.worker.lease.url' or the URL of the "
                + "application's data source";
        String start = "start the database, or correct 'shardedid.worker.lease.url' or the URL of the application's data "
                + "source";
        String statement = "correct the SQL that the connection pool runs on each new connection";
        return Stream.of(Arguments.of(new SQLException("password authentication failed", "28P01"), login),
                Arguments.of(new SQLException("Access denied", "28000", 1045), login),
                Arguments.of(new IllegalStateException("pool", new SQLException("Access denied", "28000")), login),
                Arguments.of(new SQLException("database \"app\" does not exist", "3D000"), database),
                Arguments.of(new SQLException("Unknown database", "42000", 1049), database),
                Arguments.of(new SQLException("No suitable driver found for jdbc:x", "08001"),
                        "add the driver of the database to the class path, or correct 'shardedid.worker.lease.url'"),
                Arguments.of(new SQLException("schema \"nosuch\" does not exist", "3F000"), statement),
                Arguments.of(new SQLException("Table 'nosuch' doesn't exist", "42S02"), statement),
                Arguments.of(new SQLException("Connection refused", "08001"), start),
                Arguments.of(new SQLException("Unable to parse URL", "99999"), start));
    }

    @ParameterizedTest
    @MethodSource("remedies")
    void namesTheRemedyOfTheReason(Exception reason, String remedy) {
        WorkerLeases keeper = keeper((attempt) -> reason);

        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> keeper.connect(this.terms))
            .withMessageContaining(String.valueOf(remedy));

        keeper.close();
    }

    @Test
    void doesNotTellAWrongUserToStartTheDatabase() {
        TestDatabase database = TestServer.H2.freshDatabase();
        WorkerLeases keeper = JdbcLeases.leased(settings(), LeaseConnections.url(database.url(), "nobody", "wrong"),
                "shardedid_worker", SchemaInitialization.ALWAYS, List.of());

        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> keeper.connect(this.terms))
            .withMessageContaining("); correct the user and the password, ");

        keeper.close();
    }

    private static LeaseSettings settings() {
        return LeaseSettings.builder().startupTimeout(STARTUP_TIMEOUT).application("test").build();
    }

    private WorkerLeases keeper(Reason reason) {
        return new LeasedWorker(settings(), table(() -> reason.of(this.attempts.incrementAndGet())), List.of());
    }

    private SqlLeaseTable table(Supplier<Exception> failure) {
        TestDatabase database = TestServer.H2.freshDatabase();
        return new SqlLeaseTable(
                counted(LeaseConnections.url(database.url(), database.user(), database.password()), failure),
                LeaseTableName.DEFAULT, "default", SchemaInitialization.ALWAYS, LeaseTableContract.PATIENT);
    }

    private LeaseConnections counted(LeaseConnections real, Supplier<Exception> failure) {
        return new LeaseConnections() {
            @Override
            public Connection open(Duration timeout) throws SQLException {
                StartRetryTest.this.limits.add(timeout);
                Exception thrown = failure.get();
                if (thrown instanceof SQLException ex) {
                    throw ex;
                }
                if (thrown instanceof RuntimeException ex) {
                    throw ex;
                }
                return real.open(timeout);
            }

            @Override
            public String describe() {
                return "test";
            }
        };
    }

    @FunctionalInterface
    private interface Reason {

        Exception of(int attempt);

    }

}
