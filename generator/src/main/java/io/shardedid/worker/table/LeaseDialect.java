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

import io.shardedid.ShardedIdConfigurationException;

/**
 * What differs between the databases that can hold the lease table. Each constant passed
 * the contract suite of the lease table on a real server, except {@link #MYSQL}, which
 * shares its SQL with {@link #MARIADB}.
 */
enum LeaseDialect {

    /**
     * {@code now()} would be the start of the transaction. Its condition makes the one
     * statement's own commit wait for the disk, whatever the role, the pool or the server
     * are set to, and leaves nothing behind in the session.
     */
    POSTGRESQL("PostgreSQL", '"', "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp())*1000) AS BIGINT)",
            "set_config('synchronous_commit', 'on', true) = 'on'", Set.of("42P01", "3F000"), Set.of("42501"),
            Set.of("25006")),

    /** {@code UNIX_TIMESTAMP(NOW(3))} would be local time and lose an hour a year. */
    MARIADB("MariaDB", '`', "TIMESTAMPDIFF(MICROSECOND,'1970-01-01 00:00:00',UTC_TIMESTAMP(3)) DIV 1000", "1 = 1",
            Set.of("1146", "1049"), Set.of("1044", "1142", "1143", "1227"), Set.of("1290", "1836")),

    MYSQL("MySQL", '`', MARIADB.nowMillis, "1 = 1", MARIADB.missingTable, MARIADB.missingRight, MARIADB.readOnly),

    /**
     * {@code DATEDIFF} would leave the offsets of its timestamps out, and so be local
     * time.
     */
    H2("H2", '"', "CAST(FLOOR(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(3))*1000) AS BIGINT)", "1 = 1",
            Set.of("42S02", "42S03", "42S04", "90079"), Set.of("90096", "90040"), Set.of("90097"));

    private final String product;

    private final char quote;

    private final String nowMillis;

    private final String writeCondition;

    /** These three: SQLStates and error codes, whichever the database is precise in. */
    private final Set<String> missingTable;

    private final Set<String> missingRight;

    private final Set<String> readOnly;

    LeaseDialect(String product, char quote, String nowMillis, String writeCondition, Set<String> missingTable,
            Set<String> missingRight, Set<String> readOnly) {
        this.product = product;
        this.quote = quote;
        this.nowMillis = nowMillis;
        this.writeCondition = writeCondition;
        this.missingTable = missingTable;
        this.missingRight = missingRight;
        this.readOnly = readOnly;
    }

    /**
     * Finds the dialect of a database. A driver for MySQL on a MariaDB server is told by
     * the version.
     * @throws ShardedIdConfigurationException if there is none
     */
    static LeaseDialect of(DatabaseMetaData database) throws SQLException {
        String product = database.getDatabaseProductName();
        String version = database.getDatabaseProductVersion();
        if (product.equals(MYSQL.product) && version.contains(MARIADB.product)) {
            return MARIADB;
        }
        return Stream.of(values())
            .filter((dialect) -> dialect.product.equals(product))
            .findFirst()
            .orElseThrow(() -> new ShardedIdConfigurationException(("Could not use the lease table: database=%s %s "
                    + "(supported: %s); name a database of these in 'shardedid.worker.lease.url', or set "
                    + "'shardedid.worker.mode=fixed'")
                .formatted(product, version,
                        Stream.of(values()).map((dialect) -> dialect.product).collect(Collectors.joining(", ")))));
    }

    /** Finds the dialect that a JDBC URL speaks of. */
    static Optional<LeaseDialect> ofUrl(String url) {
        return Stream.of(values())
            .filter((dialect) -> url.startsWith("jdbc:" + dialect.name().toLowerCase(Locale.ROOT) + ":"))
            .findFirst();
    }

    /** The clock of the database, epoch milliseconds. */
    String nowMillis() {
        return this.nowMillis;
    }

    /** What each INSERT and UPDATE says beside its own conditions: always true. */
    String writeCondition() {
        return this.writeCondition;
    }

    /**
     * The table as SQL: folded as the database folds a name without quotes, then quoted.
     */
    String quoted(LeaseTableName name, DatabaseMetaData database) throws SQLException {
        String table = quoted(name.table(), database);
        return (name.schema() != null) ? quoted(name.schema(), database) + "." + table : table;
    }

    private String quoted(String part, DatabaseMetaData database) throws SQLException {
        return this.quote + switch (this) {
            case POSTGRESQL -> part.toLowerCase(Locale.ROOT);
            case MARIADB, MYSQL -> part;
            case H2 -> database.storesUpperCaseIdentifiers() ? part.toUpperCase(Locale.ROOT)
                    : database.storesLowerCaseIdentifiers() ? part.toLowerCase(Locale.ROOT) : part;
        } + this.quote;
    }

    /** Whether the database lives in this process. */
    boolean embedded(String url) {
        return this == H2 && !url.startsWith("jdbc:h2:tcp:") && !url.startsWith("jdbc:h2:ssl:");
    }

    boolean missingTable(SQLException ex) {
        return tells(this.missingTable, ex);
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
     * The resource that is the script of this database.
     * @param scripts its path, without the database
     */
    String script(String scripts) {
        return scripts + "-" + name().toLowerCase(Locale.ROOT) + ".sql";
    }

    /**
     * The statement of a script that makes a table.
     * @param scripts the path of the script, without the database
     * @param table the table as the script calls it
     * @param quotedTable what to call it instead
     */
    String ddl(String scripts, String table, String quotedTable) {
        String path = script(scripts);
        try (InputStream script = LeaseDialect.class.getResourceAsStream("/" + path)) {
            if (script == null) {
                throw new IllegalStateException(
                        "Could not read '%s' (it belongs into the generator's jar)".formatted(path));
            }
            String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
            return Stream.of(text.split(";\\R"))
                .map(String::strip)
                .filter((statement) -> statement.contains("CREATE TABLE IF NOT EXISTS " + table + " ("))
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
