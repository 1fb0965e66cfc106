package io.shardedid.benchmarks;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

import io.shardedid.internal.lease.jdbc.LeaseConnections;

/**
 * Connections of a keeper that count what goes over them: connections, statements, and
 * the writes that came too late, because another process had changed or inserted the row.
 * Safe for use by many threads.
 */
final class CountedConnections implements LeaseConnections {

    private final LongAdder opened = new LongAdder();

    private final LongAdder statements = new LongAdder();

    private final LongAdder lost = new LongAdder();

    private final LeaseConnections real;

    CountedConnections(LeaseConnections real) {
        this.real = real;
    }

    Count count() {
        return new Count(this.opened.sum(), this.statements.sum(), this.lost.sum());
    }

    @Override
    public Connection open(Duration timeout) throws SQLException {
        this.opened.increment();
        return (Connection) counted(this.real.open(timeout), Connection.class, "");
    }

    @Override
    public boolean keep() {
        return this.real.keep();
    }

    @Override
    public String describe() {
        return this.real.describe();
    }

    /** Wraps a connection or a statement; what it opens is wrapped as well. */
    private Object counted(Object object, Class<?> type, String sql) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            String text = (arguments != null && arguments.length > 0 && arguments[0] instanceof String first) ? first
                    : sql;
            if (object instanceof Statement && method.getName().startsWith("execute")) {
                return executed(object, method, arguments, text);
            }
            Object result = invoke(object, method, arguments);
            boolean opensStatement = object instanceof Connection && result instanceof Statement;
            return opensStatement ? counted(result, method.getReturnType(), text) : result;
        };
        return Proxy.newProxyInstance(CountedConnections.class.getClassLoader(), new Class<?>[] { type }, handler);
    }

    private Object executed(Object statement, Method method, Object[] arguments, String sql) throws Throwable {
        this.statements.increment();
        try {
            Object result = invoke(statement, method, arguments);
            if (sql.startsWith("UPDATE") && Integer.valueOf(0).equals(result)) {
                this.lost.increment();
            }
            return result;
        }
        catch (SQLException ex) {
            if (ex.getSQLState() != null && ex.getSQLState().startsWith("23")) {
                this.lost.increment();
            }
            throw ex;
        }
    }

    private static Object invoke(Object object, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(object, arguments);
        }
        catch (InvocationTargetException ex) {
            throw ex.getCause();
        }
    }

    /**
     * What was counted.
     *
     * @param connections how many were opened
     * @param statements how many were sent
     * @param lost how many writes came too late
     */
    record Count(long connections, long statements, long lost) {
    }

}
