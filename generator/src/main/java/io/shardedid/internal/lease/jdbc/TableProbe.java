package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import org.jspecify.annotations.Nullable;

/**
 * Tries the lease table with the statements of the protocol, on a row that no process
 * takes, in a transaction that is rolled back. What a key, a trigger, a view, row
 * security or a column does to a lease shows in what comes out. Safe beside processes
 * that run: nobody sees the row, and two probes meet only by chance.
 */
final class TableProbe {

    /** Odd bits in all places: a column of fewer bits or of fractions changes it. */
    private static final long BITS = 0x1555_5555_5555_5555L;

    /** What the row shows in the end. */
    private static final String LAST = "d".repeat(36);

    private static final int LEAST_WORKER = 16_384;

    private static final int MOST_WORKER = Short.MAX_VALUE;

    /**
     * For a table whose check allows fewer worker ids. The last worker id of a layout is
     * never leased, and these are the last ones of 5, 7 and 10 bits.
     */
    private static final List<Integer> SMALLER = List.of(1023, 127, 31);

    private final LeaseSession session;

    private final Connection connection;

    /** Whose row is tried. */
    private int worker;

    /** What of it. */
    private String tried = Finding.NOTICE;

    TableProbe(LeaseSession session) {
        this.session = session;
        this.connection = session.connection();
    }

    /**
     * Tries the table, but for whether its row is gone afterwards.
     * @return what was tried and what came out, or null if the table does what a lease
     * needs
     * @throws SQLException if the failure may pass by itself, or if the table, a column
     * or a right is missing
     */
    @Nullable Finding run() throws SQLException {
        Finding first = null;
        for (int each : workers()) {
            this.worker = each;
            Finding next = attempted();
            if (next == null || !next.tried.equals(Finding.FIRST_INSERT)) {
                return next;
            }
            first = (first != null) ? first : next;
        }
        return first;
    }

    /** The second one where a process of a wide layout has the first. */
    private static List<Integer> workers() {
        return Stream
            .concat(ThreadLocalRandom.current().ints(2, LEAST_WORKER, MOST_WORKER + 1).boxed(), SMALLER.stream())
            .toList();
    }

    /**
     * Looks whether the row was rolled back.
     * @param rows the rows of the namespace afterwards
     */
    @Nullable Finding after(LeaseReply.Rows rows) {
        return rows.row(this.worker).filter((row) -> row.token().equals(LAST)).isPresent()
                ? new Finding("ROLLBACK", "the row is still there") : null;
    }

    /** Again where the database rolls back because of others. */
    private @Nullable Finding attempted() throws SQLException {
        LeaseDialect dialect = this.session.sql().dialect();
        for (int attempt = 1; true; attempt++) {
            this.connection.setAutoCommit(false);
            try {
                return attempted(dialect);
            }
            catch (SQLException ex) {
                if (attempt == LeaseSession.ATTEMPTS || !dialect.rolledBack(ex)) {
                    if (DriverFailure.isTransient(ex) || dialect.refusesUntilChanged(ex)) {
                        throw ex;
                    }
                    return new Finding(this.tried, LeaseTableSetup.oneLine(ex));
                }
            }
            finally {
                this.connection.rollback();
                this.connection.setAutoCommit(true);
            }
            LeaseSession.pause();
        }
    }

