package io.shardedid.internal.lease.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TimeSource;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;

/**
 * Takes a lease table for what the script makes. {@link TableProbe} tries it; what no
 * statement shows is looked up: whether the server keeps its rows through a crash,
 * whether all sessions see the same rows, and whether something else writes in its place.
 */
final class LeaseTableCheck {

    private static final System.Logger LOG = System.getLogger(LeaseTableCheck.class.getName());

    private static final String OTHER_TABLE = "let 'shardedid.worker.lease.table' name a table that the script has made";

    private static final String ENGINE = "InnoDB";

    private static final int LOOKS = 6;

    private static final long PAUSE_NANOS = 100_000_000;

    /**
     * The table that statements reach by the search path, and its partitions. A key of
     * its own in each partition is one key only if the key decides the partition.
     */
    private static final String POSTGRESQL_KINDS = """
            SELECT pg_catalog.concat(n.nspname, '.', c.relname), c.relkind, c.relpersistence,
                   EXISTS (SELECT 1 FROM pg_catalog.pg_rewrite r WHERE r.ev_class = c.oid),
                   EXISTS (SELECT 1 FROM pg_catalog.pg_partitioned_table p, pg_catalog.unnest(p.partattrs) k
                             LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k
                            WHERE p.partrelid = c.oid
                              AND (k = 0 OR a.attname NOT IN ('namespace', 'worker_id'))),
                   pg_catalog.current_setting('fsync') = 'off'
              FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
             WHERE c.oid = pg_catalog.to_regclass(?)
                OR c.oid IN (SELECT relid FROM pg_catalog.pg_partition_tree(pg_catalog.to_regclass(?)))
             ORDER BY 1
            """;

    /** Homes and map of the shards as well, where they are in this database. */
    private static final String POSTGRESQL_REPLICATED = """
            WITH kept(oid, name) AS (
              SELECT c.oid, pg_catalog.concat(n.nspname, '.', c.relname)
                FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
               WHERE c.relname IN ('shardedid_home', 'shardedid_shard', 'shardedid_database')
                  OR c.oid = pg_catalog.to_regclass(?))
            SELECT pg_catalog.concat('publication ''', p.pubname, ''' has ''', k.name, '''')
              FROM pg_catalog.pg_publication_tables p
              JOIN kept k ON k.name = pg_catalog.concat(p.schemaname, '.', p.tablename)
             UNION ALL
            SELECT pg_catalog.concat('subscription ''', s.subname, ''' has ''', k.name, '''')
              FROM pg_catalog.pg_subscription_rel r JOIN pg_catalog.pg_subscription s ON s.oid = r.srsubid
              JOIN kept k ON k.oid = r.srrelid
             ORDER BY 1
            """;

    private final LeaseSession session;

    private final LeaseTableName name;

    private final LeaseDialect dialect;

    LeaseTableCheck(LeaseSession session, LeaseTableName name) {
        this.session = session;
        this.name = name;
        this.dialect = session.sql().dialect();
    }

    /**
     * Checks the table.
     * @throws ShardedIdConfigurationException if no lease may be taken there
     * @throws SQLException if that may pass by itself, or if the table, a column or a
     * right is missing
     */
    void check() throws SQLException {
        if (!isListed()) {
            if (this.dialect == LeaseDialect.POSTGRESQL) {
                throw LeaseTableSetup.missing();
            }
            // fails if there is none, unless another start makes it in this moment
            rows();
            if (!isListed()) {
                throw refusal("it is no table that other sessions see", OTHER_TABLE);
            }
        }
        if (this.dialect == LeaseDialect.MARIADB || this.dialect == LeaseDialect.MYSQL) {
            // the session was told that its next transaction may write, see
            // LeaseDialect.inTransaction(): that is this one, and not the probe
            rows();
        }
        TableProbe probe = new TableProbe(this.session);
        TableProbe.Finding found = probe.run();
        // while another process makes the table, H2 shows it before its key
        for (int look = 1; look < LOOKS && found != null && found.keyless(); look++) {
            TimeSource.system().park(PAUSE_NANOS);
            found = probe.run();
        }
        LeaseReply.Rows rows = rows();
        checkRows(rows);
        found = (found != null) ? found : probe.after(rows);
        if (found != null) {
            throw refusal("tried in a transaction that was rolled back: " + found, remedy(found));
        }
        if (rows.rows().isEmpty()) {
            warnOfOthers();
        }
    }

