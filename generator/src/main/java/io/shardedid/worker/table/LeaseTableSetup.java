package io.shardedid.worker.table;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;

import io.shardedid.ShardedIdConfigurationException.Problem;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.worker.LeaseRow;
import io.shardedid.worker.LeaseStatement;

import org.jspecify.annotations.Nullable;

/**
 * Sees to it that a table is there and can be used, or says what is missing.
 *
 * @param table the table
 * @param initialization who makes it
 */
record LeaseTableSetup(Table table, SchemaInitialization initialization) {

    private static final String KEY = "shardedid.worker.lease.initialize-schema";

    /**
     * Looks first: CREATE TABLE IF NOT EXISTS asks for the right to create also when the
     * table exists.
     * @return whether the table was missing
     */
    boolean ensure(LeaseSession session) throws SQLException {
        boolean absent = isAbsent(session);
        SQLException creation = absent ? create(session) : null;
        SQLException failure = probe(session);
        LeaseDialect dialect = session.sql().dialect();
        if (failure != null && !absent && dialect.missingTable(failure)
                && mayCreate(dialect, session.connection().getMetaData())) {
            absent = true;
            creation = create(session);
            // Of two that create at once one may fail, by a unique key of the catalog:
            // then the table is there.
            failure = probe(session);
        }
        if (failure == null) {
            this.table.check(session);
            return absent;
        }
        if (DriverFailure.canPass(failure)) {
            // the table is as it was, whatever became of the connection
            throw failure;
        }
        this.table.explain(session);
        throw refusal(session, failure, creation);
    }

