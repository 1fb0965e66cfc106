package io.shardedid.move;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.shardedid.shards.ShardFence;
import org.jspecify.annotations.Nullable;

/**
 * The tables of the account that have a fence, in a database, and what keeps them from
 * being moved. A table that could hold sharded ids has a fence, or says that it stays, or
 * is a problem. What the catalogue does not say is tried: the fence in a transaction that
 * closes the shard and is rolled back, and the rest by the copy itself. What an
 * application has named is shown, and never a part of a command.
 *
 * @param problems takes what keeps the tables from being moved
 * @param tables the tables, parents before children
 */
record MovedTables(Session session, Set<String> problems, List<MovedTables.Table> tables, List<MovedTables.Key> keys) {

    /** A comment on a table that has no fence: its rows stay. */
    static final String STAYS = "shardedid: stays";

    /** A comment on a trigger: it fires for rows that are copied and deleted, too. */
    static final String MAY_FIRE = "shardedid: may fire";

    private static final String FENCE = "zz\\_shardedid\\_fence\\_%";

    /** Tables of the account with triggers of a fence that asks these homes. */
    private static final String FENCED = """
            SELECT c.oid, n.nspname, c.relname, CASE WHEN c.relpersistence = 'p' THEN c.relkind END, a.copied, a.columns,
                   (array_agg(encode(t.tgargs, 'hex') ORDER BY t.tgname))[1], count(DISTINCT t.tgargs),
                   string_agg(DISTINCT substr(t.tgname, 20), ','),
                   bool_and(t.tgenabled = 'O') AND NOT EXISTS (
                     SELECT FROM pg_trigger p WHERE p.tgname LIKE ? AND p.tgparentid <> 0 AND p.tgenabled <> 'O'
                        AND p.tgrelid IN (SELECT relid FROM pg_partition_tree(c.oid)))
              FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
              JOIN pg_depend d ON d.classid = 'pg_trigger'::regclass AND d.objid = t.oid AND d.refclassid = 'pg_proc'::regclass
              JOIN pg_proc f ON f.oid = d.refobjid AND f.proname = 'shardedid_outside'
              CROSS JOIN LATERAL (
                SELECT string_agg(q, ', ' ORDER BY attnum) FILTER (WHERE attgenerated = '') AS copied, string_agg(q, ', ' ORDER BY attnum) AS columns
                  FROM pg_attribute, format('"%s"', replace(attname, '"', '""')) q WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) a
             WHERE t.tgname LIKE ? AND NOT t.tgisinternal AND t.tgparentid = 0 AND pg_has_role(c.relowner, 'USAGE')
               AND f.pronamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('shardedid_home'))
             GROUP BY c.oid, n.nspname, c.relname, c.relkind, c.relpersistence, a.copied, a.columns ORDER BY 2, 3""";

    /** Columns of other tables of the account that could hold sharded ids. */
    private static final String UNFENCED = """
            WITH RECURSIVE base (type, oid, typmod) AS (
              SELECT oid, oid, -1 FROM pg_type
              UNION SELECT b.type, CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.typelem END,
                           CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE -1 END
                FROM base b JOIN pg_type t ON t.oid = b.oid WHERE t.typtype = 'd' OR t.typcategory = 'A' AND t.typelem <> 0)
            SELECT n.nspname || '.' || c.relname, string_agg(DISTINCT a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ')
              FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
              JOIN base b ON b.type = a.atttypid JOIN pg_type t ON t.oid = b.oid
              CROSS JOIN LATERAL (SELECT CASE WHEN a.atttypmod >= 0 THEN a.atttypmod ELSE b.typmod END AS typmod) m
             WHERE c.relkind IN ('r', 'p', 'f') AND NOT c.relispartition AND c.relpersistence <> 't' AND pg_has_role(c.relowner, 'USAGE')
               AND c.relname NOT LIKE 'shardedid\\_%' AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
               AND c.oid <> ALL (?::oid[]) AND coalesce(obj_description(c.oid, 'pg_class'), '') NOT LIKE ?
               AND c.oid <> coalesce(to_regclass(?)::oid, 0)
               AND (t.typname IN ('int8', 'uuid')
                 OR t.typname = 'numeric' AND (m.typmod < 0 OR ((m.typmod - 4) >> 16) - ((m.typmod - 4) & 65535) >= 16)
                 OR t.typname IN ('text', 'varchar', 'bpchar', 'citext', 'bytea') AND (m.typmod < 0 OR m.typmod - 4 >= 8)
                   AND EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND a.attnum = ANY (i.indkey)))
             GROUP BY 1 ORDER BY 1""";

