package io.shardedid.worker.table;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.MessageText;
import io.shardedid.ShardedIdConfigurationException;

/**
 * What differs between the databases that can hold the lease table.
 */
enum LeaseDialect {

    /**
     * {@code now()} would be the start of the transaction. Its condition makes the one
     * statement's own commit wait for the disk and for a synchronous standby, whatever
     * the role, the pool or the server are set to, lets the server itself end a wait for
     * a lock, and leaves nothing behind in the session.
     */
    POSTGRESQL("PostgreSQL", Evidence.PROVED, "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp())*1000) AS BIGINT)",
            OneRow.PLAIN, Set.of("42P01", "3F000"), Set.of("42501"), Set.of("25006")),

    /** {@code UNIX_TIMESTAMP(NOW(3))} would be local time and lose an hour a year. */
    MARIADB("MariaDB", Evidence.PROVED, "TIMESTAMPDIFF(MICROSECOND,'1970-01-01 00:00:00',UTC_TIMESTAMP(3)) DIV 1000",
            OneRow.PLAIN, Set.of("1146", "1049"), Set.of("1044", "1142", "1143", "1227"), Set.of("1290", "1836")),

    MYSQL("MySQL", Evidence.FROM_THE_MANUAL, MARIADB.nowMillis, OneRow.PLAIN, MARIADB.missingTable,
            MARIADB.missingRight, MARIADB.readOnly),

    /**
     * {@code DATEDIFF} would leave the offsets of its timestamps out, and so be local
     * time.
     */
    H2("H2", Evidence.PROVED, "CAST(FLOOR(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(3))*1000) AS BIGINT)", OneRow.PLAIN,
            Set.of("42S02", "42S03", "42S04", "90079"), Set.of("90096", "90040"), Set.of("90097")),

    /** It has one code for a missing table and for a missing right. */
    HSQLDB("HSQL Database Engine", Evidence.PROVED, "UNIX_MILLIS()", "(VALUES(1)) c(one)", Set.of("-5501"), Set.of(),
            Set.of("25006", "-3706")),

    /** One statement reads SYSTIMESTAMP once, however often it names it. */
    ORACLE("Oracle", Evidence.FROM_THE_MANUAL,
            Stream.of("DAY;86400000", "HOUR;3600000", "MINUTE;60000", "SECOND;1000")
                .map((part) -> part.split(";"))
                .map((part) -> "EXTRACT(%s FROM (SYS_EXTRACT_UTC(SYSTIMESTAMP) - TIMESTAMP '1970-01-01 00:00:00')) * %s"
                    .formatted(part[0], part[1]))
                .collect(Collectors.joining(" + ", "FLOOR(", ")")),
            "(SELECT 1 AS one FROM dual) c", Set.of("942"), Set.of("1031", "41900"), Set.of("16000")),

    SQLSERVER("Microsoft SQL Server", Evidence.FROM_THE_MANUAL,
            "DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01T00:00:00' AS DATETIME2), SYSUTCDATETIME())", OneRow.PLAIN,
            Set.of("208"), Set.of("229", "262"), Set.of("3906")),

    /** One statement reads the clock once, however often it names it. */
    DB2("DB2", Evidence.FROM_THE_MANUAL,
            ("(BIGINT(DAYS(UTC) - DAYS('1970-01-01')) * 86400000 + BIGINT(MIDNIGHT_SECONDS(UTC)) * 1000 "
                    + "+ MICROSECOND(UTC) / 1000)")
                .replace("UTC", "CURRENT TIMESTAMP - CURRENT TIMEZONE"),
            "SYSIBM.SYSDUMMY1 c", Set.of("-204"), Set.of("-551", "-552"), Set.of("-1773")),

    /**
     * A database that nobody has looked at: no word but those of the standard. Its clock
     * is compared in no statement, so that it serves the plain mode alone.
     */
    GENERIC("any other", Evidence.NONE, "CURRENT_TIMESTAMP", OneRow.PLAIN, Set.of(), Set.of(), Set.of("25006"));

    /** What is known of a database. */
    enum Evidence {

        /** The contract suite has passed on a real server, in this build. */
        PROVED,
        /** The statements are written from the manual, and nobody has run them. */
        FROM_THE_MANUAL,
        /** Nothing but that it speaks SQL. */
        NONE

    }

    /**
     * How long a write waits for a lock, less than the query timeout of the keeper. A
     * client that is gone ends no wait of PostgreSQL. Without this limit, each attempt
     * could leave one behind where a commit that waits for its standby keeps the row.
     */
    private static final int LOCK_MILLIS = 1500;

