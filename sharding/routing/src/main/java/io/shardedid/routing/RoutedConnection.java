package io.shardedid.routing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

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
        if (this.isolation != null && method.getName().equals("setTransactionIsolation")
                && this.isolation.equals(arguments[0])) {
            return null;
        }
        Object result = call(this.connection, method, arguments);
        return (this.foreignIds != null && result instanceof PreparedStatement statement
                && this.foreignIds.areLookedFor())
                        ? proxy(method.getReturnType(), new CheckedStatement(statement, this.foreignIds)) : result;
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
     * A statement whose numbers are looked at.
     *
     * @param statement the statement
     * @param foreignIds what the numbers may not be
     * @param numbers the numbers by the places of their parameters
     */
    private record CheckedStatement(PreparedStatement statement, ForeignIds foreignIds,
            Map<Object, Long> numbers) implements InvocationHandler {

        CheckedStatement(PreparedStatement statement, ForeignIds foreignIds) {
            this(statement, foreignIds, new TreeMap<>());
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object[] arguments) throws Throwable {
            String name = method.getName();
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
            return call(this.statement, method, arguments);
        }

    }

}
