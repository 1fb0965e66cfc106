package io.shardedid.internal.lease.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.internal.MessageText;

/**
 * What differs between the databases that can hold the lease table.
 */
enum LeaseDialect {

    /**
     * {@code now()} would be the start of the transaction. Its condition makes the one
     * statement's own commit wait for the disk and for a synchronous standby, lets the
     * server say that a user cancelled this wait, and end a wait for a lock, whatever the
     * role, the pool or the server are set to. It leaves nothing behind in the session.
     */
    POSTGRESQL("PostgreSQL", "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp())*1000) AS BIGINT)",
            Set.of(LeaseDialect.UNDEFINED_TABLE, "3F000"), Set.of("42501"), Set.of("25006"), Set.of("23505")),

    /** {@code UNIX_TIMESTAMP(NOW(3))} would be local time and lose an hour a year. */
    MARIADB("MariaDB", "TIMESTAMPDIFF(MICROSECOND,'1970-01-01 00:00:00',UTC_TIMESTAMP(3)) DIV 1000",
            Set.of("1146", "1049"), Set.of("1044", "1142", "1143", "1227"), Set.of("1290", "1836", "1792"),
            Set.of("1062")),

    MYSQL("MySQL", MARIADB.nowMillis, MARIADB.missingTable, MARIADB.missingRight, MARIADB.readOnly,
            MARIADB.duplicateKey),

    /**
     * {@code DATEDIFF} would leave the offsets of its timestamps out, and so be local
     * time.
     */
    H2("H2", "CAST(FLOOR(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(3))*1000) AS BIGINT)",
            Set.of("42S02", "42S03", "42S04", "90079"), Set.of("90096", "90040"), Set.of("90097"), Set.of("23505")),

    /** It has one code for a missing table and for a missing right. */
    HSQLDB("HSQL Database Engine", "UNIX_MILLIS()", Set.of("-5501"), Set.of(), Set.of("25006", "-3706"),
            Set.of("23505")),

    /**
     * A database that nobody has looked at: no word but those of the standard. Its clock
     * is compared in no statement, so that it serves the plain mode alone.
     */
    GENERIC("any other", "CURRENT_TIMESTAMP", Set.of(), Set.of(), Set.of("25006"), Set.of("23505", "23000"));

    /**
     * How long a write waits for a lock, less than the query timeout of the keeper. A
     * client that is gone ends no wait of PostgreSQL. Without this limit, each attempt
     * could leave one behind where a commit that waits for its standby keeps the row.
     */
    private static final int LOCK_MILLIS = 1500;

    /** SQLState class of a transaction that was rolled back. */
    private static final String ROLLED_BACK = "40";

    /** The one SQLState of that class that leaves open what became of the statement. */
    private static final String COMPLETION_UNKNOWN = "40003";

    /** MariaDB with {@code innodb_snapshot_isolation}: the row is newer than the read. */
    private static final int CHANGED_SINCE_READ = 1020;

    /** SQLState of PostgreSQL. */
    static final String UNDEFINED_TABLE = "42P01";

    /** SQLState of what a connection must not do within a transaction. */
    private static final String ACTIVE_TRANSACTION = "25001";

    /** SQLState class of a statement that cannot be executed as it is. */
    private static final String REFUSED_STATEMENT = "42";

    private final String product;

    private final String nowMillis;

    /** These four: SQLStates and error codes, whichever the database is precise in. */
    private final Set<String> missingTable;

    private final Set<String> missingRight;

    private final Set<String> readOnly;

    private final Set<String> duplicateKey;

    LeaseDialect(String product, String nowMillis, Set<String> missingTable, Set<String> missingRight,
            Set<String> readOnly, Set<String> duplicateKey) {
        this.product = product;
        this.nowMillis = nowMillis;
        this.missingTable = missingTable;
        this.missingRight = missingRight;
        this.readOnly = readOnly;
        this.duplicateKey = duplicateKey;
    }

