package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import com.zaxxer.hikari.util.Credentials;
import io.shardedid.TimeSource;
import org.jspecify.annotations.Nullable;

/** Twins of a pool of HikariCP. */
final class HikariTwin extends PoolTwin<HikariPool> {

    /** How often a failure is looked for: the shortest wait of the pool. */
    private static final long LOOK_MILLIS = 250;

    private final HikariDataSource pool;

    private HikariTwin(HikariDataSource pool) {
        this.pool = pool;
    }

    static @Nullable HikariTwin of(DataSource application) {
        HikariDataSource pool = pool(application, HikariDataSource.class);
        return (pool != null) ? new HikariTwin(pool) : null;
    }

    @Override
    HikariPool twin() {
        DatabaseUrl.requirePrimary(this.pool.getJdbcUrl(), this.pool.getDataSourceProperties());
        return new HikariPool(settings());
    }

    @Override
    void end(HikariPool twin) {
        try {
            twin.shutdown();
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    HikariConfig settings() {
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
    @Override
    Connection connect(HikariPool twin, Duration timeout) throws SQLException {
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

    @Override
    public @Nullable String typedUrl() {
        return this.pool.getJdbcUrl();
    }

    @Override
    public String describe() {
        return (typedUrl() != null) ? super.describe() : "pool '" + this.pool.getPoolName() + "'";
    }

}