    /** What fires, or does something else, when rows are copied and deleted. */
    private static final String NOISE = """
            WITH moved AS (SELECT unnest(?::oid[]) AS oid)
            SELECT oid::regclass, string_agg(what, ', ' ORDER BY what) FROM (
              SELECT m.oid, 'trigger ' || t.tgname || ' on ' || t.tgrelid::regclass AS what
                FROM moved m CROSS JOIN LATERAL (SELECT m.oid AS relid UNION SELECT relid FROM pg_partition_tree(m.oid)) r
                JOIN pg_trigger t ON t.tgrelid = r.relid
               WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND t.tgname NOT LIKE ? AND t.tgenabled IN ('O', 'A') AND t.tgtype & 12 <> 0
                 AND coalesce(obj_description(t.oid, 'pg_trigger'), '') NOT LIKE ?
              UNION SELECT m.oid, 'rule ' || rulename FROM moved m JOIN pg_rewrite ON ev_class = m.oid AND ev_type = '4' AND ev_enabled IN ('O', 'A')
              UNION SELECT m.oid, 'row-level security' FROM moved m WHERE row_security_active(m.oid)
              UNION SELECT m.oid, 'subscription ' || s.subname FROM moved m JOIN pg_subscription_rel l ON l.srrelid = m.oid
                      JOIN pg_subscription s ON s.oid = l.srsubid
              UNION SELECT m.oid, 'large objects in column ' || attname FROM moved m JOIN pg_attribute ON attrelid = m.oid AND attnum > 0
                      JOIN pg_type t ON t.oid = atttypid WHERE NOT attisdropped AND 'oid'::regtype IN (atttypid, typbasetype, typelem)) n
             GROUP BY oid""";

    /**
     * The keys to tables that move, from any table; a partition has that of its parent.
     */
    private static final String KEYS = """
            SELECT k.conname, k.conrelid, k.confrelid, CASE WHEN c.relkind <> 'p' THEN 'ONLY ' ELSE '' END || k.conrelid::regclass,
                   (SELECT string_agg(format('p.%I OPERATOR(%s.%s) c.%I', pa.attname, o.oprnamespace::regnamespace, o.oprname, ca.attname), ' AND ')
                      FROM unnest(k.conkey, k.confkey, k.conpfeqop) AS u (child, parent, equal)
                      JOIN pg_operator o ON o.oid = u.equal
                      JOIN pg_attribute ca ON ca.attrelid = k.conrelid AND ca.attnum = u.child
                      JOIN pg_attribute pa ON pa.attrelid = k.confrelid AND pa.attnum = u.parent),
                   EXISTS (SELECT FROM pg_index i WHERE i.indrelid = k.conrelid AND i.indisvalid AND i.indpred IS NULL
                      AND (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey), pg_has_role(c.relowner, 'USAGE')
              FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
             WHERE k.contype = 'f' AND k.conparentid = 0 AND k.confrelid = ANY (?::oid[]) ORDER BY 4, 1""";

    /** Reads the catalogue. The lease table is none of the application. */
    static MovedTables of(Session session, String leases, Set<String> problems) throws SQLException {
        MovedTables found = new MovedTables(session, problems, new ArrayList<>(), new ArrayList<>());
        List<List<@Nullable String>> fenced = session.rows(FENCED, FENCE, FENCE);
        fenced.forEach(found::add);
        session.rows(UNFENCED, oids(fenced), "%" + STAYS + "%", leases)
            .forEach((row) -> found.problem(
                    "table %s has no fence, and columns that could hold ids with a shard: %s; fence it by 'shardedid_fence', or let a comment on it say '%s'",
                    row.get(0), row.get(1), STAYS));
        session.rows(NOISE, oids(fenced), FENCE, "%" + MAY_FIRE + "%")
            .forEach((row) -> found.problem(
                    "table %s has what would act on copied and deleted rows: %s; drop or disable it, or let a comment on a trigger say '%s'",
                    row.get(0), row.get(1), MAY_FIRE));
        found.readKeys();
        found.sort();
        return found;
    }

