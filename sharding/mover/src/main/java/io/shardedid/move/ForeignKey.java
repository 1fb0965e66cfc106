package io.shardedid.move;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A foreign key of a database, at least one of whose tables moves.
 *
 * @param name its name
 * @param child the table that refers, as SQL names it
 * @param parent the table that it refers to, as SQL names it
 * @param from the child; null if it has no fence
 * @param to the parent; null if it has no fence
 * @param equal the condition that joins both
 * @param columns the columns of the child
 * @param indexed whether an index finds the rows of the child
 */
record ForeignKey(String name, String child, String parent, @Nullable FencedTable from, @Nullable FencedTable to,
        String equal, String columns, boolean indexed) {

    private static final int MOST = 10_000;

    private static final String KEYS = """
            SELECT k.conname, format('%I.%I', cn.nspname, c.relname), format('%I.%I', pn.nspname, p.relname), k.conrelid, k.confrelid,
                   (SELECT string_agg(format('parent.%I OPERATOR(%s.%s) child.%I', pa.attname, o.oprnamespace::regnamespace, o.oprname, ca.attname), ' AND ')
                      FROM unnest(k.conkey, k.confkey, k.conpfeqop) AS u(child, parent, equal)
                      JOIN pg_operator o ON o.oid = u.equal
                      JOIN pg_attribute ca ON ca.attrelid = k.conrelid AND ca.attnum = u.child
                      JOIN pg_attribute pa ON pa.attrelid = k.confrelid AND pa.attnum = u.parent),
                   (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY u.at) FROM unnest(k.conkey) WITH ORDINALITY AS u(attnum, at)
                      JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.attnum),
                   EXISTS (SELECT FROM pg_index i WHERE i.indrelid = k.conrelid AND i.indisvalid AND i.indpred IS NULL
                      AND (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey)
              FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace cn ON cn.oid = c.relnamespace
              JOIN pg_class p ON p.oid = k.confrelid JOIN pg_namespace pn ON pn.oid = p.relnamespace
             WHERE k.contype = 'f' AND k.conparentid = 0
             ORDER BY 2, 1""";

    /** The keys from and to tables that move. Only the catalogue is asked. */
    static List<ForeignKey> of(Session session, List<FencedTable> tables) throws SQLException {
        List<ForeignKey> keys = new ArrayList<>();
        for (List<@Nullable String> row : session.rows(KEYS)) {
            FencedTable from = find(tables, row.get(3));
            FencedTable to = find(tables, row.get(4));
            if (from != null || to != null) {
                keys.add(new ForeignKey(String.valueOf(row.get(0)), String.valueOf(row.get(1)),
                        String.valueOf(row.get(2)), from, to, String.valueOf(row.get(5)), String.valueOf(row.get(6)),
                        "t".equals(row.get(7))));
            }
        }
        return keys;
    }

    private static @Nullable FencedTable find(List<FencedTable> tables, @Nullable String oid) {
        return tables.stream().filter((table) -> String.valueOf(table.oid()).equals(oid)).findFirst().orElse(null);
    }

    /**
     * Returns ids of the child's rows by which the key leads out of the shards, or into
     * them; none unless both tables move.
     * @param table the table whose rows are looked at; null for those of both
     * @param rows a condition for these rows beside their shard, with their alias as %s
     */
    List<String> leaving(Session session, ShardRanges shards, @Nullable FencedTable table, String rows)
            throws SQLException {
        List<String> leaving = new ArrayList<>();
        if (this.from != null && this.to != null) {
            String inside = this.from.filter("child.", shards);
            String referred = this.to.filter("parent.", shards);
            String query = "SELECT child.%s FROM %s child JOIN %s parent ON %s WHERE "
                .formatted(FencedTable.quoted(this.from.id()), this.from.only(), this.to.only(), this.equal);
            String which = "%s%s AND NOT (%s) LIMIT " + MOST;
            if (table == null || table.oid() == this.from.oid()) {
                leaving.addAll(session.texts(query + which.formatted(inside, rows.formatted("child"), referred)));
            }
            if (table == null || table.oid() == this.to.oid()) {
                leaving.addAll(session.texts(query + which.formatted(referred, rows.formatted("parent"), inside)));
            }
        }
        return leaving;
    }

}
