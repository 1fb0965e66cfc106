package io.shardedid.internal.lease.jdbc;

import java.security.cert.CertificateException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Judges what a driver, or a pool before it, throws.
 */
final class DriverFailure {

    /** SQLState of PostgreSQL: a lock was not granted in time. */
    static final String LOCKED = "55P03";

    private static final String REFUSED_LOGIN = "28";

    private static final String MISSING_DATABASE = "3D";

    /**
     * SQLStates that begin so: a schema or table that does not exist, a wrong statement.
     */
    private static final List<String> WRONG_STATEMENTS = List.of("3F", "42P", "42S", "42601");

    /** MySQL, H2 and HSQLDB: no such database. */
    private static final Set<Integer> MISSING_DATABASE_CODES = Set.of(1049, 90146, 90149, -458);

    /**
     * SQLStates that begin so, and these error codes, do not go away by themselves: a
     * login that fails, a database or a schema that does not exist, a statement without
     * the right to it.
     */
    private static final List<String> LASTING_STATES = List.of(REFUSED_LOGIN, MISSING_DATABASE, "3F", "42", "0A");

    /** MySQL: the host may not connect, or is blocked; no such database. */
    private static final Set<Integer> LASTING_CODES = Set.of(1129, 1130, 1049);

    /**
     * SQLStates that begin so pass: a connection that fails or is lost, too few resources
     * (too many connections among them), a server that starts or stops, a statement that
     * was cancelled because it took too long, or because a lock did, a transaction that
     * another one made the server roll back; 90067 is H2's lost connection.
     */
    private static final List<String> PASSING_STATES = List.of("08", "40", "53", "57P", "57014", LOCKED, "90067");

    /** MySQL: too many connections, of all, of a user, within an hour. */
    private static final Set<Integer> PASSING_CODES = Set.of(1040, 1203, 1226);

    /** SQLState of a server that refuses a connection, for whatever reason. */
    private static final String REJECTED = "08004";

    private static final String NO_DRIVER = "No suitable driver";

    /** A chain of this length may go on. */
    static final int DEEPEST = 64;

    private DriverFailure() {
    }

    /**
     * Returns whether the same call may succeed a little later, although nobody changes
     * the configuration. One reason that lasts, anywhere in the chain, makes it false: a
     * pool that times out names the refused login as its cause.
     */
    static boolean isTransient(Throwable failure) {
        List<Throwable> chain = chain(failure);
        return chain.stream().noneMatch(DriverFailure::lasts)
                && chain.stream().anyMatch((each) -> each instanceof SQLException ex && passes(ex));
    }

    static String remedy(Throwable failure) {
        List<SQLException> chain = chain(failure).stream()
            .filter(SQLException.class::isInstance)
            .map(SQLException.class::cast)
            .toList();
        if (chain.stream().anyMatch((ex) -> state(ex).startsWith(REFUSED_LOGIN))) {
            return "correct the user and the password, which are 'shardedid.worker.lease.username' and "
                    + "'shardedid.worker.lease.password', and those of the application's data source only where "
                    + "'shardedid.worker.lease.url' is not set";
        }
        if (chain.stream()
            .anyMatch((ex) -> state(ex).startsWith(MISSING_DATABASE)
                    || MISSING_DATABASE_CODES.contains(ex.getErrorCode()))) {
            return "create the database, or correct 'shardedid.worker.lease.url' or the URL of the application's data source";
        }
        if (chain.stream().anyMatch(DriverFailure::noDriver)) {
            return "add the driver of the database to the class path, or correct 'shardedid.worker.lease.url'";
        }
        if (chain.stream().anyMatch((ex) -> WRONG_STATEMENTS.stream().anyMatch(state(ex)::startsWith))) {
            return "correct the SQL that the connection pool runs on each new connection";
        }
        return "start the database, or correct 'shardedid.worker.lease.url' or the URL of the application's data source";
    }

    /**
     * Returns what a failed connect may say: drivers and pools quote URLs, users and
     * passwords in their words, so only the kinds and the SQLState are told.
     * @param failure what a driver or a pool threw
     * @return an exception that is as transient as the failure
     */
    static SQLException unquoted(Exception failure) {
        List<Throwable> chain = chain(failure);
        SQLException telling = Stream.concat(chain.stream().filter(DriverFailure::lasts), chain.stream())
            .filter((each) -> each instanceof SQLException ex && ex.getSQLState() != null)
            .map(SQLException.class::cast)
            .findFirst()
            .orElseGet(SQLException::new);
        String kinds = chain.stream()
            .map((each) -> each.getClass().getName())
            .distinct()
            .collect(Collectors.joining(", "));
        String said = "%sNo connection: SQLState=%s, error code=%s, %s"
            .formatted(chain.stream().anyMatch((each) -> each instanceof SQLException ex && noDriver(ex))
                    ? NO_DRIVER + ". " : "", telling.getSQLState(), telling.getErrorCode(), kinds);
        if (isTransient(failure)) {
            return new SQLTransientConnectionException(said, telling.getSQLState(), telling.getErrorCode());
        }
        return new SQLNonTransientConnectionException(said, lasts(telling) ? telling.getSQLState() : REJECTED,
                telling.getErrorCode());
    }

    /** The failure, its causes, and what drivers append to them. */
    static List<Throwable> chain(Throwable failure) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Throwable> chain = new ArrayList<>();
        Deque<Throwable> left = new ArrayDeque<>(List.of(failure));
        while (!left.isEmpty() && seen.size() < DEEPEST) {
            Throwable each = left.pop();
            if (!seen.add(each)) {
                continue;
            }
            chain.add(each);
            if (each.getCause() != null) {
                left.push(each.getCause());
            }
            if (each instanceof SQLException ex && ex.getNextException() != null) {
                left.push(ex.getNextException());
            }
        }
        return chain;
    }

    private static String state(SQLException ex) {
        return String.valueOf(ex.getSQLState());
    }

    private static boolean noDriver(SQLException ex) {
        return String.valueOf(ex.getMessage()).startsWith(NO_DRIVER);
    }

    private static boolean lasts(Throwable failure) {
        if (!(failure instanceof SQLException ex)) {
            return failure instanceof CertificateException;
        }
        String state = state(ex);
        if (PASSING_CODES.contains(ex.getErrorCode())) {
            return false;
        }
        return LASTING_CODES.contains(ex.getErrorCode()) || LASTING_STATES.stream().anyMatch(state::startsWith)
                || state.equals(REJECTED) || noDriver(ex);
    }

    private static boolean passes(SQLException ex) {
        String state = state(ex);
        return ex instanceof SQLTransientException || PASSING_CODES.contains(ex.getErrorCode())
                || PASSING_STATES.stream().anyMatch(state::startsWith);
    }

}