    /** Worker ids of a new namespace begin anew, beside those of the others. */
    private void warnOfOthers() throws SQLException {
        List<String> others = new ArrayList<>();
        try (ResultSet found = this.session
            .bound("SELECT DISTINCT namespace FROM %s WHERE namespace <> ? ORDER BY namespace"
                .formatted(this.session.sql().table()), this.session.namespace())
            .executeQuery()) {
            while (found.next()) {
                others.add(found.getString(1));
            }
        }
        if (!others.isEmpty()) {
            LOG.log(System.Logger.Level.WARNING,
                    "Namespace ''{0}'' is new in the lease table, which has others: table={1}, namespaces={2}; if their "
                            + "processes write the same tables, duplicate ids are possible: stop this process, and correct "
                            + "''shardedid.worker.lease.namespace''",
                    this.session.namespace(), this.name, others);
        }
    }

    private String remedy(TableProbe.Finding found) {
        if (found.keyless()) {
            // H2 wants columns of a primary key to be declared NOT NULL before
            return "stop all processes that lease from it, then run ALTER TABLE %s ADD %s (namespace, worker_id)"
                .formatted(this.name, (this.dialect == LeaseDialect.H2) ? "UNIQUE" : "PRIMARY KEY");
        }
        return found.hidden()
                ? "set 'shardedid.worker.lease.url', or take a pool that hands on the warnings of the server"
                : OTHER_TABLE + ", and let nothing change or hide what this account writes there";
    }

    /**
     * Refuses a table of another kind, before the probe, which not all kinds take back.
     * @return whether the database lists it, or does not show that
     */
    private boolean isListed() throws SQLException {
        try {
            return switch (this.dialect) {
                case POSTGRESQL -> checkPostgres();
                case MARIADB, MYSQL -> checkEngine();
                case HSQLDB -> checkHsqldb();
                // what keeps its rows is on the page of the lease table
                default -> true;
            };
        }
        catch (SQLException ex) {
            if (DriverFailure.isTransient(ex)) {
                throw ex;
            }
            // such as a server that merely calls itself PostgreSQL
            LOG.log(System.Logger.Level.WARNING,
                    "The start cannot see of what kind the lease table is: table={0}, database={1} {2} ({3}); make sure "
                            + "that it is a permanent table",
                    this.name, database().getDatabaseProductName(), database().getDatabaseProductVersion(),
                    LeaseTableSetup.oneLine(ex));
            return true;
        }
    }

    /** Each write goes into one permanent table, and nothing writes in its place. */
    private boolean checkPostgres() throws SQLException {
        String table = this.session.sql().table();
        boolean listed = false;
        try (ResultSet found = this.session.bound(POSTGRESQL_KINDS, table, table).executeQuery()) {
            while (found.next()) {
                if (!listed && found.getBoolean(6)) {
                    // not worth a start that fails on a server of tests
                    LOG.log(System.Logger.Level.WARNING,
                            "The server of the lease table leaves its log to the operating system: table={0}, "
                                    + "fsync=off. When its machine crashes or loses power, leases that were "
                                    + "acknowledged are lost, ids may be made again, and the whole database may be "
                                    + "damaged; write ''fsync = on'' into its configuration unless it is there for "
                                    + "tests alone",
                            this.name);
                }
                listed = true;
                String part = found.getString(1);
                String kind = found.getString(2);
                String persistence = found.getString(3);
                if (!kind.equals("r") && !kind.equals("p") || !persistence.equals("p")) {
                    throw refusal(
                            "'%s' is no permanent table: relkind=%s, relpersistence=%s".formatted(part, kind,
                                    persistence),
                            persistence.equals("u") ? "run ALTER TABLE %s SET LOGGED".formatted(part) : OTHER_TABLE);
                }
                if (found.getBoolean(4)) {
                    throw refusal("'%s' has a rule, which writes in its place".formatted(part), "drop the rule");
                }
                if (found.getBoolean(5)) {
                    throw refusal("'%s' is partitioned by other columns than its key, so it can hold a worker id twice"
                        .formatted(part), OTHER_TABLE);
                }
            }
        }
        return listed;
    }

