package io.shardedid.worker.table;

import java.security.cert.CertificateException;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Judges what a driver, or a pool before it, throws.
 */
final class DriverFailure {

    /**
     * SQLStates that begin so, and these error codes, do not go away by themselves: a
     * login that is refused, a database that does not exist, a statement that is refused.
     */
    private static final List<String> LASTING_STATES = List.of("28", "3D", "42", "0A");

    /** MySQL: the host may not connect, or is blocked; no such database. */
    private static final Set<Integer> LASTING_CODES = Set.of(1129, 1130, 1049);

    /**
     * SQLStates that begin so pass: a connection that is refused or lost, too few
     * resources (too many connections among them), a server that starts or stops, a
     * statement that was cancelled because it took too long; 90067 is H2's lost
     * connection.
     */
    private static final List<String> PASSING_STATES = List.of("08", "53", "57P", "57014", "90067");

    /** MySQL: too many connections, of all, of a user, within an hour. */
    private static final Set<Integer> PASSING_CODES = Set.of(1040, 1203, 1226);

    /** SQLState of a server that refuses a connection, for whatever reason. */
    private static final String REJECTED = "08004";

    private static final String NO_DRIVER = "No suitable driver";

    private static final int DEEPEST = 64;

    private DriverFailure() {
    }

    /**
     * Returns whether the same call may succeed a little later, although nobody changes
     * the configuration. One reason that lasts, anywhere in the chain, makes it false: a
     * pool that times out names the refused login as its cause.
     */
    static boolean canPass(Throwable failure) {
        boolean passing = false;
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Throwable> left = new ArrayDeque<>(List.of(failure));
        while (!left.isEmpty() && seen.size() < DEEPEST) {
            Throwable each = left.pop();
            if (!seen.add(each)) {
                continue;
            }
            if (lasts(each)) {
                return false;
            }
            passing |= each instanceof SQLException ex && passes(ex);
            if (each.getCause() != null) {
                left.push(each.getCause());
            }
            if (each instanceof SQLException ex && ex.getNextException() != null) {
                left.push(ex.getNextException());
            }
        }
        return passing;
    }

    private static boolean lasts(Throwable failure) {
        if (!(failure instanceof SQLException ex)) {
            return failure instanceof CertificateException;
        }
        String state = String.valueOf(ex.getSQLState());
        if (PASSING_CODES.contains(ex.getErrorCode())) {
            return false;
        }
        return LASTING_CODES.contains(ex.getErrorCode()) || LASTING_STATES.stream().anyMatch(state::startsWith)
                || state.equals(REJECTED) || String.valueOf(ex.getMessage()).startsWith(NO_DRIVER);
    }

    private static boolean passes(SQLException ex) {
        String state = String.valueOf(ex.getSQLState());
        return ex instanceof SQLTransientException || PASSING_CODES.contains(ex.getErrorCode())
                || PASSING_STATES.stream().anyMatch(state::startsWith);
    }

}