    /** SQLState class of a statement that cannot be executed as it is. */
    private static final String REFUSED_STATEMENT = "42";

    /** A table of one row. */
    private static final class OneRow {

        static final String PLAIN = "(SELECT 1 AS one) c";

    }

    private final String product;

    private final Evidence evidence;

    private final String nowMillis;

    private final String oneRow;

    /** These three: SQLStates and error codes, whichever the database is precise in. */
    private final Set<String> missingTable;

    private final Set<String> missingRight;

    private final Set<String> readOnly;

    LeaseDialect(String product, Evidence evidence, String nowMillis, String oneRow, Set<String> missingTable,
            Set<String> missingRight, Set<String> readOnly) {
        this.product = product;
        this.evidence = evidence;
        this.nowMillis = nowMillis;
        this.oneRow = oneRow;
        this.missingTable = missingTable;
        this.missingRight = missingRight;
        this.readOnly = readOnly;
    }

    /**
     * Finds the dialect of a database. A driver for MySQL on a MariaDB server is told by
     * the version; DB2 appends its platform to its name.
     */
    static LeaseDialect of(DatabaseMetaData database) throws SQLException {
        String product = database.getDatabaseProductName();
        if (product.equals(MYSQL.product) && database.getDatabaseProductVersion().contains(MARIADB.product)) {
            return MARIADB;
        }
        return Stream.of(values())
            .filter((dialect) -> dialect.product.equals(product) || dialect == DB2 && product.startsWith("DB2"))
            .findFirst()
            .orElse(GENERIC);
    }

    /** Finds the dialect that a JDBC URL speaks of. */
    static Optional<LeaseDialect> ofUrl(String url) {
        return Stream.of(values())
            .filter((dialect) -> dialect != GENERIC
                    && url.startsWith("jdbc:" + dialect.name().toLowerCase(Locale.ROOT) + ":"))
            .findFirst();
    }

    Evidence evidence() {
        return this.evidence;
    }

    /** A table of one row, named {@code c}. */
    String oneRow() {
        return this.oneRow;
    }

    /**
     * Whether a statement can compare the clock of the database as a number. Where it
     * cannot, reads bring the clock as a timestamp with its time zone.
     */
    boolean comparesItsClock() {
        return this != GENERIC;
    }

    /** A parameter in the list of a SELECT, of which DB2 must be told the type. */
    String parameter(String type) {
        return (this == DB2) ? "CAST(? AS " + type + ")" : "?";
    }

    /** The clock of the database, epoch milliseconds. */
    String nowMillis() {
        return this.nowMillis;
    }

    /** What each INSERT and UPDATE says beside its own conditions: always true. */
    String writeCondition() {
        return (this == POSTGRESQL) ? "set_config('synchronous_commit', 'on', true) = 'on' "
                + "AND set_config('lock_timeout', '%s', true) IS NOT NULL".formatted(LOCK_MILLIS) : "1 = 1";
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
            case H2, HSQLDB, ORACLE, SQLSERVER, DB2, GENERIC ->
                database.storesUpperCaseIdentifiers() ? part.toUpperCase(Locale.ROOT)
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

    private static boolean tells(Set<String> codes, SQLException ex) {
        return (ex.getSQLState() != null && codes.contains(ex.getSQLState()))
                || codes.contains(String.valueOf(ex.getErrorCode()));
    }

    /**
     * The resource that is the script of this database: that in the words of the
     * standard, where nobody has run another one.
     * @param scripts its path, without the database
     */
    String script(String scripts) {
        LeaseDialect words = switch (this) {
            case ORACLE, SQLSERVER, DB2 -> GENERIC;
            default -> this;
        };
        return scripts + "-" + words.name().toLowerCase(Locale.ROOT) + ".sql";
    }

    /**
     * The statement of a script that makes a table.
     * @param made the table
     * @param quotedTable what to call it instead of its name in the script
     */
    String ddl(LeaseTableSetup.Table made, String quotedTable) {
        String path = script(made.scripts());
        String table = made.nameInScripts();
        try (InputStream script = made.inJar().getResourceAsStream("/" + path)) {
            if (script == null) {
                throw new ShardedIdConfigurationException(
                        ("Could not use the table '%s': there is no '%s' in %s (the table is not supported on this "
                                + "database); take a database of which %s says that it is")
                            .formatted(table, path, made.jar(), MessageText.page("docs/lease-table.md")));
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
