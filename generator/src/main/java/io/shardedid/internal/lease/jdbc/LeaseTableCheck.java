package io.shardedid.internal.lease.jdbc;

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
import io.shardedid.internal.lease.LeaseHandOver;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import org.jspecify.annotations.Nullable;

/**
 * Takes a lease table for what the script makes: a permanent table with a key, or on
 * PostgreSQL, MariaDB and MySQL a view that writes straight into one. What the database
 * does not show is warned of.
 */
final class LeaseTableCheck {

    private static final System.Logger LOG = System.getLogger(LeaseTableCheck.class.getName());

    private static final Set<String> KEY = Set.of("namespace", "worker_id");

    private static final String ENGINE = "InnoDB";

    private static final int LOOKS = 6;

    private static final long PAUSE_NANOS = 100_000_000;

    private final LeaseSession session;

    private final LeaseTableName name;

    private final LeaseDialect dialect;

    LeaseTableCheck(LeaseSession session, LeaseTableName name) {
        this.session = session;
        this.name = name;
        this.dialect = session.sql().dialect();
    }

    /**
     * Checks a table whose statements have been tried.
     * @throws ShardedIdConfigurationException if no lease may be taken there
     */
    void check() throws SQLException {
        boolean shared = checkRows();
        try {
            if (this.dialect == LeaseDialect.POSTGRESQL) {
                PostgresLeaseTable shown = shown();
                if (shared) {
                    shown.checkReplication();
                }
                shown.checkKind();
                shown.checkKey();
                shown.checkWrites();
            }
            else {
                Place table = of(database());
                if (table != null && !getsKey(database(), table)) {
                    // H2 wants columns of a primary key to be declared NOT NULL before
                    throw keyless("it has no primary key", this.name.toString(),
                            (this.dialect == LeaseDialect.H2) ? "UNIQUE" : "PRIMARY KEY");
                }
            }
        }
        catch (SQLException ex) {
            if (DriverFailure.isTransient(ex)) {
                throw ex;
            }
            warn(LeaseTableSetup.oneLine(ex));
        }
    }

    /** Refuses a table of a kind to which statements fail, by what it is. */
    void explain() throws SQLException {
        try {
            if (this.dialect == LeaseDialect.POSTGRESQL) {
                shown().checkKind();
            }
            else {
                of(database());
            }
        }
        catch (SQLException ex) {
            LOG.log(System.Logger.Level.DEBUG, "The kind of the lease table is not shown: table={0} ({1})", this.name,
                    LeaseTableSetup.oneLine(ex));
        }
    }

    private DatabaseMetaData database() throws SQLException {
        return this.session.connection().getMetaData();
    }

    private PostgresLeaseTable shown() throws SQLException {
        return PostgresLeaseTable.read(this.session, this);
    }

    /** Returns whether another lease table has worker ids of this one. */
    private boolean checkRows() throws SQLException {
        LeaseReply reply = this.session.execute(new LeaseStatement.ReadAll());
        Set<Integer> workers = new HashSet<>();
        boolean shared = false;
        for (LeaseRow row : ((LeaseReply.Rows) reply).rows()) {
            shared |= LeaseHandOver.elsewhere(row);
            if (!workers.add(row.worker())) {
                throw refusal(
                        "it holds worker id %s of namespace '%s' twice, so two processes may lease it at once"
                            .formatted(row.worker(), this.session.namespace()),
                        ("stop all processes that lease from it, delete all rows of this worker id but the one with the "
                                + "largest hwm_tick, and let the table have PRIMARY KEY (namespace, worker_id)"));
            }
        }
        return shared;
    }

    private @Nullable Place of(DatabaseMetaData database) throws SQLException {
        Connection connection = this.session.connection();
        boolean catalogs = this.dialect == LeaseDialect.MARIADB || this.dialect == LeaseDialect.MYSQL;
        String schema = (this.name.schema() != null) ? this.dialect.folded(this.name.schema(), database)
                : catalogs ? connection.getCatalog() : connection.getSchema();
        String table = this.dialect.folded(this.name.table(), database);
        if (catalogs) {
            checkKind(String.valueOf(schema), table);
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

    /** MariaDB and MySQL. A view shows neither the engine nor the key of its table. */
    private void checkKind(String schema, String table) throws SQLException {
        PreparedStatement query = this.session.bound("SELECT t.TABLE_TYPE, t.ENGINE, v.IS_UPDATABLE "
                + "FROM information_schema.TABLES t LEFT JOIN information_schema.VIEWS v "
                + "ON v.TABLE_SCHEMA = t.TABLE_SCHEMA AND v.TABLE_NAME = t.TABLE_NAME "
                + "WHERE t.TABLE_SCHEMA = ? AND t.TABLE_NAME = ?", schema, table);
        try (ResultSet found = query.executeQuery()) {
            if (!found.next()) {
                warn("it is not shown to this account");
                return;
            }
            String type = found.getString(1);
            String engine = String.valueOf(found.getString(2));
            if ("VIEW".equals(type)) {
                if (!"YES".equals(found.getString(3))) {
                    throw refusal("it is a view that cannot be updated", PostgresLeaseTable.OTHER_TABLE);
                }
                warn("the table behind the view is not shown");
            }
            else if (!"BASE TABLE".equals(type)) {
                throw refusal("it is a " + type, PostgresLeaseTable.OTHER_TABLE);
            }
            else if (!ENGINE.equalsIgnoreCase(engine)) {
                throw refusal(
                        "its engine is %s, and only %s is known to keep rows through a crash of the server"
                            .formatted(engine, ENGINE),
                        "set 'enforce_storage_engine' to %2$s where it names another engine, then run ALTER TABLE %1$s ENGINE = %2$s"
                            .formatted(this.name, ENGINE));
            }
        }
    }

    private void warn(String reason) throws SQLException {
        LOG.log(System.Logger.Level.WARNING,
                "The start cannot see whether the lease table is what its script makes: table={0}, database={1} {2} "
                        + "({3}); make sure that it is a permanent table with PRIMARY KEY (namespace, worker_id)",
                this.name, database().getDatabaseProductName(), database().getDatabaseProductVersion(), reason);
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

    ShardedIdConfigurationException keyless(String reason, String table, String key) throws SQLException {
        return refusal(reason + ", so it can hold a worker id twice",
                "stop all processes that lease from it, then run ALTER TABLE %s ADD %s (namespace, worker_id)"
                    .formatted(table, key));
    }

    ShardedIdConfigurationException refusal(String reason, String remedy) throws SQLException {
        return new ShardedIdConfigurationException("Could not use the lease table: table=%s, database=%s %s (%s)"
            .formatted(this.name, database().getDatabaseProductName(), database().getDatabaseProductVersion(), reason),
                remedy);
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