    private static String oids(List<List<@Nullable String>> rows) {
        return "{%s}".formatted(String.join(",", rows.stream().map((row) -> String.valueOf(row.get(0))).toList()));
    }

    private void problem(String what, @Nullable Object... values) {
        this.problems
            .add(MoveException.line("Database %s: %s".formatted(this.session.database(), what.formatted(values))));
    }

    private void add(List<@Nullable String> row) {
        String name = row.get(1) + "." + row.get(2);
        String[] arguments = new String(HexFormat.of().parseHex(row.get(6)), StandardCharsets.UTF_8).split("\0");
        String id = MoveDatabases.quoted(arguments[0]);
        if (!List.of("r", "p").contains(String.valueOf(row.get(3)))) {
            problem("table %s is foreign, temporary or not logged; a move takes ordinary tables", name);
        }
        else if (!List.of("1", "delete,insert,update", "t").equals(row.subList(7, 10))
                || !(", " + row.get(5) + ", ").contains(", " + id + ", ")) {
            problem("the fence of table %s is not whole: column=%s, triggers=%s, all enabled=%s; run 'shardedid_fence' for it again, with its column, and enable the triggers of its partitions",
                    name, id, row.get(8), "t".equals(row.get(9)));
        }
        else {
            this.tables.add(new Table(String.valueOf(row.get(0)),
                    MoveDatabases.quoted(row.get(1)) + "." + MoveDatabases.quoted(row.get(2)),
                    "p".equals(row.get(3)) ? "" : "ONLY ", id, Integer.parseInt(arguments[1]),
                    Long.parseLong(arguments[2]), String.valueOf(row.get(4)), String.valueOf(row.get(5))));
        }
    }

    private void readKeys() throws SQLException {
        Map<String, Table> byOid = new HashMap<>();
        this.tables.forEach((table) -> byOid.put(table.oid(), table));
        for (List<@Nullable String> row : this.session.rows(KEYS, "{%s}".formatted(String.join(",", byOid.keySet())))) {
            this.keys.add(new Key(String.valueOf(row.get(0)), byOid.get(row.get(1)),
                    Objects.requireNonNull(byOid.get(row.get(2))), String.valueOf(row.get(3)),
                    String.valueOf(row.get(4)), "t".equals(row.get(5))));
            if (!"t".equals(row.get(6))) {
                problem("table %s of another account refers to rows that move by key %s; drop the key, or give the table to the account of the application",
                        row.get(3), row.get(0));
            }
        }
    }

    /**
     * What has to be the same in both databases; the copy finds out what else differs.
     */
    List<String> fences() {
        return this.tables.stream().map((table) -> table.sql() + " by " + table.shard("")).sorted().toList();
    }

    /**
     * Parents before children. In a circle the order does not matter: its keys are
     * deferred, or fail.
     */
    private void sort() {
        List<Table> left = new ArrayList<>(this.tables);
        this.tables.clear();
        while (!left.isEmpty()) {
            Table next = left.stream()
                .filter((table) -> this.keys.stream()
                    .noneMatch(
                            (key) -> table.equals(key.child) && !table.equals(key.parent) && left.contains(key.parent)))
                .findFirst()
                .orElse(left.get(0));
            left.remove(next);
            this.tables.add(next);
        }
    }

    /**
     * Names the keys by which rows that stay refer to rows of a shard. Each is asked by
     * its index or by one look at each row, whatever the statistics of the tables say.
     * Inside of a transaction.
     */
    List<String> referring(int shard) throws SQLException {
        List<String> found = new ArrayList<>();
        for (Key key : this.keys) {
            this.session.execute(
                    "SELECT set_config('enable_nestloop', ?, true), set_config('enable_hashjoin', ?, true), set_config('enable_mergejoin', 'off', true)",
                    key.indexed ? "on" : "off", key.indexed ? "off" : "on");
            String stays = (key.child == null) ? "true" : "%s <> %s".formatted(key.child.shard("c."), shard);
            if (this.session
                .text("""
                        WITH p AS MATERIALIZED (SELECT * FROM %s)
                        SELECT EXISTS (SELECT FROM p JOIN %s c ON %s WHERE %s)""".formatted(key.parent.of(shard),
                        key.sql, key.equal, stays))
                .equals("t")) {
                found.add(MoveException.line(
                        "Database %s: rows of table %s that do not move refer to rows of shard %s by key %s; change them first"
                            .formatted(this.session.database(), key.sql.replace("ONLY ", ""), shard, key.name)));
            }
        }
        this.session.execute("RESET enable_nestloop; RESET enable_hashjoin; RESET enable_mergejoin");
        return found;
    }

