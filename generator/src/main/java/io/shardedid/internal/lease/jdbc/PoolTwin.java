package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/**
 * Connections of a twin that a pool makes of itself: a pool of one, with the settings and
 * the login of now, which ends with its connection. It connects as the pool does, and
 * takes no place in it.
 *
 * @param <T> the pool
 */
abstract class PoolTwin<T> implements LeaseConnections {

    private final Map<Connection, T> twins = new ConcurrentHashMap<>();

    /** Returns the connections of a pool, or null if the data source leads to none. */
    static @Nullable PoolTwin<?> of(DataSource application) {
        PoolTwin<?> twin = isPresent("com.zaxxer.hikari.HikariDataSource") ? HikariTwin.of(application) : null;
        return (twin == null && isPresent("io.agroal.api.AgroalDataSource")) ? AgroalTwin.of(application) : twin;
    }

    private static boolean isPresent(String pool) {
        try {
            Class.forName(pool, false, PoolTwin.class.getClassLoader());
            return true;
        }
        catch (ClassNotFoundException ex) {
            return false;
        }
    }

    /** Returns the pool that a data source is or unwraps to, or null. */
    static <P> @Nullable P pool(DataSource application, Class<P> type) {
        try {
            return type.isInstance(application) ? type.cast(application)
                    : application.isWrapperFor(type) ? application.unwrap(type) : null;
        }
        catch (SQLException | RuntimeException ex) {
            return null;
        }
    }

    abstract T twin() throws SQLException;

    abstract Connection connect(T twin, Duration timeout) throws SQLException;

    abstract void end(T twin);

    @Override
    public Connection open(Duration timeout) throws SQLException {
        T twin = twin();
        boolean open = false;
        try {
            Connection connection = connect(twin, timeout);
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

    @Override
    public void close(Connection connection) throws SQLException {
        T twin = this.twins.remove(connection);
        connection.close();
        if (twin != null) {
            end(twin);
        }
    }

    @Override
    public String describe() {
        String url = typedUrl();
        return (url != null) ? DatabaseUrl.describe(url) : "a connection like those of the pool";
    }

}