    /** A view has no engine; what it leads to shows in the probe. */
    private boolean checkEngine() throws SQLException {
        String schema = (this.name.schema() != null) ? this.name.schema() : this.session.connection().getCatalog();
        try (ResultSet found = this.session
            .bound("SELECT TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
                    schema, this.name.table())
            .executeQuery()) {
            if (!found.next()) {
                return false;
            }
            String type = found.getString(1);
            String engine = String.valueOf(found.getString(2));
            if (type.contains("TEMPORARY")) {
                throw refusal("it is a temporary table", OTHER_TABLE);
            }
            if (!type.equals("VIEW") && !ENGINE.equalsIgnoreCase(engine)) {
                throw refusal(
                        "its engine is %s, and only %s is known to keep rows through a crash of the server"
                            .formatted(engine, ENGINE),
                        "set 'enforce_storage_engine' to %2$s where it names another engine, then run ALTER TABLE %1$s ENGINE = %2$s"
                            .formatted(this.name, ENGINE));
            }
            return true;
        }
    }

    /** Each session has rows of its own in a temporary table. */
    private boolean checkHsqldb() throws SQLException {
        String table = this.dialect.folded(this.name.table(), database());
        String schema = (this.name.schema() != null) ? this.dialect.folded(this.name.schema(), database())
                : this.session.connection().getSchema();
        try (ResultSet found = this.session.bound(
                "SELECT TABLE_TYPE FROM INFORMATION_SCHEMA.SYSTEM_TABLES WHERE TABLE_NAME = ? AND TABLE_SCHEM IN (?, "
                        + "'SESSION')",
                table, schema)
            .executeQuery()) {
            while (found.next()) {
                if (String.valueOf(found.getString(1)).contains("TEMP")) {
                    throw refusal("it is a temporary table", OTHER_TABLE);
                }
            }
            // a missing one cannot be told from one that the user must not see
            return true;
        }
    }

    /** Rows of another region would come in place of those of this one. */
    private void checkReplication() throws SQLException {
        try (ResultSet found = this.session.bound(POSTGRESQL_REPLICATED, this.session.sql().table()).executeQuery()) {
            if (found.next()) {
                throw refusal(found.getString(1) + ", and worker ids are shared with another lease table",
                        "replicate the tables with the rows alone, and no table whose name begins with 'shardedid_'");
            }
        }
    }

    private DatabaseMetaData database() throws SQLException {
        return this.session.connection().getMetaData();
    }

    private LeaseReply.Rows rows() throws SQLException {
        return (LeaseReply.Rows) this.session.execute(new LeaseStatement.ReadAll());
    }

    private void checkRows(LeaseReply.Rows rows) throws SQLException {
        Set<Integer> workers = new HashSet<>();
        for (LeaseRow row : rows.rows()) {
            if (!workers.add(row.worker())) {
                throw refusal(
                        "it holds worker id %s of namespace '%s' twice, so two processes may lease it at once"
                            .formatted(row.worker(), this.session.namespace()),
                        ("stop all processes that lease from it, delete all rows of this worker id but the one with the "
                                + "largest hwm_tick, and let the table have PRIMARY KEY (namespace, worker_id)"));
            }
        }
        if (this.dialect == LeaseDialect.POSTGRESQL && rows.rows().stream().anyMatch(LeaseRow::sharesWorkerIds)) {
            checkReplication();
        }
    }

    private ShardedIdConfigurationException refusal(String reason, String remedy) throws SQLException {
        return new ShardedIdConfigurationException("Could not use the lease table: table=%s, database=%s %s (%s)"
            .formatted(this.name, database().getDatabaseProductName(), database().getDatabaseProductVersion(), reason),
                remedy);
    }

}
