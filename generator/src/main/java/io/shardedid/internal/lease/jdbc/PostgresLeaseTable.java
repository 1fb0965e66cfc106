package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import org.jspecify.annotations.Nullable;

/**
 * A lease table as the catalogue of PostgreSQL shows it, found by the search path as its
 * statements find it: the relation of that name, what it selects from if it is a view,
 * and the partitions.
 */
final class PostgresLeaseTable {

    static final String OTHER_TABLE = "let 'shardedid.worker.lease.table' name a table that the script has made, or a "
            + "view that selects all rows and columns of one";

    private static final String TABLE = "r";

    private static final String PARTITIONED = "p";

    private static final String VIEW = "v";

    private static final String FOREIGN = "f";

    private static final String PERMANENT = "p";

    private static final String UNLOGGED = "u";

    private static final String PROBE = "probe";

    /** An index of the key and nothing else. */
    private static final String OF_THE_KEY = """
            i.indrelid = c.oid AND i.indisunique AND NOT EXISTS (
              SELECT 1 FROM pg_catalog.generate_series(0, i.indnkeyatts - 1) k
                LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k]
               WHERE a.attname IS NULL OR a.attname NOT IN ('namespace', 'worker_id'))""";

    private static final String QUERY = """
            WITH RECURSIVE place(oid, depth, part) AS (
              SELECT pg_catalog.to_regclass(?)::pg_catalog.oid, 0, false
              UNION
              SELECT next.oid, place.depth + 1, next.part FROM place, LATERAL (
                SELECT d.refobjid AS oid, false AS part
                  FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_depend d
                    ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = r.oid
                 WHERE r.ev_class = place.oid AND r.rulename = '_RETURN'
                   AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid <> place.oid
                UNION ALL
                SELECT h.inhrelid, true FROM pg_catalog.pg_inherits h WHERE h.inhparent = place.oid) next)
            SELECT place.part, pg_catalog.concat(n.nspname, '.', c.relname), c.relkind, c.relpersistence,
                   c.relispartition, c.relrowsecurity, pg_catalog.pg_relation_is_updatable(c.oid, false) & 12,
                   (SELECT pg_catalog.min(r.rulename::text) FROM pg_catalog.pg_rewrite r
                     WHERE r.ev_class = c.oid AND r.rulename <> '_RETURN' AND r.ev_enabled <> 'D'),
                   (SELECT pg_catalog.min(t.tgname::text) FROM pg_catalog.pg_trigger t
                     WHERE t.tgrelid = c.oid AND t.tgtype & 64 <> 0 AND t.tgenabled <> 'D'),
                   EXISTS (SELECT 1 FROM pg_catalog.pg_index i WHERE OF_THE_KEY
                     AND i.indisvalid AND i.indisready AND i.indimmediate AND i.indpred IS NULL),
                   (SELECT pg_catalog.min(pg_catalog.concat('its index ''', x.relname, ''' ',
                           CASE WHEN NOT (i.indisvalid AND i.indisready) THEN 'is not valid'
                                WHEN NOT i.indimmediate THEN 'is deferrable'
                                ELSE 'has a condition' END))
                      FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid WHERE OF_THE_KEY)
              FROM place JOIN pg_catalog.pg_class c ON c.oid = place.oid
              JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace ORDER BY place.depth, 2
            """.replace("OF_THE_KEY", OF_THE_KEY);

