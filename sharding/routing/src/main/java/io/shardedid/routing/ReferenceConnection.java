package io.shardedid.routing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/**
 * The connection of a transaction that has read reference data only. It reads them in the
 * home database. As soon as the shard is known, the next statement goes to a connection
 * to the database of the shard, and the first one is given back: it has only read, which
 * the database sees to.
 */
final class ReferenceConnection implements InvocationHandler {

    private final ShardBindings bindings;

    private final DataSource router;

    /** Null after the connection to the shard could not be had. */
    private @Nullable Connection connection;

    private boolean inShard;

    private ReferenceConnection(Connection connection, ShardBindings bindings, DataSource router) {
        this.connection = connection;
        this.bindings = bindings;
        this.router = router;
    }

    /**
     * Returns a connection to use in the place of the other one.
     * @param router makes the connection to the shard
     */
    static Connection of(Connection connection, ShardBindings bindings, DataSource router) {
        return (Connection) Proxy.newProxyInstance(ReferenceConnection.class.getClassLoader(),
                new Class<?>[] { Connection.class }, new ReferenceConnection(connection, bindings, router));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object[] arguments) throws Throwable {
        String name = method.getName();
        if (!this.inShard && (name.startsWith("prepare") || name.equals("createStatement"))) {
            if (this.bindings.isPlaced()) {
                goToShard();
            }
            else {
                this.bindings.checkReading();
            }
        }
        Connection known = this.connection;
        if (known == null) {
            return withoutConnection(method);
        }
        try {
            return method.invoke(known, arguments);
        }
        catch (InvocationTargetException ex) {
            throw ex.getTargetException();
        }
    }

    /** A rollback finds nothing to do, so that the caller sees the first failure. */
    private static @Nullable Object withoutConnection(Method method) throws SQLException {
        if (method.getName().equals("commit")) {
            throw new SQLException("No connection: the transaction could not go on in the database of its shard");
        }
        return (method.getReturnType() == boolean.class) ? Boolean.FALSE : null;
    }

    /**
     * The first connection is given back before the next one is taken, so that no thread
     * keeps one while it waits for another.
     */
    private void goToShard() throws SQLException {
        Connection before = this.connection;
        boolean autoCommit = false;
        if (before != null) {
            this.connection = null;
            try (before) {
                autoCommit = before.getAutoCommit();
                if (!autoCommit) {
                    before.rollback();
                }
            }
        }
        Connection next = this.router.getConnection();
        this.connection = next;
        this.inShard = true;
        if (next.getAutoCommit() != autoCommit) {
            next.setAutoCommit(autoCommit);
        }
    }

}