    /**
     * Finds the dialect of a database. A driver for MySQL on a MariaDB server is told by
     * the version.
     */
    static LeaseDialect of(DatabaseMetaData database) throws SQLException {
        String product = database.getDatabaseProductName();
        if (product.equals(MYSQL.product) && database.getDatabaseProductVersion().contains(MARIADB.product)) {
            return MARIADB;
        }
        return Stream.of(values()).filter((dialect) -> dialect.product.equals(product)).findFirst().orElse(GENERIC);
    }

    /** Finds the dialect that a JDBC URL speaks of. */
    static Optional<LeaseDialect> ofUrl(String url) {
        return Stream.of(values())
            .filter((dialect) -> dialect != GENERIC
                    && url.startsWith("jdbc:" + dialect.name().toLowerCase(Locale.ROOT) + ":"))
            .findFirst();
    }

    /** A table of one row, named {@code c}. */
    String oneRow() {
        return (this == HSQLDB) ? "(VALUES(1)) c(one)" : "(SELECT 1 AS one) c";
    }

    /**
     * Whether a statement can compare the clock of the database as a number. Where it
     * cannot, reads bring the clock as a timestamp with its time zone.
     */
    boolean comparesItsClock() {
        return this != GENERIC;
    }

    /** The clock of the database, epoch milliseconds. */
    String nowMillis() {
        return this.nowMillis;
    }

    /** What each INSERT and UPDATE says beside its own conditions: always true. */
    String writeCondition() {
        return (this == POSTGRESQL) ? "set_config('synchronous_commit', 'on', true) = 'on' "
                + "AND set_config('client_min_messages', 'warning', true) = 'warning' "
                + "AND set_config('lock_timeout', '" + LOCK_MILLIS + "', true) IS NOT NULL" : "1 = 1";
    }

    /**
     * What each read ends with. A session of MariaDB or MySQL may have a limit for
     * statements without one, and a row that is not shown is a row that is not there.
     */
    String allRows() {
        return (this == MARIADB || this == MYSQL) ? " LIMIT " + Integer.MAX_VALUE : "";
    }

    /**
     * What an INSERT ends with. PostgreSQL writes each failed statement into its log, and
     * of processes that start together only one inserts a row.
     */
    String unlessThere() {
        return (this == POSTGRESQL) ? " ON CONFLICT DO NOTHING" : "";
    }

    /**
     * The table as SQL: folded as the database folds a name without quotes, then quoted.
     */
    String quoted(LeaseTableName name, DatabaseMetaData database) throws SQLException {
        String table = quoted(name.table(), database);
        return (name.schema() != null) ? quoted(name.schema(), database) + "." + table : table;
    }

    private String quoted(String part, DatabaseMetaData database) throws SQLException {
        String quote = switch (this) {
            case MARIADB, MYSQL -> "`";
            case GENERIC -> database.getIdentifierQuoteString().strip();
            default -> "\"";
        };
        return quote + folded(part, database) + quote;
    }

    /** A name as the database keeps it when a script says it without quotes. */
    String folded(String part, DatabaseMetaData database) throws SQLException {
        return switch (this) {
            case POSTGRESQL -> part.toLowerCase(Locale.ROOT);
            case MARIADB, MYSQL -> part;
            case H2, HSQLDB, GENERIC -> database.storesUpperCaseIdentifiers() ? part.toUpperCase(Locale.ROOT)
                    : database.storesLowerCaseIdentifiers() ? part.toLowerCase(Locale.ROOT) : part;
        };
    }

    boolean missingTable(SQLException ex) {
        return tells(this.missingTable, ex)
                || this == GENERIC && String.valueOf(ex.getSQLState()).startsWith(REFUSED_STATEMENT);
    }

    /** Whether a missing table can be told from a table that the user must not see. */
    boolean tellsMissingTables() {
        return this != HSQLDB && this != GENERIC;
    }

    boolean missingRight(SQLException ex) {
        return tells(this.missingRight, ex);
    }

    boolean readOnly(SQLException ex) {
        return tells(this.readOnly, ex);
    }

