package io.shardedid.routing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * A connection that has entered a shard already, and so has begun its transaction. A
 * transaction that Spring has begun on the connection itself sets the isolation level
 * there once more, which cannot be done any more.
 *
 * @param connection the connection of a pool
 * @param isolation the level that it has
 */
record RoutedConnection(Connection connection, Integer isolation) implements InvocationHandler {

    /** Returns a connection to use in the place of the other one. */
    static Connection of(Connection connection, Integer isolation) {
        return (Connection) Proxy.newProxyInstance(RoutedConnection.class.getClassLoader(),
                new Class<?>[] { Connection.class }, new RoutedConnection(connection, isolation));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object[] arguments) throws Throwable {
        if (method.getName().equals("equals")) {
            return arguments[0] == proxy || isSame(arguments[0]);
        }
        if (method.getName().equals("setTransactionIsolation") && this.isolation.equals(arguments[0])) {
            return null;
        }
        try {
            return method.invoke(this.connection, arguments);
        }
        catch (InvocationTargetException ex) {
            throw ex.getTargetException();
        }
    }

    /**
     * Spring asks so whether a connection that it finds at a statement is that of the
     * transaction, which it must not close.
     */
    private boolean isSame(@Nullable Object other) {
        return this.connection.equals(other) || DataSourceUtils.getTargetConnection(this.connection).equals(other);
    }

}
