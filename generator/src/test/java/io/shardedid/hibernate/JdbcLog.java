package io.shardedid.hibernate;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/**
 * A pool of connections to a database that writes down what is asked of it: each
 * connection, each execution with its SQL.
 */
final class JdbcLog implements AutoCloseable {

    private final HikariDataSource pool;

    private final DataSource dataSource;

    private final List<String> entries = Collections.synchronizedList(new ArrayList<>());

    /**
     * Opens a pool.
     * @param autoCommit what a fresh connection does
     */
    JdbcLog(UnitDatabase database, boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setAutoCommit(autoCommit);
        config.setMinimumIdle(0);
        this.pool = new HikariDataSource(config);
        this.dataSource = proxy(DataSource.class, this.pool, null);
    }

    DataSource dataSource() {
        return this.dataSource;
    }

    /** All entries since the last call. */
    List<String> drain() {
        synchronized (this.entries) {
            List<String> drained = List.copyOf(this.entries);
            this.entries.clear();
            return drained;
        }
    }

    private <T> T proxy(Class<T> type, Object target, String sql) {
        InvocationHandler handler = (ignored, method, arguments) -> invoke(target, method, arguments, sql);
        return type.cast(Proxy.newProxyInstance(JdbcLog.class.getClassLoader(), new Class<?>[] { type }, handler));
    }

    private Object invoke(Object target, Method method, Object[] arguments, String sql) throws Throwable {
        if (method.getName().startsWith("execute")) {
            String text = (sql != null) ? sql : (arguments != null) ? String.valueOf(arguments[0]) : "";
            this.entries.add(method.getName() + " " + text.toLowerCase(Locale.ROOT));
        }
        if (method.getName().equals("getConnection") && target instanceof DataSource) {
            this.entries.add("getConnection");
        }
        Object result;
        try {
            result = method.invoke(target, arguments);
        }
        catch (InvocationTargetException ex) {
            throw ex.getCause();
        }
        if (result instanceof Connection) {
            return proxy(Connection.class, result, null);
        }
        if (result instanceof PreparedStatement) {
            return proxy(PreparedStatement.class, result, String.valueOf(arguments[0]));
        }
        return (result instanceof Statement && target instanceof Connection) ? proxy(Statement.class, result, null)
                : result;
    }

    @Override
    public void close() {
        this.pool.close();
    }

}
