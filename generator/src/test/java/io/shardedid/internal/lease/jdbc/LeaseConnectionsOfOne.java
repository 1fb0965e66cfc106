package io.shardedid.internal.lease.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;

/** A pool of one connection that resets nothing. */
record LeaseConnectionsOfOne(Connection only) implements LeaseConnections {

    @Override
    public boolean sharedWithCallers() {
        return true;
    }

    @Override
    public Connection open(Duration timeout) {
        return (Connection) Proxy.newProxyInstance(LeaseConnectionsOfOne.class.getClassLoader(),
                new Class<?>[] { Connection.class }, (self, method, values) -> {
                    if (method.getName().equals("close")) {
                        return null;
                    }
                    try {
                        return method.invoke(this.only, values);
                    }
                    catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                });
    }

    @Override
    public String describe() {
        return "one";
    }

}
