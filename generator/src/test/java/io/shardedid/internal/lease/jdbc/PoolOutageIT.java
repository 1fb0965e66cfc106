package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
import io.shardedid.testdb.SwallowingProxy;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tools.ProofLength;
import org.apache.commons.dbcp2.BasicDataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What happens while the database is away, and afterwards, to a lease that is reached by
 * the pool of fifty callers: each takes a connection, makes an id and saves a row.
 */
@Tag("database")
class PoolOutageIT {

    private static final System.Logger LOG = System.getLogger(PoolOutageIT.class.getName());

    private static final int CALLERS = 50;

    private static final int PLACES = 10;

    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    /** When a caller that needs no id had an answer of the server last. */
    private final AtomicLong lastReached = new AtomicLong();

    private final AtomicLong lastId = new AtomicLong();

    private final AtomicInteger saved = new AtomicInteger();

    private volatile boolean stops;

    static Stream<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (Pool pool : Pool.values()) {
            for (Outage outage : Outage.values()) {
                for (int window : (ProofLength.of(0, 1) == 1) ? new int[] { 10, 30 } : new int[] { 10 }) {
                    cases.add(new Case(pool, outage, window));
                }
            }
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    @Tag("proof")
    @Tag("nightly")
    void idsComeAgainAndThePoolKeepsItsPlaces(Case each) throws Exception {
        this.database.execute("CREATE TABLE photo (id BIGINT PRIMARY KEY)");
        try (SwallowingProxy network = SwallowingProxy.to(this.database)) {
            DataSource pool = each.pool.open(this.database.behind(network), PLACES);
            try (ShardedIdEngine ids = open(pool, each.window)) {
                ExecutorService callers = Executors.newCachedThreadPool();
                for (int caller = 0; caller < CALLERS; caller++) {
                    callers.execute(() -> call(pool, ids));
                }
                callers.execute(() -> reach(pool));
                TimeUnit.SECONDS.sleep(3);
                each.outage.happen(this.database, network, pool);
                int before = this.saved.get();
                long back = System.nanoTime();
                long served = 0;
                while (this.lastId.get() < back || this.saved.get() == before) {
                    served = (served == 0 && this.lastReached.get() >= back) ? System.nanoTime() : served;
                    assertThat(served == 0 || System.nanoTime() - served < MOST_NANOS)
                        .as("ids within 2 s after the pool has served a caller that needs none")
                        .isTrue();
                    TimeUnit.MILLISECONDS.sleep(5);
                }
                LOG.log(System.Logger.Level.INFO,
                        "{0}: the pool serves callers after {1} ms, ids and rows after {2} ms", each,
                        (served == 0) ? "more" : Duration.ofNanos(served - back).toMillis(),
                        Duration.ofNanos(System.nanoTime() - back).toMillis());
                this.stops = true;
                callers.shutdown();
                assertThat(callers.awaitTermination(40, TimeUnit.SECONDS)).isTrue();
                assertPlaces(pool, each.pool.makesTwin() ? PLACES : PLACES - 1);
            }
            finally {
                this.stops = true;
                Pool.close(pool);
            }
        }
    }

    private void call(DataSource pool, ShardedIdEngine ids) {
        while (!this.stops) {
            try (Connection connection = pool.getConnection()) {
                connection.setAutoCommit(false);
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO photo VALUES (?)")) {
                    long id = ids.next(7);
                    this.lastId.set(System.nanoTime());
                    insert.setLong(1, id);
                    insert.executeUpdate();
                    connection.commit();
                    this.saved.incrementAndGet();
                }
                catch (SQLException | ShardedIdException ex) {
                    connection.rollback();
                }
                TimeUnit.MILLISECONDS.sleep(5);
            }
            catch (SQLException | InterruptedException ex) {
                // the next one
            }
        }
    }

    /** A caller that needs no id shows when the pool itself works again. */
    private void reach(DataSource pool) {
        while (!this.stops) {
            try (Connection connection = pool.getConnection();
                    PreparedStatement query = connection.prepareStatement("SELECT 1")) {
                query.executeQuery();
                this.lastReached.set(System.nanoTime());
                TimeUnit.MILLISECONDS.sleep(5);
            }
            catch (SQLException | InterruptedException ex) {
                // the next one
            }
        }
    }

    private static void terminateTheLease(TestDatabase database) {
        database.query("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                + "WHERE datname = current_database() AND query LIKE '%shardedid_worker%' "
                + "AND pid <> pg_backend_pid()");
    }

