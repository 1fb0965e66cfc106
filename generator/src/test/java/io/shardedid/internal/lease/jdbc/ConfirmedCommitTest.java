package io.shardedid.internal.lease.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/** What a server says beside the success of a commit. */
class ConfirmedCommitTest {

    private static final Duration NEVER_CANCELLED = Duration.ZERO;

    private static SQLWarning warning(String state) {
        return new SQLWarning("Warten auf synchrone Replikation wird storniert\nDetail", state);
    }

    private static SQLWarning chained(SQLWarning... warnings) {
        for (int i = 1; i < warnings.length; i++) {
            warnings[0].setNextWarning(warnings[i]);
        }
        return warnings[0];
    }

    static Stream<SQLWarning> againstIt() {
        SQLWarning wrapped = new SQLWarning("wrapped by a pool");
        wrapped.initCause(warning("01000"));
        return Stream.of(warning("01000"), warning("57P01"), warning("57014"),
                chained(warning("00000"), warning("42P07"), warning("01000")), wrapped);
    }

    @ParameterizedTest
    @MethodSource("againstIt")
    void isNotBelievedWhereAWarningOfTheStatementSpeaksAgainstIt(SQLWarning warning) {
        Server server = new Server();
        server.ofStatement = warning;
        assertThatExceptionOfType(SQLException.class)
            .isThrownBy(() -> ConfirmedCommit.update(server.write(), NEVER_CANCELLED))
            .matches((ex) -> ex.getSQLState().equals("08007") && ex.getCause() == warning);
    }

    @ParameterizedTest
    @MethodSource("againstIt")
    void isNotBelievedWhereAWarningOfTheConnectionSpeaksAgainstIt(SQLWarning warning) {
        Server server = new Server();
        server.ofConnection = warning;
        assertThatExceptionOfType(SQLException.class)
            .isThrownBy(() -> ConfirmedCommit.update(server.write(), NEVER_CANCELLED))
            .matches((ex) -> ex.getSQLState().equals("08007"));
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> ConfirmedCommit.commit(server.connection()))
            .matches((ex) -> ex.getSQLState().equals("08007"));
    }

    @Test
    void saysWhichWarningItWasWithoutItsDetail() {
        Server server = new Server();
        server.ofStatement = warning("01000");
        assertThatExceptionOfType(SQLException.class)
            .isThrownBy(() -> ConfirmedCommit.update(server.write(), NEVER_CANCELLED))
            .withMessageContainingAll("warning=01000", "synchronous");
    }

    @Test
    void noticesAndWarningsOfOtherKindsChangeNothing() throws SQLException {
        Server server = new Server();
        server.ofStatement = chained(warning("00000"), warning("42P07"), warning("01004"), new SQLWarning("none"));
        server.ofConnection = warning("00000");
        assertThat(ConfirmedCommit.update(server.write(), NEVER_CANCELLED)).isEqualTo(1);
        assertThatNoException().isThrownBy(() -> ConfirmedCommit.commit(server.connection()));
    }

    @Test
    void warningsOfEarlierStatementsAreClearedFirst() throws SQLException {
        Server server = new Server();
        server.before.add(warning("01000"));
        assertThat(ConfirmedCommit.update(server.write(), NEVER_CANCELLED)).isEqualTo(1);
        server.before.add(warning("01000"));
        assertThatNoException().isThrownBy(() -> ConfirmedCommit.commit(server.connection()));
    }

    @Test
    void moreWarningsThanAreReadAreNoConfirmation() throws SQLException {
        Server server = new Server();
        SQLWarning[] many = IntStream.range(0, 64).mapToObj((i) -> warning("00000")).toArray(SQLWarning[]::new);
        server.ofStatement = chained(Arrays.copyOf(many, 63));
        assertThat(ConfirmedCommit.update(server.write(), NEVER_CANCELLED)).isEqualTo(1);
        many[62].setNextWarning(many[63]);
        assertThatExceptionOfType(SQLException.class)
            .isThrownBy(() -> ConfirmedCommit.update(server.write(), NEVER_CANCELLED))
            .withMessageContaining("more than 63");
    }

    @Test
    void answerAsLateAsTheQueryTimeoutIsNotBelievedEvenWithoutAWarning() throws SQLException {
        Server server = new Server();
        assertThat(ConfirmedCommit.update(server.write(), Duration.ofMinutes(1))).isEqualTo(1);
        assertThatExceptionOfType(SQLException.class)
            .isThrownBy(() -> ConfirmedCommit.update(server.write(), Duration.ofNanos(1)))
            .withMessageContaining("answered")
            .withMessageContaining("query timeout=1ns")
            .matches((ex) -> ex.getSQLState().equals("08007"));
    }

    /** What a driver shows: warnings appear when a statement was executed. */
    private static final class Server {

        final List<SQLWarning> before = new ArrayList<>();

        SQLWarning ofStatement;

        SQLWarning ofConnection;

        private boolean executed;

        PreparedStatement write() {
            return proxy(PreparedStatement.class, (name) -> switch (name) {
                case "getConnection" -> connection();
                case "executeUpdate" -> {
                    this.executed = true;
                    yield 1;
                }
                case "clearWarnings" -> null;
                case "getWarnings" -> this.executed ? this.ofStatement : null;
                default -> throw new AssertionError(name);
            });
        }

        Connection connection() {
            return proxy(Connection.class, (name) -> switch (name) {
                case "commit" -> {
                    this.executed = true;
                    yield null;
                }
                case "clearWarnings" -> {
                    this.before.clear();
                    this.executed = false;
                    yield null;
                }
                case "getWarnings" ->
                    !this.before.isEmpty() ? this.before.get(0) : this.executed ? this.ofConnection : null;
                default -> throw new AssertionError(name);
            });
        }

        private static <T> T proxy(Class<T> type, Function<String, Object> calls) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
                    (self, method, values) -> calls.apply(method.getName())));
        }

    }

}
