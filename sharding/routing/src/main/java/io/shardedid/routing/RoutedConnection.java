package io.shardedid.routing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * A connection some of whose calls are looked at. Most connections need none of this.
 *
 * @param connection the connection of a pool
 * @param place what ends when the connection is closed, or null
 * @param isolation the level that the connection has already, or null. A transaction that
 * Spring has begun on the connection itself sets it there once more, which cannot be done
 * any more after the connection has entered a shard, because that begins the transaction
 * @param foreignIds what a statement in a scope may not name, or null
 */
record RoutedConnection(Connection connection, @Nullable Place place, @Nullable Integer isolation,
        @Nullable ForeignIds foreignIds) implements InvocationHandler {

    /** Returns a connection to use in the place of the other one. */
    static Connection of(Connection connection, @Nullable Place place, @Nullable Integer isolation,
            @Nullable ForeignIds foreignIds) {
        return (place == null && isolation == null && foreignIds == null) ? connection
                : (Connection) proxy(Connection.class, new RoutedConnection(connection, place, isolation, foreignIds));
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(RoutedConnection.class.getClassLoader(), new Class<?>[] { type }, handler);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object[] arguments) throws Throwable {
        if (method.getName().equals("close")) {
            close();
            return null;
        }
        if (method.getName().equals("equals")) {
            return arguments[0] == proxy || isSame(arguments[0]);
        }
        if (this.isolation != null && method.getName().equals("setTransactionIsolation")
                && this.isolation.equals(arguments[0])) {
            return null;
        }
        Object result = call(this.connection, method, arguments);
        if (this.foreignIds != null && result instanceof PreparedStatement && this.foreignIds.areLookedFor()) {
            return proxy(method.getReturnType(), new Part(result, proxy, proxy, this.place != null, this.foreignIds));
        }
        return (this.place != null) ? Part.of(result, method, proxy, proxy) : result;
    }

    /**
     * Spring asks so whether a connection that it finds at a statement is that of the
     * transaction, which it must not close.
     */
    private boolean isSame(@Nullable Object other) {
        return this.connection.equals(other) || DataSourceUtils.getTargetConnection(this.connection).equals(other);
    }

    private void close() throws SQLException {
        try {
            this.connection.close();
        }
        finally {
            if (this.place != null) {
                this.place.close();
            }
        }
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        }
        catch (InvocationTargetException ex) {
            throw ex.getTargetException();
        }
    }

    /**
     * What comes from a connection and leads back to it: a statement, a result set or
     * metadata. A caller may close the connection that it finds there, as Spring's
     * {@code queryForStream} does. The numbers of a statement may be looked at.
     *
     * @param part what the driver has made
     * @param from what it comes from: the connection, a statement or metadata
     * @param connection the connection that it leads back to
     * @param whole whether what comes from it leads back, too, because the connection is
     * no transaction's
     * @param foreignIds what the numbers may not be, or null
     * @param numbers the numbers by the places of their parameters
     */
    private record Part(Object part, Object from, Object connection, boolean whole, @Nullable ForeignIds foreignIds,
            Map<Object, Long> numbers) implements InvocationHandler {

        Part(Object part, Object from, Object connection, boolean whole, @Nullable ForeignIds foreignIds) {
            this(part, from, connection, whole, foreignIds, (foreignIds != null) ? new TreeMap<>() : Map.of());
        }

        static @Nullable Object of(@Nullable Object result, Method method, Object from, Object connection) {
            Class<?> type = method.getReturnType();
            boolean leadsBack = Statement.class.isAssignableFrom(type) || type == ResultSet.class
                    || type == DatabaseMetaData.class;
            return (result != null && leadsBack) ? proxy(type, new Part(result, from, connection, true, null)) : result;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object[] arguments) throws Throwable {
            if (method.getReturnType() == Connection.class) {
                return this.connection;
            }
            if (method.getReturnType() == Statement.class && this.from instanceof Statement) {
                return this.from;
            }
            if (this.foreignIds != null) {
                note(method.getName(), arguments, this.foreignIds);
            }
            Object result = call(this.part, method, arguments);
            return this.whole ? of(result, method, proxy, this.connection) : result;
        }

        private void note(String name, @Nullable Object[] arguments, ForeignIds foreign) {
            if (name.startsWith("set") && arguments != null && arguments.length >= 2
                    && arguments[0] instanceof Integer parameter) {
                if (arguments[1] instanceof Long number) {
                    this.numbers.put(parameter, number);
                }
                else {
                    this.numbers.remove(parameter);
                }
            }
            else if (name.equals("clearParameters")) {
                this.numbers.clear();
            }
            else if (name.startsWith("execute") || name.equals("addBatch")) {
                foreign.check(this.numbers.values());
            }
        }

    }

}