    private @Nullable Finding attempted(LeaseDialect dialect) throws SQLException {
        this.tried = Finding.NOTICE;
        if (dialect == LeaseDialect.POSTGRESQL && !noticesAndConstraintsComeAtOnce()) {
            return new Finding(this.tried, "none came through the connection");
        }
        LeaseRow first = new LeaseRow(this.worker, "a".repeat(36), BITS, BITS, BITS, "o".repeat(255), "l".repeat(255));
        LeaseRow second = new LeaseRow(this.worker, "b".repeat(36), BITS + 1, BITS - 1, BITS + 2, null, null);
        this.tried = Finding.FIRST_INSERT;
        LeaseStatement.Insert insert = new LeaseStatement.Insert(first, null);
        int rows = this.session.prepared(insert).executeUpdate();
        if (rows != 1) {
            return wrote(rows);
        }
        this.tried = "SELECT of the row that was inserted";
        LeaseRow read = read();
        if (!first.equals(read)) {
            return shows(read);
        }
        this.tried = "UPDATE with a wrong token";
        rows = update(second, "c".repeat(36), BITS, null);
        if (rows != 0) {
            return wrote(rows);
        }
        this.tried = "UPDATE with a wrong hwm_tick";
        rows = update(second, first.token(), BITS - 1, null);
        if (rows != 0) {
            return wrote(rows);
        }
        this.tried = "UPDATE with the right token";
        rows = update(second, first.token(), BITS,
                dialect.comparesItsClock() ? new LeaseStatement.Guard(BITS, true) : null);
        if (rows != 1) {
            return wrote(rows);
        }
        this.tried = "SELECT of the row that was updated";
        read = read();
        if (!second.equals(read)) {
            return shows(read);
        }
        // where nothing is rolled back, a new namespace would begin above this mark
        this.tried = "UPDATE with the token of before";
        rows = update(new LeaseRow(this.worker, LAST, BITS + 2, 0, 0, null, null), second.token(), BITS + 2, null);
        if (rows != 1) {
            return wrote(rows);
        }
        this.tried = Finding.SECOND_INSERT;
        return refusesASecondRow(insert) ? null : wrote(1);
    }

    private Finding wrote(int rows) {
        return new Finding(this.tried, "rows=" + rows);
    }

    private Finding shows(@Nullable LeaseRow row) {
        return new Finding(this.tried, (row != null) ? "other values: " + row : "no row");
    }

    private boolean refusesASecondRow(LeaseStatement.Insert insert) throws SQLException {
        try {
            return this.session.prepared(insert).executeUpdate() == 0;
        }
        catch (SQLException ex) {
            if (this.session.sql().dialect().duplicateKey(ex)) {
                return true;
            }
            throw ex;
        }
    }

    /**
     * A write counts only if the server says nothing against it, so what it says must
     * come through a pool.
     */
    private boolean noticesAndConstraintsComeAtOnce() throws SQLException {
        try (Statement statement = this.connection.createStatement()) {
            this.connection.clearWarnings();
            statement.execute("DO 'BEGIN SET CONSTRAINTS ALL IMMEDIATE; SET LOCAL client_min_messages = notice; "
                    + "RAISE NOTICE ''shardedid''; END'");
            SQLWarning notice = statement.getWarnings();
            return notice != null || this.connection.getWarnings() != null;
        }
    }

    private int update(LeaseRow row, String seenToken, long hwmAtMost, LeaseStatement.@Nullable Guard guard)
            throws SQLException {
        return this.session
            .prepared(new LeaseStatement.Update(row.worker(), seenToken, hwmAtMost, row.token(), 1,
                    row.leaseUntilMillis(), row.hwmTick(), row.owner(), row.layout(), guard))
            .executeUpdate();
    }

    private @Nullable LeaseRow read() throws SQLException {
        LeaseReply reply = this.session.executeOnce(new LeaseStatement.ReadOne(this.worker));
        return ((LeaseReply.Rows) reply).row(this.worker).orElse(null);
    }

    /** What was tried, and what came out and should not have. */
    record Finding(String tried, String outcome) {

        private static final String NOTICE = "a notice of the server";

        private static final String FIRST_INSERT = "INSERT of a row";

        private static final String SECOND_INSERT = "INSERT of a second row with the same namespace and worker_id";

        /** Whether the table takes a worker id twice. */
        boolean keyless() {
            return this.tried.equals(SECOND_INSERT);
        }

        /** Whether the pool keeps from us what the server says. */
        boolean hidden() {
            return this.tried.equals(NOTICE);
        }

        @Override
        public String toString() {
            return this.tried + ": " + this.outcome;
        }

    }

}
