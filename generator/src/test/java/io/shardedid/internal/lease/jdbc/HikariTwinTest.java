package io.shardedid.internal.lease.jdbc;

import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.SchemaInitialization;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A connection of a twin is like one of the pool, and takes nothing of the pool. */
class HikariTwinTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final TestDatabase database = TestServer.H2.freshDatabase();

    private final HikariDataSource pool = new HikariDataSource();

    private final AtomicInteger trackers = new AtomicInteger();

    HikariTwinTest() {
        this.pool.setJdbcUrl(this.database.url());
        this.pool.setUsername(this.database.user());
        this.pool.setPassword(this.database.password());
        this.pool.setMaximumPoolSize(1);
    }

    @AfterEach
    void close() {
        this.pool.close();
    }

    @Test
    void connectsAsThePoolDoesWhileThePoolHasNoConnectionLeft() throws Exception {
        this.database.execute("CREATE SCHEMA shop");
        this.pool.setSchema("SHOP");
        this.pool.setConnectionInitSql("SET @marked = 'yes'");
        this.pool.setAutoCommit(false);
        HikariTwin twin = HikariTwin.of(this.pool);

        try (Connection only = this.pool.getConnection()) {
            Connection connection = twin.open(TIMEOUT);
            assertThat(connection.getSchema()).isEqualTo("SHOP");
            try (var marked = connection.createStatement().executeQuery("SELECT @marked")) {
                assertThat(marked.next()).isTrue();
                assertThat(marked.getString(1)).isEqualTo("yes");
            }
            assertThat(connection.unwrap(org.h2.jdbc.JdbcConnection.class))
                .isNotSameAs(only.unwrap(org.h2.jdbc.JdbcConnection.class));
            assertThat(this.pool.getHikariPoolMXBean().getTotalConnections()).isOne();
            twin.close(connection);
        }
    }

    @Test
    void endsWithItsConnectionAndHasNoMeters() throws Exception {
        this.pool.setPoolName("metered");
        this.pool.setMetricsTrackerFactory((name, stats) -> {
            this.trackers.incrementAndGet();
            return new com.zaxxer.hikari.metrics.IMetricsTracker() {
            };
        });
        HikariTwin twin = HikariTwin.of(this.pool);
        this.pool.getConnection().close();
        Connection connection = twin.open(TIMEOUT);
        Connection driver = connection.unwrap(org.h2.jdbc.JdbcConnection.class);
        assertThat(this.trackers).hasValue(1);
        assertThat(threads()).isPositive();

        twin.close(connection);

        assertThat(driver.isClosed()).isTrue();
        awaitNoThreads();
    }

    /** While a database is away, the lease thread tries again and again. */
    @Test
    void endsWhereItCannotConnect() throws Exception {
        this.pool.setPoolName("metered");
        HikariTwin twin = HikariTwin.of(this.pool);
        this.database.execute("ALTER USER " + this.database.user() + " SET PASSWORD 'changed'");

        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> twin.open(TIMEOUT));

        awaitNoThreads();
    }

    /** A twin has what its pool has, but for what would be seen of two pools. */
    @Test
    void differsFromThePoolInWhatIsNeeded() throws Exception {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl("jdbc:h2:mem:shop");
            pool.setPoolName("shop");
            pool.setMaximumPoolSize(7);
            pool.setMinimumIdle(3);
            pool.setConnectionTimeout(4_000);
            pool.setValidationTimeout(3_000);
            pool.setMaxLifetime(60_000);
            pool.setIdleTimeout(20_000);
            pool.setKeepaliveTime(40_000);
            pool.setRegisterMbeans(true);
            pool.setLeakDetectionThreshold(5_000);
            pool.setReadOnly(true);
            pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
            pool.addDataSourceProperty("TRACE_LEVEL_FILE", "0");
            HikariConfig twin = Objects.requireNonNull(HikariTwin.of(pool)).settings();
            Map<String, Object> differ = new TreeMap<>();
            for (PropertyDescriptor each : Introspector.getBeanInfo(HikariConfig.class, Object.class)
                .getPropertyDescriptors()) {
                if (each.getReadMethod() != null && !each.getName().equals("sealed")) {
                    Object value = each.getReadMethod().invoke(twin);
                    if (!Objects.equals(value, each.getReadMethod().invoke(pool))) {
                        differ.put(each.getName(), value);
                    }
                }
            }
            assertThat(differ)
                .isEqualTo(Map.of("poolName", "shop (worker id)", "maximumPoolSize", 1, "minimumIdle", 1, "idleTimeout",
                        0L, "initializationFailTimeout", -1L, "registerMbeans", false, "leakDetectionThreshold", 0L));
        }
    }

    /** Its URL is not known, so its database is looked at. */
    @Test
    void endsWhereAPrivateLeaseIsHeldAgainstTheDatabaseOfTheApplication() throws Exception {
        JdbcDataSource rows = new JdbcDataSource();
        rows.setURL("jdbc:h2:mem:" + UUID.randomUUID());
        this.pool.setPoolName("metered");
        this.pool.setJdbcUrl(null);
        this.pool.setDataSource(rows);
        LeaseConnections lease = LeaseConnections.url("jdbc:h2:mem:" + UUID.randomUUID(), null, null);
        try (LeaseStore table = new SqlLeaseTable(lease.beside(List.of(LeaseConnections.own(this.pool))),
                LeaseTableName.DEFAULT, "default", SchemaInitialization.ALWAYS, new LeaseTimeouts(TIMEOUT, TIMEOUT))) {
            table.ensure();
        }

        awaitNoThreads();
    }

    @Test
    void leasesFromHsqldb() {
        this.pool.setJdbcUrl("jdbc:hsqldb:mem:" + UUID.randomUUID());
        this.pool.setUsername("SA");
        assertLeases();
    }

    /**
     * HikariCP gives up a connection whose driver says that it does not support a call.
     */
    @Test
    void leasesFromADriverWithoutNetworkTimeouts() {
        this.pool.setDataSource((DataSource) proxy(DataSource.class, (call, values) -> {
            Connection driver = this.database.connect();
            return proxy(Connection.class, (method, arguments) -> {
                if (method.getName().endsWith("NetworkTimeout")) {
                    throw new SQLFeatureNotSupportedException("not by this driver", "0A000");
                }
                try {
                    return method.invoke(driver, arguments);
                }
                catch (InvocationTargetException ex) {
                    throw ex.getCause();
                }
            });
        }));
        assertLeases();
    }

    private void assertLeases() {
        try (LeaseStore table = new SqlLeaseTable(LeaseConnections.own(this.pool), LeaseTableName.DEFAULT, "default",
                SchemaInitialization.ALWAYS, new LeaseTimeouts(TIMEOUT, TIMEOUT))) {
            table.ensure();
            assertThat(table.execute(new LeaseStatement.ReadAll())).isInstanceOf(LeaseReply.Rows.class);
        }
    }

    private static Object proxy(Class<?> type, Answer answer) {
        return Proxy.newProxyInstance(HikariTwinTest.class.getClassLoader(), new Class<?>[] { type },
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "setLoginTimeout" -> null;
                    case "isWrapperFor" -> ((Class<?>) arguments[0]).isInstance(proxy);
                    case "unwrap" -> proxy;
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    case "toString" -> type.getName();
                    default -> answer.to(method, arguments);
                });
    }

    private static void awaitNoThreads() throws InterruptedException {
        long began = System.nanoTime();
        while (threads() > 0) {
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(TIMEOUT);
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private static long threads() {
        return Thread.getAllStackTraces()
            .keySet()
            .stream()
            .filter((thread) -> thread.getName().startsWith("metered (worker id)"))
            .count();
    }

    /** Of a driver. */
    @FunctionalInterface
    private interface Answer {

        Object to(Method method, Object[] arguments) throws Throwable;

    }

}