    /**
     * PostgreSQL writes each failed statement into its log, also the probe of a table
     * that is made next; so its catalog is asked before.
     */
    private boolean isAbsent(LeaseSession session) throws SQLException {
        LeaseDialect dialect = session.sql().dialect();
        DatabaseMetaData database = session.connection().getMetaData();
        if (dialect != LeaseDialect.POSTGRESQL || !mayCreate(dialect, database)) {
            return false;
        }
        try (ResultSet found = session
            .bound("SELECT pg_catalog.to_regclass(?) IS NULL", dialect.quoted(this.table.name(), database))
            .executeQuery()) {
            return found.next() && found.getBoolean(1);
        }
        catch (SQLException ex) {
            if (DriverFailure.canPass(ex)) {
                throw ex;
            }
            // such as a schema that this user must not use: the probe says so
            return false;
        }
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
            statement.execute(
                    dialect.ddl(this.table, dialect.quoted(this.table.name(), session.connection().getMetaData())));
            return null;
        }
        catch (SQLException ex) {
            return ex;
        }
    }

    private @Nullable SQLException probe(LeaseSession session) {
        try {
            this.table.probe(session);
            return null;
        }
        catch (SQLException ex) {
            return ex;
        }
    }

    /** Says what is missing, by what a statement to the table failed with. */
    ShardedIdException refusal(LeaseSession session, SQLException failure) throws SQLException {
        return refusal(session, failure, null);
    }

    private ShardedIdException refusal(LeaseSession session, SQLException failure, @Nullable SQLException creation)
            throws SQLException {
        LeaseDialect dialect = session.sql().dialect();
        DatabaseMetaData database = session.connection().getMetaData();
        String script = "'%s' of %s (CREATE TABLE %s ...)".formatted(dialect.script(this.table.scripts()),
                this.table.jar(), this.table.name());
        String grant = "GRANT %s ON %s TO %s".formatted(this.table.rights(), this.table.name(), grantee(session));
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
        return this.table
            .refusal(
                    new Problem("Could not use the %s: table=%s, database=%s %s, user=%s (%s)".formatted(
                            this.table.what(), this.table.name(), database.getDatabaseProductName(),
                            database.getDatabaseProductVersion(), database.getUserName(), reason), remedy),
                    (creation != null) ? creation : failure);
    }

    /**
     * The account in the form that GRANT takes; MariaDB's is not the user's name and host
     * but the account's.
     */
    static String grantee(LeaseSession session) throws SQLException {
        String user = session.connection().getMetaData().getUserName();
        return switch (session.sql().dialect()) {
            case POSTGRESQL, H2, HSQLDB, ORACLE, SQLSERVER, DB2, GENERIC -> '"' + user + '"';
            case MARIADB, MYSQL -> {
                try (Statement statement = session.connection().createStatement();
                        ResultSet account = statement.executeQuery("SELECT CURRENT_USER()")) {
                    yield account.next() ? "'" + account.getString(1).replaceFirst("@(?=[^@]*$)", "'@'") + "'" : user;
                }
            }
        };
    }

    /** Drivers add the statement or advice below. */
    static String oneLine(Throwable ex) {
        return String.valueOf(ex.getMessage()).lines().findFirst().orElse("");
    }

    /** A table that this library keeps beside those of the application. */
    interface Table {

        /** What the table is, as messages name it. */
        String what();

        LeaseTableName name();

        /** The path of the scripts that make it, without the database. */
        String scripts();

        /** The jar of the scripts, as messages name it. */
        default String jar() {
            return "the generator's jar";
        }

        /** A class of the jar of the scripts. */
        default Class<?> inJar() {
            return getClass();
        }

        /** The name that the table has in its scripts. */
        String nameInScripts();

        /** The rights that a process needs, as GRANT lists them. */
        String rights();

        /**
         * Runs every statement that is always needed, so that it finds no row: the
         * database checks columns and rights all the same.
         */
        void probe(LeaseSession session) throws SQLException;

        /**
         * Checks what statements do not show.
         * @throws ShardedIdException if the table must be altered first
         */
        default void check(LeaseSession session) throws SQLException {
        }

        /**
         * Says why statements fail, if what the table is shows it better than the failure
         * does.
         * @throws ShardedIdException if it does
         */
        default void explain(LeaseSession session) throws SQLException {
        }

        /** Makes the exception for a table that cannot be used. */
        ShardedIdException refusal(Problem problem, SQLException cause);

    }

    /**
     * The lease table.
     *
     * @param name its name
     */
    record OfLeases(LeaseTableName name) implements Table {

        @Override
        public String what() {
            return "lease table";
        }

        @Override
        public String scripts() {
            return "io/shardedid/worker/lease-table";
        }

        @Override
        public String nameInScripts() {
            return LeaseTableName.DEFAULT.table();
        }

        @Override
        public String rights() {
            return "SELECT, INSERT, UPDATE";
        }

        @Override
        public void probe(LeaseSession session) throws SQLException {
            session.execute(new LeaseStatement.ReadAll());
            if (!session.sql().dialect().comparesItsClock()) {
                session.bound(session.sql().insertNothing()).executeUpdate();
                session.execute(new LeaseStatement.Update(Integer.MIN_VALUE, "probe", Long.MIN_VALUE, "probe", 0, 0, 0,
                        null, null));
                return;
            }
            session.execute(new LeaseStatement.Insert(new LeaseRow(LeaseRow.LAYOUT, "probe", 0, 0, 0, null, null),
                    Long.MIN_VALUE));
            session.execute(new LeaseStatement.Update(Integer.MIN_VALUE, "probe", Long.MIN_VALUE, "probe", 0, 0, 0,
                    null, new LeaseStatement.Guard(Long.MIN_VALUE, true)));
        }

        @Override
        public void check(LeaseSession session) throws SQLException {
            new LeaseTableCheck(session, this.name).check();
        }

        @Override
        public void explain(LeaseSession session) throws SQLException {
            new LeaseTableCheck(session, this.name).explain();
        }

        /** Nothing of this goes away by itself. */
        @Override
        public ShardedIdException refusal(Problem problem, SQLException cause) {
            return new WorkerLeaseException(problem.text(), false,
                    "Make the lease table ready by the script or the statement that the message names "
                            + "('shardedid.worker.lease.table'). No id was made and nothing was written.",
                    cause);
        }

    }

}
