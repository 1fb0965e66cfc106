package io.shardedid.internal.lease.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import io.shardedid.testdb.TestDatabase;

/**
 * Connections of a test: at an isolation level, with other words in their statements,
 * counted.
 */
public final class TestConnections implements LeaseConnections {

    private final TestDatabase database;

    private final SqlAction prepare;

    private final UnaryOperator<String> rewrite;

    public final AtomicInteger opened = new AtomicInteger();

    public final AtomicInteger prepared = new AtomicInteger();

    public final AtomicInteger executed = new AtomicInteger();

    private TestConnections(TestDatabase database, SqlAction prepare, UnaryOperator<String> rewrite) {
        this.database = database;
        this.prepare = prepare;
        this.rewrite = rewrite;
    }

    public static TestConnections to(TestDatabase database) {
        return new TestConnections(database, (connection) -> {
        }, UnaryOperator.identity());
    }

    public TestConnections at(Isolation isolation) {
        return with((connection) -> connection.setTransactionIsolation(isolation.level()));
    }

    public TestConnections with(String statement) {
        return with((connection) -> {
            try (var session = connection.createStatement()) {
                session.execute(statement);
            }
        });
    }

    public TestConnections with(SqlAction action) {
        return new TestConnections(this.database, action, this.rewrite);
    }

    /** A variant that says something else, which must be in the statement. */
    public TestConnections rewriting(UnaryOperator<String> other) {
        return new TestConnections(this.database, this.prepare, other);
    }

    @Override
    public Connection open(Duration timeout) throws SQLException {
        Connection connection = LeaseConnections
            .url(this.database.url(), this.database.user(), this.database.password())
            .open(timeout);
        this.opened.incrementAndGet();
        this.prepare.on(connection);
        return proxy(Connection.class, connection);
    }

    private <T> T proxy(Class<T> type, T target) {
        return type
            .cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (self, method, values) -> {
                try {
                    if (method.getName().equals("prepareStatement")) {
                        this.prepared.incrementAndGet();
                        values[0] = this.rewrite.apply((String) values[0]);
                        return proxy(PreparedStatement.class, (PreparedStatement) method.invoke(target, values));
                    }
                    if (method.getName().startsWith("execute")) {
                        this.executed.incrementAndGet();
                    }
                    return method.invoke(target, values);
                }
                catch (InvocationTargetException ex) {
                    throw ex.getCause();
                }
            }));
    }

    @Override
    public String describe() {
        return "test";
    }

    @FunctionalInterface
    public interface SqlAction {

        void on(Connection connection) throws SQLException;

    }

}
