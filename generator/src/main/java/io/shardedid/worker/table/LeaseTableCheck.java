package io.shardedid.worker.table;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a lease table that has the columns and not what the script gives them: one that
 * can hold a worker id twice, or that a crash of the server empties. Whatever the
 * database does not show, to this account or of a view, is taken as it is.
 */
final class LeaseTableCheck {

    private static final System.Logger LOG = System.getLogger(LeaseTableCheck.class.getName());

    private static final Set<String> KEY = Set.of("namespace", "worker_id");

    /** Engines of MariaDB and MySQL whose rows a crash loses, whatever InnoDB does. */
    private static final Set<String> UNSAFE_ENGINES = Set.of("MEMORY", "MYISAM", "ARIA");

    private static final String UNLOGGED = "u";

    private static final int LOOKS = 6;

    private static final long PAUSE_NANOS = 100_000_000;

    private final LeaseSession session;

    private final LeaseTableName name;

    LeaseTableCheck(LeaseSession session, LeaseTableName name) {
        this.session = session;
        this.name = name;
    }

    /**
     * Checks a table whose statements have been tried.
     * @throws ShardedIdConfigurationException if no lease may be taken there
     */
    void check() throws SQLException {
        try {
            DatabaseMetaData database = this.session.connection().getMetaData();
            Place table = (this.session.sql().dialect() == LeaseDialect.POSTGRESQL) ? ofPostgres(database)
                    : of(database);
            if (table != null && !getsKey(database, table)) {
                // H2 wants columns of a primary key to be declared NOT NULL before
                String key = (this.session.sql().dialect() == LeaseDialect.H2) ? "UNIQUE" : "PRIMARY KEY";
                throw refusal(database, "it has no primary key, so it can hold a worker id twice",
                        "stop all processes that lease from it, then run ALTER TABLE %s ADD %s (namespace, worker_id)"
                            .formatted(this.name, key));
            }
        }
        catch (SQLException ex) {
            if (DriverFailure.canPass(ex)) {
                throw ex;
            }
            LOG.log(System.Logger.Level.DEBUG, "The key of the lease table is not shown: table={0} ({1})", this.name,
                    LeaseTableSetup.oneLine(ex));
        }
    }

    /** Finds the table by the search path, as its statements do. */
    private @Nullable Place ofPostgres(DatabaseMetaData database) throws SQLException {
        PreparedStatement query = this.session.bound("SELECT n.nspname, c.relname, c.relpersistence, c.relkind FROM "
                + "pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE c.oid = pg_catalog.to_regclass(?)", this.session.sql().table());
        try (ResultSet found = query.executeQuery()) {
            if (!found.next()) {
                return null;
            }
            if (UNLOGGED.equals(found.getString(3))) {
                throw refusal(database, "it is UNLOGGED: the server empties it after a crash",
                        "run ALTER TABLE %s SET LOGGED".formatted(this.name));
            }
            boolean stored = Set.of("r", "p").contains(found.getString(4));
            return stored ? new Place(null, found.getString(1), found.getString(2)) : null;
        }
    }

    private @Nullable Place of(DatabaseMetaData database) throws SQLException {
        Connection connection = this.session.connection();
        LeaseDialect dialect = this.session.sql().dialect();
        boolean catalogs = dialect == LeaseDialect.MARIADB || dialect == LeaseDialect.MYSQL;
        String schema = (this.name.schema() != null) ? dialect.folded(this.name.schema(), database)
                : catalogs ? connection.getCatalog() : connection.getSchema();
        String table = dialect.folded(this.name.table(), database);
        if (catalogs) {
            checkEngine(database, String.valueOf(schema), table);
        }
        // drivers of MySQL take the one or the other, as they are configured
        String catalog = catalogs ? schema : null;
        try (ResultSet tables = database.getTables(catalog, schema, table, new String[] { "TABLE", "BASE TABLE" })) {
            while (tables.next()) {
                // the name is a pattern, in which '_' is any character
                String found = tables.getString("TABLE_NAME");
                if (table.equalsIgnoreCase(found)) {
                    return new Place(catalog, schema, found);
                }
            }
            return null;
        }
    }

    private void checkEngine(DatabaseMetaData database, String schema, String table) throws SQLException {
        PreparedStatement query = this.session.bound(
                "SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?", schema,
                table);
        try (ResultSet found = query.executeQuery()) {
            String engine = found.next() ? found.getString(1) : null;
            if (engine != null && UNSAFE_ENGINES.contains(engine.toUpperCase(Locale.ROOT))) {
                throw refusal(database, "its engine is %s, which loses rows in a crash of the server".formatted(engine),
                        "run ALTER TABLE %s ENGINE = InnoDB".formatted(this.name));
            }
        }
    }

    /**
     * Looks again for a moment: while another process makes the table, H2 shows it before
     * its key.
     */
    private static boolean getsKey(DatabaseMetaData database, Place table) throws SQLException {
        boolean has = hasKey(database, table);
        for (int look = 1; look < LOOKS && !has; look++) {
            TimeSource.system().park(PAUSE_NANOS);
            has = hasKey(database, table);
        }
        return has;
    }

    private static boolean hasKey(DatabaseMetaData database, Place table) throws SQLException {
        Set<String> primary = new HashSet<>();
        try (ResultSet columns = database.getPrimaryKeys(table.catalog(), table.schema(), table.table())) {
            while (columns.next()) {
                primary.add(columns.getString("COLUMN_NAME"));
            }
        }
        return identifies(primary) || uniqueIndexes(database, table).stream().anyMatch(LeaseTableCheck::identifies);
    }

    private static Collection<Set<String>> uniqueIndexes(DatabaseMetaData database, Place table) throws SQLException {
        Map<String, Set<String>> indexes = new HashMap<>();
        try (ResultSet entries = database.getIndexInfo(table.catalog(), table.schema(), table.table(), true, true)) {
            while (entries.next()) {
                String condition = entries.getString("FILTER_CONDITION");
                boolean whole = condition == null || condition.isBlank();
                if (entries.getShort("TYPE") != DatabaseMetaData.tableIndexStatistic
                        && !entries.getBoolean("NON_UNIQUE") && whole) {
                    indexes.computeIfAbsent(entries.getString("INDEX_NAME"), (index) -> new HashSet<>())
                        .add(String.valueOf(entries.getString("COLUMN_NAME")));
                }
            }
        }
        return indexes.values();
    }

    private static boolean identifies(Set<String> columns) {
        return !columns.isEmpty()
                && columns.stream().map((column) -> column.toLowerCase(Locale.ROOT)).allMatch(KEY::contains);
    }

    private ShardedIdConfigurationException refusal(DatabaseMetaData database, String reason, String remedy)
            throws SQLException {
        return new ShardedIdConfigurationException(
                "Could not use the lease table: table=%s, database=%s %s (%s); %s".formatted(this.name,
                        database.getDatabaseProductName(), database.getDatabaseProductVersion(), reason, remedy));
    }

    /**
     * Where metadata finds the table.
     *
     * @param catalog the catalog, or null for the present one
     * @param schema the schema, or null for any
     * @param table the name
     */
    private record Place(@Nullable String catalog, @Nullable String schema, String table) {
    }

}
