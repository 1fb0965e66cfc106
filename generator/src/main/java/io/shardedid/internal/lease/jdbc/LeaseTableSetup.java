package io.shardedid.internal.lease.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;

import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdConfigurationException.Problem;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that a table is there and can be used, or says what is missing.
 *
 * @param script the script that makes it, and what messages say of it
 * @param name its name
 * @param initialization who makes it
 */
record LeaseTableSetup(TableScript script, LeaseTableName name, SchemaInitialization initialization) {

    static final TableScript LEASES = new TableScript("lease table", LeaseTableName.DEFAULT.table(),
            "io/shardedid/lease-table", "the generator's jar", LeaseTableSetup.class, "SELECT, INSERT, UPDATE");

    private static final String KEY = "shardedid.worker.lease.initialize-schema";

    /**
     * Makes the table only where it is missing: CREATE TABLE IF NOT EXISTS asks for the
     * right to create also when the table exists.
     * @param probe fails if the table, a column or a right is missing. PostgreSQL writes
     * each failed statement into its log, so there it asks the catalogue for the table
     * before
     * @return whether the table was missing
     * @throws ShardedIdConfigurationException if the table cannot be made or used, with
     * the answer of the database as the cause
     */
    boolean ensure(LeaseSession session, LeaseSession.Attempt probe) throws SQLException {
        SQLException failure = failure(probe);
        LeaseDialect dialect = session.sql().dialect();
        boolean makes = failure != null && dialect.missingTable(failure)
                && mayCreate(dialect, session.connection().getMetaData());
        SQLException creation = null;
        if (makes) {
            creation = create(session);
            // Of two that create at once one may fail, by a unique key of the catalog:
            // then the table is there.
            failure = failure(probe);
        }
        if (failure == null) {
            return makes;
        }
        if (DriverFailure.isTransient(failure)) {
            // the table is as it was, whatever became of the connection
            throw failure;
        }
        throw refusal(session, failure, creation);
    }

    /** What PostgreSQL would fail with. */
    static SQLException missing() {
        return new SQLException("The catalogue has no such table", LeaseDialect.UNDEFINED_TABLE);
    }

    /**
     * Returns whether the table is there, by a statement that no server logs as an error.
     */
    boolean exists(LeaseSession session) throws SQLException {
        LeaseDialect dialect = session.sql().dialect();
        String table = dialect.quoted(this.name, session.connection().getMetaData());
        if (dialect == LeaseDialect.POSTGRESQL) {
            try (ResultSet found = session.bound("SELECT pg_catalog.to_regclass(?) IS NOT NULL", table)
                .executeQuery()) {
                return found.next() && found.getBoolean(1);
            }
        }
        SQLException failure = failure(
                () -> session.bound("SELECT 1 FROM %s WHERE 1 = 0".formatted(table)).executeQuery().close());
        if (failure != null && !dialect.missingTable(failure)) {
            throw failure;
        }
        return failure == null;
    }

    private boolean mayCreate(LeaseDialect dialect, DatabaseMetaData database) throws SQLException {
        return switch (this.initialization) {
            case EMBEDDED ->
                dialect != LeaseDialect.GENERIC && new DatabaseUrl(String.valueOf(database.getURL())).isEmbedded();
            case ALWAYS -> true;
            case NEVER -> false;
        };
    }

    private @Nullable SQLException create(LeaseSession session) {
        LeaseDialect dialect = session.sql().dialect();
        try (Statement statement = session.connection().createStatement()) {
            statement.execute(dialect.ddl(this.script, dialect.quoted(this.name, session.connection().getMetaData())));
            return null;
        }
        catch (SQLException ex) {
            return ex;
        }
    }

    private static @Nullable SQLException failure(LeaseSession.Attempt probe) {
        try {
            probe.make();
            return null;
        }
        catch (SQLException ex) {
            return ex;
        }
    }

    /** Says what is missing, by what a statement to the table failed with. */
    ShardedIdConfigurationException refusal(LeaseSession session, SQLException failure, @Nullable SQLException creation)
            throws SQLException {
        LeaseDialect dialect = session.sql().dialect();
        DatabaseMetaData database = session.connection().getMetaData();
        String script = "'%s' of %s (CREATE TABLE %s ...)".formatted(dialect.script(this.script.path()),
                this.script.jar(), this.name);
        String grant = "GRANT %s ON %s TO %s".formatted(this.script.rights(), this.name, grantee(session));
        String reason;
        String remedy;
        if (dialect.missingTable(failure)) {
            String absent = dialect.tellsMissingTables() ? "it does not exist"
                    : "it does not exist or the user must not see it";
            reason = (creation != null) ? absent + ", and making it failed: " + oneLine(creation)
                    : absent + ", and '%s=%s' %s".formatted(KEY, this.initialization.name().toLowerCase(Locale.ROOT),
                            (this.initialization == SchemaInitialization.EMBEDDED)
                                    ? "makes it only in an H2 or HSQLDB database inside this process" : "makes none");
            remedy = "run %s, then %s%s".formatted(script, grant,
                    (creation != null) ? "" : "; or set '%s=always'".formatted(KEY));
        }
        else if (dialect.missingRight(failure)) {
            reason = "a right is missing: " + oneLine(failure);
            remedy = "run %s%s; if the table is missing too, %s before".formatted(grant,
                    (dialect == LeaseDialect.POSTGRESQL && this.script == LEASES)
                            ? ", and with row security a policy for all rows" : "",
                    script);
        }
        else if (dialect.readOnly(failure)) {
            reason = "it cannot be written: " + oneLine(failure);
            remedy = "connect to the primary, as a user whose transactions are not read only";
        }
        else {
            reason = oneLine(failure);
            remedy = String.valueOf(failure.getSQLState()).startsWith("42") ? "compare the table with " + script
                    : "let the database accept this statement";
        }
        return new ShardedIdConfigurationException(
                new Problem("Could not use the %s: table=%s, database=%s %s, user=%s (%s)".formatted(this.script.what(),
                        this.name, database.getDatabaseProductName(), database.getDatabaseProductVersion(),
                        database.getUserName(), reason), remedy),
                (creation != null) ? creation : failure);
    }

    /**
     * The account in the form that GRANT takes; MariaDB's is not the user's name and host
     * but the account's.
     */
    static String grantee(LeaseSession session) throws SQLException {
        String user = session.connection().getMetaData().getUserName();
        return switch (session.sql().dialect()) {
            case POSTGRESQL, H2, HSQLDB, GENERIC -> '"' + user + '"';
            case MARIADB, MYSQL -> {
                String account = LeaseDatabaseCheck.first(session.connection(), "SELECT CURRENT_USER()");
                yield (account != null) ? "'" + account.replaceFirst("@(?=[^@]*$)", "'@'") + "'" : user;
            }
        };
    }

    /** Drivers add the statement or advice below. */
    static String oneLine(Throwable ex) {
        return String.valueOf(ex.getMessage()).lines().findFirst().orElse("");
    }

}