    /** Whether the database refuses a statement until a table or a right is changed. */
    boolean refusesUntilChanged(SQLException ex) {
        return missingTable(ex) || missingRight(ex) || readOnly(ex)
                || String.valueOf(ex.getSQLState()).startsWith(REFUSED_STATEMENT);
    }

    boolean duplicateKey(SQLException ex) {
        return tells(this.duplicateKey, ex);
    }

    /**
     * Whether the statement certainly did not happen, because another one was faster: a
     * serialization failure, a deadlock.
     */
    boolean rolledBack(SQLException ex) {
        String state = String.valueOf(ex.getSQLState());
        return state.startsWith(ROLLED_BACK) && !state.equals(COMPLETION_UNKNOWN)
                || this == MARIADB && ex.getErrorCode() == CHANGED_SINCE_READ;
    }

    /**
     * Whether each statement on a connection is a transaction of its own. Connector/J
     * knows what it was told to set, and not what a statement of the pool has set.
     */
    boolean autoCommit(Connection connection) throws SQLException {
        return connection.getAutoCommit()
                && ((this != MARIADB && this != MYSQL) || shows(connection, "SELECT @@autocommit"));
    }

    /**
     * Whether a transaction is open on a connection. JDBC lets no connection change its
     * access mode within a transaction, and the driver of PostgreSQL says so without a
     * statement. MariaDB and MySQL say so to a statement that changes the next
     * transaction alone. H2 and HSQLDB show what a session has written. The others do not
     * show it.
     */
    boolean inTransaction(Connection connection) throws SQLException {
        return switch (this) {
            case POSTGRESQL -> refused(() -> connection.setReadOnly(connection.isReadOnly()));
            case MARIADB, MYSQL -> refused(() -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SET TRANSACTION READ WRITE");
                }
            });
            // the table of sessions fails while another session commits
            case H2 -> shows(connection, "SELECT TRANSACTION_ID() IS NOT NULL");
            case HSQLDB -> shows(connection, "SELECT TRANSACTION_SIZE > 0 FROM INFORMATION_SCHEMA.SYSTEM_SESSIONS "
                    + "WHERE SESSION_ID = SESSION_ID()");
            case GENERIC -> false;
        };
    }

    private static boolean refused(LeaseSession.Attempt change) throws SQLException {
        try {
            change.make();
            return false;
        }
        catch (SQLFeatureNotSupportedException ex) {
            return false;
        }
        catch (SQLException ex) {
            if (ACTIVE_TRANSACTION.equals(ex.getSQLState())) {
                return true;
            }
            throw ex;
        }
    }

    private static boolean shows(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet found = statement.executeQuery(query)) {
            return found.next() && found.getBoolean(1);
        }
    }

    private static boolean tells(Set<String> codes, SQLException ex) {
        return (ex.getSQLState() != null && codes.contains(ex.getSQLState()))
                || codes.contains(String.valueOf(ex.getErrorCode()));
    }

    /**
     * The resource that is the script of this database.
     * @param scripts its path, without the database
     */
    String script(String scripts) {
        return scripts + "-" + name().toLowerCase(Locale.ROOT) + ".sql";
    }

    /**
     * The statement of a script that makes a table.
     * @param made the script
     * @param quotedTable what to call it instead of its name in the script
     */
    String ddl(TableScript made, String quotedTable) {
        String path = script(made.path());
        String table = made.table();
        try (InputStream script = made.inJar().getResourceAsStream("/" + path)) {
            if (script == null) {
                throw new ShardedIdConfigurationException(
                        ("Could not use the table '%s': there is no '%s' in %s (the table is not supported on this "
                                + "database)")
                            .formatted(table, path, made.jar()),
                        "take a database of which %s says that it is"
                            .formatted(MessageText.page("docs/lease-table.md")));
            }
            String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
            return Stream.of(text.split(";\\R"))
                .map(String::strip)
                .filter((statement) -> statement.contains("CREATE TABLE IF NOT EXISTS " + table + " (")
                        || statement.contains("CREATE TABLE " + table + " ("))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("'%s' must make '%s'".formatted(path, table)))
                .replaceFirst(";$", "")
                .replace(table, quotedTable);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