    /**
     * The pool gives nobody a connection then. It does not come to be suspended while
     * more callers than places wait for one.
     */
    @Test
    @Tag("proof")
    void idsGoOnWhileAPoolIsSuspendedAndTheSessionOfTheLeaseTerminated() throws Exception {
        try (HikariDataSource pool = (HikariDataSource) Pool.HIKARI.open(this.database, PLACES)) {
            pool.setAllowPoolSuspension(true);
            try (ShardedIdEngine ids = open(pool, 10)) {
                pool.getConnection().close();
                pool.getHikariPoolMXBean().suspendPool();
                terminateTheLease(this.database);
                long began = System.nanoTime();
                long last = began;
                long longest = 0;
                while (last - began < TimeUnit.SECONDS.toNanos(30)) {
                    assertThat(ids.next(7)).isPositive();
                    longest = Math.max(longest, System.nanoTime() - last);
                    last = System.nanoTime();
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                pool.getHikariPoolMXBean().resumePool();
                assertPlaces(pool, PLACES);
                LOG.log(System.Logger.Level.INFO, "a suspended pool: longest time without an id {0} ms",
                        Duration.ofNanos(longest).toMillis());
            }
        }
    }

    private static void assertPlaces(DataSource pool, int places) throws SQLException {
        List<Connection> taken = new ArrayList<>();
        try {
            for (int i = 0; i < places; i++) {
                Connection connection = pool.getConnection();
                taken.add(connection);
                assertThat(connection.isValid(5)).isTrue();
            }
        }
        finally {
            for (Connection each : taken) {
                each.close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void poolOfOneIsRefusedByTheNameOfItsSettingUnlessItMakesATwin(Pool kind) throws Exception {
        DataSource pool = kind.open(this.database, 1);
        if (kind.makesTwin()) {
            try (ShardedIdEngine ids = open(pool, 10)) {
                assertThat(ids.next(1)).isPositive();
            }
        }
        else {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> open(pool, 10))
                .satisfies((ex) -> assertThat(ex.problem().keys()).containsExactly(kind.setting));
        }
        Pool.close(pool);
    }

    /** Also one of two, where a caller and the lease have a connection each. */
    @ParameterizedTest
    @EnumSource
    void firstUseUnderLoadIsServed(Pool kind) throws Exception {
        for (int places = kind.makesTwin() ? 1 : 2; places <= 3; places++) {
            DataSource pool = kind.open(this.database, places);
            this.database.execute("CREATE TABLE IF NOT EXISTS photo (id BIGINT PRIMARY KEY)");
            this.stops = false;
            int before = this.saved.get();
            try (ShardedIdEngine ids = open(pool, 10, true)) {
                ExecutorService callers = Executors.newCachedThreadPool();
                for (int caller = 0; caller < 8; caller++) {
                    callers.execute(() -> call(pool, ids));
                }
                long began = System.nanoTime();
                while (this.saved.get() < before + 20) {
                    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
                    TimeUnit.MILLISECONDS.sleep(5);
                }
                LOG.log(System.Logger.Level.INFO, "{0}, {1} places: 20 rows after {2} ms", kind, places,
                        Duration.ofNanos(System.nanoTime() - began).toMillis());
                this.stops = true;
                callers.shutdown();
                assertThat(callers.awaitTermination(40, TimeUnit.SECONDS)).isTrue();
            }
            Pool.close(pool);
        }
    }

    @ParameterizedTest
    @EnumSource
    void poolMayBeClosedBeforeTheEngine(Pool kind) throws Exception {
        DataSource pool = kind.open(this.database, 3);
        ShardedIdEngine ids = open(pool, 10);
        assertThat(ids.next(1)).isPositive();
        Pool.close(pool);
        long began = System.nanoTime();
        ids.close();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(14));
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> ids.next(1))
            .isNotInstanceOf(WorkerLeaseException.class);
    }

    private static ShardedIdEngine open(DataSource pool, int window) {
        return open(pool, window, false);
    }

    private static ShardedIdEngine open(DataSource pool, int window, boolean firstUse) {
        LeaseSettings.Builder settings = LeaseSettings.builder()
            .window(Duration.ofSeconds(window))
            .startupTimeout(Duration.ofSeconds(window + 10));
        if (firstUse) {
            settings.firstUse(true);
        }
        return SeparateProcess.open(ShardedIds.builder()
            .workers(JdbcLeases.leased(settings.build(), LeaseConnections.of(pool), "shardedid_worker",
                    SchemaInitialization.ALWAYS, List.of())));
    }

    /**
     * What is tried.
     *
     * @param pool the pool
     * @param outage what happens
     * @param window of the lease, in seconds
     */
    record Case(Pool pool, Outage outage, int window) {
    }

    enum Outage {

        NETWORK_15 {
            @Override
            void happen(TestDatabase database, SwallowingProxy network, DataSource pool) throws Exception {
                network.swallow();
                TimeUnit.SECONDS.sleep(15);
                network.pass();
            }
        },
        NETWORK_40 {
            @Override
            void happen(TestDatabase database, SwallowingProxy network, DataSource pool) throws Exception {
                network.swallow();
                TimeUnit.SECONDS.sleep(40);
                network.pass();
            }
        },
        SERVER_DOWN_15 {
            @Override
            void happen(TestDatabase database, SwallowingProxy network, DataSource pool) throws Exception {
                network.cut();
                TimeUnit.SECONDS.sleep(15);
                network.pass();
            }
        },
        SESSIONS_TERMINATED {
            @Override
            void happen(TestDatabase database, SwallowingProxy network, DataSource pool) {
                database.query("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                        + "WHERE datname = current_database() AND pid <> pg_backend_pid()");
            }
        },
        TERMINATED_WHILE_THE_POOL_IS_TAKEN {
            @Override
            void happen(TestDatabase database, SwallowingProxy network, DataSource pool) throws Exception {
                List<Connection> taken = new ArrayList<>();
                for (int i = 0; i < PLACES - 1; i++) {
                    taken.add(pool.getConnection());
                }
                terminateTheLease(database);
                TimeUnit.SECONDS.sleep(30);
                for (Connection each : taken) {
                    each.close();
                }
            }
        };

        abstract void happen(TestDatabase database, SwallowingProxy network, DataSource pool) throws Exception;

    }

    /**
     * Pools that look at a connection before they lend it, whose driver does not wait for
     * long.
     */
    enum Pool {

        HIKARI("maximumPoolSize") {
            @Override
            DataSource open(TestDatabase database, int places) {
                HikariDataSource pool = new HikariDataSource();
                pool.setJdbcUrl(url(database));
                pool.setUsername(database.user());
                pool.setPassword(database.password());
                pool.setMaximumPoolSize(places);
                return pool;
            }
        },
        TOMCAT("maxActive") {
            @Override
            DataSource open(TestDatabase database, int places) {
                PoolProperties pool = new PoolProperties();
                pool.setDriverClassName("org.postgresql.Driver");
                pool.setUrl(url(database));
                pool.setUsername(database.user());
                pool.setPassword(database.password());
                pool.setMaxActive(places);
                pool.setMaxIdle(places);
                pool.setInitialSize(0);
                pool.setTestOnBorrow(true);
                pool.setValidationQuery("SELECT 1");
                pool.setJmxEnabled(false);
                return new org.apache.tomcat.jdbc.pool.DataSource(pool);
            }
        },
        DBCP2("maxTotal") {
            @Override
            DataSource open(TestDatabase database, int places) {
                BasicDataSource pool = new BasicDataSource();
                pool.setUrl(url(database));
                pool.setUsername(database.user());
                pool.setPassword(database.password());
                pool.setMaxTotal(places);
                pool.setMaxIdle(places);
                return pool;
            }
        },
        AGROAL("maxSize") {
            @Override
            DataSource open(TestDatabase database, int places) throws SQLException {
                return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                    .connectionPoolConfiguration((pool) -> pool.maxSize(places)
                        .acquisitionTimeout(Duration.ofSeconds(30))
                        .validateOnBorrow(true)
                        .connectionValidator(ConnectionValidator.defaultValidatorWithTimeout(2))
                        .connectionFactoryConfiguration((factory) -> factory.jdbcUrl(url(database))
                            .principal(new NamePrincipal(database.user()))
                            .credential(new SimplePassword(database.password())))));
            }
        };

        private final String setting;

        Pool(String setting) {
            this.setting = setting;
        }

        abstract DataSource open(TestDatabase database, int places) throws SQLException;

        boolean makesTwin() {
            return this == HIKARI || this == AGROAL;
        }

        private static String url(TestDatabase database) {
            return database.url() + (database.url().contains("?") ? "&" : "?") + "connectTimeout=2&socketTimeout=2";
        }

        static void close(DataSource pool) throws Exception {
            if (pool instanceof org.apache.tomcat.jdbc.pool.DataSource tomcat) {
                tomcat.close(true);
            }
            else {
                ((AutoCloseable) pool).close();
            }
        }

    }

}
