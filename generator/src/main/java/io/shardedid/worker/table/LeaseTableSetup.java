package io.shardedid.worker.table;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;

import io.shardedid.WorkerLeaseException;
import io.shardedid.worker.LeaseRow;
import io.shardedid.worker.LeaseStatement;

import org.jspecify.annotations.Nullable;

/**
 * Sees to it that the lease table is there and can be used, or says what is missing.
 *
 * @param name the table
 * @param initialization who makes it
 */
record LeaseTableSetup(LeaseTableName name, SchemaInitialization initialization) {

    private static final String KEY = "shardedid.worker.lease.initialize-schema";

    /**
     * Looks first: CREATE TABLE IF NOT EXISTS asks for the right to create also when the
     * table exists.
     */
    void ensure(LeaseSession session) throws SQLException {
        SQLException failure = probe(session);
        if (failure == null) {
            return;
        }
        if (DriverFailure.canPass(failure)) {
            // the table is as it was, whatever became of the connection
            throw failure;
        }
        Connection connection = session.connection();
        LeaseDialect dialect = session.sql().dialect();
        if (!dialect.missingTable(failure)) {
            throw refusal(session, failure, null);
        }
        if (!mayCreate(dialect, connection.getMetaData())) {
            throw refusal(session, failure, null);
        }
        SQLException creation = create(session);
        // Of two that create at once one may fail, by a unique key of the catalog: then
        // the table is there.
        failure = probe(session);
        if (failure != null) {
            throw refusal(session, failure, creation);
        }
    }

    private boolean mayCreate(LeaseDialect dialect, DatabaseMetaData database) throws SQLException {
        return switch (this.initialization) {
            case EMBEDDED -> dialect.embedded(database.getURL());
            case ALWAYS -> true;
            case NEVER -> false;
        };
    }

    private static @Nullable SQLException create(LeaseSession session) {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute(session.sql().dialect().ddl(session.sql().table()));
            return null;
        }
        catch (SQLException ex) {
            return ex;
        }
    }

    /**
     * Runs every statement so that it finds no row: the database checks columns and
     * rights all the same.
     */
    private static @Nullable SQLException probe(LeaseSession session) {
        try {
            session.execute(new LeaseStatement.ReadAll());
            session.execute(new LeaseStatement.Insert(new LeaseRow(LeaseRow.LAYOUT, "probe", 0, 0, 0, null, null),
                    Long.MIN_VALUE));
            session.execute(new LeaseStatement.Update(Integer.MIN_VALUE, "probe", Long.MIN_VALUE, "probe", 0, 0, 0,
                    null, new LeaseStatement.Guard(Long.MIN_VALUE, true)));
            return null;
        }
        catch (SQLException ex) {
            return ex;
        }
    }

    private WorkerLeaseException refusal(LeaseSession session, SQLException failure, @Nullable SQLException creation)
            throws SQLException {
        LeaseDialect dialect = session.sql().dialect();
        DatabaseMetaData database = session.connection().getMetaData();
        String script = "'%s' of the generator's jar (CREATE TABLE %s ...)".formatted(dialect.script(), this.name);
        String grant = "GRANT SELECT, INSERT, UPDATE ON %s TO %s".formatted(this.name, grantee(session));
        String reason;
        String remedy;
        if (dialect.missingTable(failure)) {
            reason = (creation != null) ? "it does not exist, and making it failed: " + oneLine(creation)
                    : "it does not exist, and '%s=%s' %s".formatted(KEY,
                            this.initialization.name().toLowerCase(Locale.ROOT),
                            (this.initialization == SchemaInitialization.EMBEDDED)
                                    ? "makes it only in an H2 database inside this process" : "makes none");
            remedy = "run %s, then %s%s".formatted(script, grant,
                    (creation != null) ? "" : "; or set '%s=always'".formatted(KEY));
        }
        else if (dialect.missingRight(failure)) {
            reason = "a right is missing: " + oneLine(failure);
            remedy = "run " + grant + "; if the table is missing too, " + script + " before";
        }
        else if (dialect.readOnly(failure)) {
            reason = "it cannot be written: " + oneLine(failure);
            remedy = "connect to the primary, as a user whose transactions are not read only";
        }
        else {
            reason = oneLine(failure);
            remedy = "compare the table with " + script;
        }
        return new WorkerLeaseException("Could not use the lease table: table=%s, database=%s %s, user=%s (%s); %s"
            .formatted(this.name, database.getDatabaseProductName(), database.getDatabaseProductVersion(),
                    database.getUserName(), reason, remedy),
                (creation != null) ? creation : failure);
    }

    /**
     * The account in the form that GRANT takes; MariaDB's is not the user's name and host
     * but the account's.
     */
    private static String grantee(LeaseSession session) throws SQLException {
        String user = session.connection().getMetaData().getUserName();
        return switch (session.sql().dialect()) {
            case POSTGRESQL, H2 -> '"' + user + '"';
            case MARIADB, MYSQL -> {
                try (Statement statement = session.connection().createStatement();
                        ResultSet account = statement.executeQuery("SELECT CURRENT_USER()")) {
                    yield account.next() ? "'" + account.getString(1).replaceFirst("@(?=[^@]*$)", "'@'") + "'" : user;
                }
            }
        };
    }

    /** Drivers add the statement or advice below. */
    static String oneLine(Exception ex) {
        return String.valueOf(ex.getMessage()).lines().findFirst().orElse("");
    }

}