    /**
     * Homes and map of the shards as well, where they are in this database. The marks of
     * a move are replicated by the move itself.
     */
    private static final String REPLICATED = """
            WITH kept(oid, name) AS (
              SELECT c.oid, pg_catalog.concat(n.nspname, '.', c.relname)
                FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
               WHERE c.relname IN ('shardedid_home', 'shardedid_shard', 'shardedid_router')
                  OR pg_catalog.concat(n.nspname, '.', c.relname) = ?)
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

    private final LeaseTableCheck check;

    /** The relation that statements name, first. */
    private final List<Relation> relations;

    private PostgresLeaseTable(LeaseSession session, LeaseTableCheck check, List<Relation> relations) {
        this.session = session;
        this.check = check;
        this.relations = relations;
    }

    /**
     * Asks the catalogue.
     * @throws SQLException also if a server that calls itself PostgreSQL has no such
     * catalogue
     */
    static PostgresLeaseTable read(LeaseSession session, LeaseTableCheck check) throws SQLException {
        List<Relation> relations = new ArrayList<>();
        try (ResultSet found = session.bound(QUERY, session.sql().table()).executeQuery()) {
            while (found.next()) {
                relations.add(new Relation(found.getBoolean(1), found.getString(2), found.getString(3),
                        found.getString(4), found.getBoolean(5), found.getBoolean(6), found.getInt(7) == 12,
                        found.getString(8), found.getString(9), found.getBoolean(10), found.getString(11)));
            }
        }
        return new PostgresLeaseTable(session, check, List.copyOf(relations));
    }

    /** Each write goes into one permanent table, and nothing writes in its place. */
    void checkKind() throws SQLException {
        for (Relation each : this.relations) {
            if (each.kind().equals(FOREIGN)) {
                throw this.check
                    .refusal(
                            "'%s' is a foreign table, and this server cannot make another one keep its writes"
                                .formatted(each.name()),
                            "let 'shardedid.worker.lease.url' lead to the server that has the rows");
            }
            if (each.persistence().equals(UNLOGGED)) {
                throw this.check.refusal("'%s' is UNLOGGED: the server empties it after a crash".formatted(each.name()),
                        "run ALTER TABLE %s SET LOGGED".formatted(each.name()));
            }
            boolean table = each.kind().equals(TABLE) || each.kind().equals(PARTITIONED);
            if (!each.persistence().equals(PERMANENT) || !table && (!each.kind().equals(VIEW) || each.part())) {
                throw this.check.refusal("'%s' is no permanent table: relkind=%s, relpersistence=%s"
                    .formatted(each.name(), each.kind(), each.persistence()), OTHER_TABLE);
            }
            if (each.part() && !each.partition()) {
                throw this.check.refusal(
                        "'%s' inherits from it, and a key does not cover the rows of both".formatted(each.name()),
                        "run ALTER TABLE %s NO INHERIT its parent".formatted(each.name()));
            }
            if (each.part()) {
                continue;
            }
            String instead = (each.rule() != null) ? "rule '%s'".formatted(each.rule())
                    : (each.trigger() != null) ? "INSTEAD OF trigger '%s'".formatted(each.trigger()) : null;
            if (instead != null) {
                throw this.check
                    .refusal("%s of '%s' writes in its place, so two processes may both hear that they wrote a row"
                        .formatted(instead, each.name()), "drop it, or " + OTHER_TABLE);
            }
            if (!each.updatable()) {
                throw this.check.refusal("'%s' is a view that PostgreSQL cannot update".formatted(each.name()),
                        OTHER_TABLE);
            }
        }
        List<Relation> tables = tables();
        if (tables.size() > 1) {
            throw this.check.refusal("'%s' is a view of more than one table: %s".formatted(this.relations.get(0).name(),
                    tables.stream().map(Relation::name).toList()), OTHER_TABLE);
        }
    }

    /** Rows of another region would come in place of those of this one. */
    void checkReplication() throws SQLException {
        for (Relation each : this.relations) {
            try (ResultSet found = this.session.bound(REPLICATED, each.name()).executeQuery()) {
                if (found.next()) {
                    throw this.check.refusal(
                            found.getString(1) + ", and worker ids are shared with another lease table",
                            "replicate the tables with the rows alone, and no table whose name begins with 'shardedid_'");
                }
            }
        }
    }

    void checkKey() throws SQLException {
        for (Relation table : tables()) {
            if (!table.key()) {
                throw this.check.keyless(
                        "it has no primary key" + ((table.unfitKey() != null) ? ", and " + table.unfitKey() : ""),
                        table.name(), "PRIMARY KEY");
            }
        }
    }

    private List<Relation> tables() {
        return this.relations.stream().filter((each) -> !each.part() && !each.kind().equals(VIEW)).toList();
    }

    /**
     * Writes and reads rows where something may hide them or keep them from being
     * written, and takes that back: the layout row, and one of a worker id.
     */
    void checkWrites() throws SQLException {
        Relation secured = this.relations.stream().filter(Relation::rowSecurity).findFirst().orElse(null);
        Relation view = this.relations.stream().filter((each) -> each.kind().equals(VIEW)).findFirst().orElse(null);
        if (secured == null && view == null) {
            return;
        }
        Connection connection = this.session.connection();
        connection.setAutoCommit(false);
        String failure;
        try {
            failure = failureOfWrites(LeaseRow.LAYOUT);
            if (failure == null) {
                failure = failureOfWrites(0);
            }
        }
        catch (SQLException ex) {
            if (DriverFailure.isTransient(ex)) {
                throw ex;
            }
            failure = LeaseTableSetup.oneLine(ex);
        }
        finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        if (failure != null) {
            throw (secured != null)
                    ? refusal("row level security of '%s'".formatted(secured.name()), failure,
                            "run CREATE POLICY shardedid ON %s TO %s USING (true) WITH CHECK (true)"
                                .formatted(secured.name(), LeaseTableSetup.grantee(this.session)))
                    : refusal("view '%s'".formatted((view != null) ? view.name() : ""), failure, OTHER_TABLE);
        }
    }

    private ShardedIdConfigurationException refusal(String by, String failure, String remedy) throws SQLException {
        return this.check.refusal("%s stands between this account and the rows: %s".formatted(by, failure), remedy);
    }

    /** Returns what is wrong, or null if the row can be read and written. */
    private @Nullable String failureOfWrites(int worker) throws SQLException {
        if (!visible(worker)) {
            this.session.prepared(new LeaseStatement.Insert(new LeaseRow(worker, PROBE, 0, 0, 0, null, PROBE), null))
                .executeUpdate();
        }
        if (!visible(worker)) {
            return "it does not show the row of worker id " + worker;
        }
        int written = this.session.bound(this.session.sql().touch(), this.session.namespace(), worker).executeUpdate();
        return (written == 1) ? null : "it lets no update change the row of worker id " + worker;
    }

    private boolean visible(int worker) throws SQLException {
        return ((LeaseReply.Rows) this.session.executeOnce(new LeaseStatement.ReadOne(worker))).row(worker).isPresent();
    }

    /**
     * A relation.
     *
     * @param part whether it was found as a child of a table
     * @param name its schema and name
     * @param kind pg_class.relkind
     * @param persistence pg_class.relpersistence
     * @param partition whether it is a partition
     * @param rowSecurity whether it has row level security
     * @param updatable whether PostgreSQL itself can insert into it and update it
     * @param rule a rule that writes, or null
     * @param trigger a trigger that writes in place of a view, or null
     * @param key whether a key of namespace and worker id holds for all rows
     * @param unfitKey what keeps an index of that key from being one, or null
     */
    private record Relation(boolean part, String name, String kind, String persistence, boolean partition,
            boolean rowSecurity, boolean updatable, @Nullable String rule, @Nullable String trigger, boolean key,
            @Nullable String unfitKey) {
    }

}
