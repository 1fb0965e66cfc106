package io.shardedid.hibernate;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import io.shardedid.internal.lease.jdbc.LeaseConnections;

import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;

/**
 * The connections of a persistence unit, which go back to their provider when they are
 * closed.
 *
 * @param provider the provider of the unit
 */
record UnitConnections(ConnectionProvider provider) implements LeaseConnections {

    @Override
    public Connection open(Duration timeout) throws SQLException {
        Connection lent = this.provider.getConnection();
        return (Connection) Proxy.newProxyInstance(UnitConnections.class.getClassLoader(),
                new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        this.provider.closeConnection(lent);
                        return null;
                    }
                    try {
                        return method.invoke(lent, arguments);
                    }
                    catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                });
    }

    @Override
    public boolean sharedWithCallers() {
        return true;
    }

    @Override
    public String describe() {
        return "own " + this.provider.getClass().getName();
    }

}
