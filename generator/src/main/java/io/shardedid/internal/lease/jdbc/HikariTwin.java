package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import com.zaxxer.hikari.util.Credentials;
import io.shardedid.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections of a twin that a pool of HikariCP makes of itself: a pool of one, with the
 * settings and the login of now, which ends with its connection. It connects as the pool
 * does, and takes no place in it.
 */
final class HikariTwin implements LeaseConnections {

    /** How often a failure is looked for: the shortest wait of the pool. */
    private static final long LOOK_MILLIS = 250;

    private final HikariDataSource pool;

    private final Map<Connection, HikariPool> twins = new ConcurrentHashMap<>();

    private HikariTwin(HikariDataSource pool) {
        this.pool = pool;
    }

    /** Returns the connections of a pool, or null if the data source leads to none. */
    static @Nullable HikariTwin of(DataSource application) {
        try {
            return application.isWrapperFor(HikariDataSource.class)
                    ? new HikariTwin(application.unwrap(HikariDataSource.class)) : null;
        }
        catch (SQLException | RuntimeException ex) {
            return null;
        }
    }

    @Override
    public Connection open(Duration timeout) throws SQLException {
        DatabaseUrl.requirePrimary(this.pool.getJdbcUrl(), this.pool.getDataSourceProperties());
        HikariPool twin = new HikariPool(settings());
        boolean open = false;
        try {
            Connection connection = first(twin, timeout);
            this.twins.put(connection, twin);
            open = true;
            return connection;
        }
        finally {
            if (!open) {
                end(twin);
            }
        }
    }

    private HikariConfig settings() {
        HikariConfig copy = new HikariConfig();
        this.pool.copyStateTo(copy);
        copy.setCredentials(login());
        copy.setPoolName(this.pool.getPoolName() + " (worker id)");
        copy.setMaximumPoolSize(1);
        copy.setMinimumIdle(1);
        copy.setIdleTimeout(0);
        // a failure is handed on at once, and not logged with its stack by each attempt
        copy.setInitializationFailTimeout(-1);
        copy.setRegisterMbeans(false);
        copy.setLeakDetectionThreshold(0);
        copy.setHealthCheckRegistry(null);
        if (copy.getMetricsTrackerFactory() != null) {
            copy.setMetricsTrackerFactory(null);
        }
        else {
            copy.setMetricRegistry(null);
        }
        copy.validate();
        return copy;
    }

    /** The pool reads the getters of old only where it is told so. */
    private Credentials login() {
        return Boolean.getBoolean("com.zaxxer.hikari.legacy.supportUserPassDataSourceOverride")
                ? Credentials.of(this.pool.getUsername(), this.pool.getPassword()) : this.pool.getCredentials();
    }

    /** The pool itself goes on after a failed attempt until its time is over. */
    private static Connection first(HikariPool twin, Duration timeout) throws SQLException {
        TimeSource time = TimeSource.system();
        long began = time.nanoTime();
        while (true) {
            try {
                return twin.getConnection(LOOK_MILLIS);
            }
            catch (SQLException ex) {
                if (ex.getCause() instanceof SQLException failure) {
                    throw failure;
                }
                if (ex.getCause() != null || time.nanoTime() - began >= timeout.toNanos()) {
                    throw ex;
                }
            }
        }
    }

    private static void end(HikariPool twin) {
        try {
            twin.shutdown();
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close(Connection connection) throws SQLException {
        HikariPool twin = this.twins.remove(connection);
        connection.close();
        if (twin != null) {
            end(twin);
        }
    }

    @Override
    public @Nullable String typedUrl() {
        return this.pool.getJdbcUrl();
    }

    @Override
    public String describe() {
        String url = this.pool.getJdbcUrl();
        return (url != null) ? DatabaseUrl.describe(url) : "pool '" + this.pool.getPoolName() + "'";
    }

}