    /**
     * Counts the rows of a shard, and sums both halves of their hashes, for each table
     * that has some.
     * @param copied such digests of an earlier time, whose columns count; a table that is
     * not among them counts with all its columns
     */
    List<String> digests(int shard, Session session, String copied) throws SQLException {
        List<String> digests = new ArrayList<>();
        for (Table table : this.tables) {
            String columns = copied.lines()
                .filter((line) -> line.startsWith(table.sql + " ("))
                .map((line) -> line.substring(table.sql.length() + 2, line.lastIndexOf(") = ")))
                .findFirst()
                .orElse(table.all);
            String digest = session.text("""
                    SELECT concat_ws(' ', count(*), coalesce(sum(h >> 32), 0), coalesce(sum(h & 4294967295), 0))
                      FROM (SELECT hashtextextended(ROW(%s)::text COLLATE "C", 0) AS h FROM %s) r""".formatted(columns,
                    table.of(shard)));
            if (!digest.startsWith("0 ")) {
                digests.add("%s (%s) = %s".formatted(table.sql, columns, digest));
            }
        }
        digests.sort(null);
        return digests;
    }

    /** Deletes the rows of a shard that this transaction has entered, children first. */
    long delete(int shard) throws SQLException {
        long rows = 0;
        this.session.execute("SET CONSTRAINTS ALL DEFERRED");
        for (int at = this.tables.size() - 1; at >= 0; at--) {
            rows += this.session.update("DELETE FROM " + this.tables.get(at).of(shard));
        }
        return rows;
    }

    /** Tries to write a row of each table where the shard is closed; nothing is kept. */
    void tryFence(int shard) {
        for (Table table : this.tables) {
            // a row that nobody has locked
            String row = "WHERE %2$s = (SELECT %2$s FROM %3$s LIMIT 1 FOR UPDATE SKIP LOCKED)";
            for (String write : List.of("INSERT INTO %1$s (%4$s) OVERRIDING SYSTEM VALUE SELECT %4$s FROM %3$s LIMIT 1",
                    "UPDATE %1$s SET %2$s = %2$s " + row, "DELETE FROM %1$s " + row)) {
                String state;
                try {
                    state = this.session.transaction(false, () -> {
                        this.session.execute("UPDATE shardedid_home SET state = 'moved' WHERE shard = ?", shard);
                        return (this.session
                            .update(write.formatted(table.sql, table.id, table.of(shard), table.copied)) == 0)
                                    ? ShardFence.MOVED : "none";
                    });
                }
                catch (SQLException ex) {
                    state = String.valueOf(ex.getSQLState());
                }
                if (!state.equals(ShardFence.MOVED)) {
                    problem("the fence of table %s does not stop a write of a closed shard, or something else does: %s, SQLState=%s; run 'shardedid_fence' for it again",
                            table.sql(), write.substring(0, 6), state);
                }
            }
        }
    }

    /**
     * A table around which the fence stands, as its triggers say. All names are quoted.
     *
     * @param only {@code ONLY} before its name leaves tables out that inherit from it;
     * empty if its rows are in partitions
     * @param copied the columns that are copied
     * @param all these, and those that are computed from others
     */
    record Table(String oid, String sql, String only, String id, int shift, long mask, String copied, String all) {

        /** The shard of a row with an alias. */
        String shard(String alias) {
            return "((%s%s >> %s) & %s)".formatted(alias, this.id, this.shift, this.mask);
        }

        /** Its rows of a shard. */
        String of(int shard) {
            return "%s%s WHERE %s = %s".formatted(this.only, this.sql, shard(""), shard);
        }

    }

    /**
     * A foreign key to a table that moves.
     *
     * @param child the table that refers; null if it does not move
     * @param sql the child as SQL names it
     * @param equal what joins both
     * @param indexed whether an index finds the rows of the child
     */
    record Key(String name, @Nullable Table child, Table parent, String sql, String equal, boolean indexed) {
    }

}
