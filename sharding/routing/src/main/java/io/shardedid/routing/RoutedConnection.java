package io.shardedid.routing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * A connection some of whose calls are looked at. Most connections need none of this.
 *
 * @param connection the connection of a pool
 * @param isolation the level that the connection has already, or null. A transaction that
 * Spring has begun on the connection itself sets it there once more, which cannot be done
 * any more after the connection has entered a shard, because that begins the transaction
 * @param foreignIds what a statement in a scope may not name, or null
 */
record RoutedConnection(Connection connection, @Nullable Integer isolation,
        @Nullable ForeignIds foreignIds) implements InvocationHandler {

    /** Returns a connection to use in the place of the other one. */
    static Connection of(Connection connection, @Nullable Integer isolation, @Nullable ForeignIds foreignIds) {
        return (isolation == null && foreignIds == null) ? connection
                : (Connection) proxy(Connection.class, new RoutedConnection(connection, isolation, foreignIds));
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(RoutedConnection.class.getClassLoader(), new Class<?>[] { type }, handler);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object[] arguments) throws Throwable {
        if (method.getName().equals("equals")) {
            return arguments[0] == proxy || isSame(arguments[0]);
        }
        if (this.isolation != null && method.getName().equals("setTransactionIsolation")
                && this.isolation.equals(arguments[0])) {
            return null;
        }
        Object result = call(this.connection, method, arguments);
        return (this.foreignIds != null && result instanceof PreparedStatement && this.foreignIds.areLookedFor())
                ? proxy(method.getReturnType(), new Part(result, proxy, this.foreignIds)) : result;
    }

    /**
     * Spring asks so whether a connection that it finds at a statement is that of the
     * transaction, which it must not close.
     */
    private boolean isSame(@Nullable Object other) {
        return this.connection.equals(other) || DataSourceUtils.getTargetConnection(this.connection).equals(other);
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
     * A statement that leads back to its connection, and whose numbers are looked at.
     *
     * @param part what the driver has made
     * @param connection the connection that it leads back to
     * @param foreignIds what the numbers may not be
     * @param numbers the numbers by the places of their parameters
     */
    private record Part(Object part, Object connection, ForeignIds foreignIds,
            Map<Object, Long> numbers) implements InvocationHandler {

        Part(Object part, Object connection, ForeignIds foreignIds) {
            this(part, connection, foreignIds, new TreeMap<>());
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object[] arguments) throws Throwable {
            if (method.getReturnType() == Connection.class) {
                return this.connection;
            }
            note(method.getName(), arguments);
            return call(this.part, method, arguments);
        }

        private void note(String name, @Nullable Object[] arguments) {
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
                this.foreignIds.check(this.numbers.values());
            }
        }

    }

}
