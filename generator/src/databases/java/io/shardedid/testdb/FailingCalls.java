package io.shardedid.testdb;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;

import javax.sql.DataSource;

import org.assertj.core.api.ThrowingConsumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Data sources of which one call fails. An action is run again and again, each time with
 * its next call failing, until none is left. After each time nothing that it opened may
 * be open: what a connection has opened ends with it.
 */
public final class FailingCalls {

    /** They give something back, or are about no database. */
    private static final Set<String> NEVER = Set.of("close", "abort", "isClosed", "rollback", "cancel", "toString",
            "hashCode", "equals", "isWrapperFor", "unwrap");

    private final int failing;

    private final Set<Integer> open = new TreeSet<>();

    private int calls;

    private FailingCalls(int failing) {
        this.failing = failing;
    }

    /**
     * Runs an action with each of its calls failing once, and then with none.
     * @param real makes the connections; null for connections to nowhere, which say that
     * they are PostgreSQL and answer one row of ones
     * @param action takes connections and gives them back
     * @return how many calls the action makes if none fails
     */
    public static int each(DataSource real, ThrowingConsumer<DataSource> action) throws InterruptedException {
        for (int failing = 1;; failing++) {
            FailingCalls one = new FailingCalls(failing);
            Throwable failure = catchThrowable(() -> action.accept(one.proxy(DataSource.class, real, 0)));
            assertThat(one.isEachClosed()).as("call %s failed (%s)", failing, failure).isTrue();
            if (one.calls < failing) {
                assertThat(failure).isNull();
                return one.calls;
            }
        }
    }

    private <T> T proxy(Class<T> type, Object target, int number) {
        boolean[] row = { true };
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (self, method, values) -> {
                    int call = call(method);
                    if (Set.of("close", "abort").contains(method.getName())) {
                        closed(number);
                    }
                    Object answer = null;
                    try {
                        answer = (target != null) ? method.invoke(target, values) : answer(self, method, values, row);
                    }
                    catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                    Class<?> made = method.getReturnType();
                    if (!made.isInterface() || !made.getName().startsWith("java.sql.")
                            || (target != null && answer == null)) {
                        return answer;
                    }
                    if (type == DataSource.class) {
                        opened(call);
                    }
                    return proxy(made, answer, call);
                }));
    }

    /** Another thread may close them, a little later. */
    private synchronized boolean isEachClosed() throws InterruptedException {
        for (int i = 0; i < 500 && !this.open.isEmpty(); i++) {
            wait(10);
        }
        return this.open.isEmpty();
    }

    private synchronized int call(Method method) throws SQLException {
        if (!NEVER.contains(method.getName()) && ++this.calls == this.failing) {
            throw new SQLException("fails: " + method.getName(), "42501");
        }
        return this.calls;
    }

    private synchronized void opened(int number) {
        this.open.add(number);
    }

    private synchronized void closed(int number) {
        this.open.remove(number);
        notifyAll();
    }

    private static Object answer(Object self, Method method, Object[] values, boolean[] row) {
        Class<?> type = method.getReturnType();
        switch (method.getName()) {
            case "next":
                boolean first = row[0];
                row[0] = false;
                return first;
            case "equals":
                return self == values[0];
            case "isClosed":
                return false;
            case "getDatabaseProductName":
                return "PostgreSQL";
            default:
                return (type == boolean.class) ? (Object) true : (type == int.class) ? (Object) 1
                        : (type == long.class) ? (Object) 1L : (type == String.class) ? "1" : null;
        }
    }

}
