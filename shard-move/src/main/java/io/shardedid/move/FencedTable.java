package io.shardedid.move;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

import io.shardedid.shards.ShardRange;

/**
 * A table around which the fence stands, as its triggers say.
 *
 * @param schema its schema
 * @param table its name
 * @param id the column of the id
 * @param shift the bits below the shard
 * @param mask the mask of the shard
 * @param columns the columns, each with its type
 */
record FencedTable(String schema, String table, String id, int shift, long mask, List<Column> columns) {

    private static final String FENCED = """
            SELECT n.nspname, c.relname, encode(t.tgargs, 'escape')
              FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE t.tgname = 'zz_shardedid_fence_insert' AND t.tgparentid = 0 ORDER BY 1, 2""";

    private static final String COLUMNS = """
            SELECT a.attname, format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attgenerated <> '' THEN ' generated' ELSE '' END
              FROM pg_attribute a WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum""";

    static List<FencedTable> of(Session session) throws SQLException {
        List<FencedTable> tables = new ArrayList<>();
        for (List<?> row : session.rows(FENCED)) {
            String[] arguments = String.valueOf(row.get(2)).split("\\\\000");
            FencedTable bare = new FencedTable(String.valueOf(row.get(0)), String.valueOf(row.get(1)), arguments[0],
                    Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]), List.of());
            tables.add(new FencedTable(bare.schema, bare.table, bare.id, bare.shift, bare.mask,
                    columns(session, bare.sql())));
        }
        return tables;
    }

    static List<Column> columns(Session session, String table) throws SQLException {
        return session.rows(COLUMNS, table)
            .stream()
            .map((row) -> new Column(Objects.requireNonNull(row.get(0)), Objects.requireNonNull(row.get(1))))
            .toList();
    }

    /** The name, quoted. */
    String sql() {
        return quoted(this.schema) + "." + quoted(this.table);
    }

    String name() {
        return this.schema + "." + this.table;
    }

    /** The shard of a row. Filters of publications take such functions only. */
    String shard(String row) {
        return "((%s%s >> %d) & %d)".formatted(row, quoted(this.id), this.shift, this.mask);
    }

    /** Whether a row belongs to one of the shards. */
    String filter(ShardRange shards) {
        return filter("", shards);
    }

    String filter(String row, ShardRange shards) {
        return (shards.size() == 1) ? "%s = %d".formatted(shard(row), shards.first())
                : "%1$s >= %2$d AND %1$s <= %3$d".formatted(shard(row), shards.first(), shards.last());
    }

    /** All columns of a row, in the same order in both databases. */
    String row() {
        return this.columns.stream()
            .map((column) -> quoted(column.name))
            .collect(Collectors.joining(", ", "ROW(", ")"));
    }

    /** Returns whether a database has rows of the shards in this table. */
    boolean hasRows(Session session, ShardRange shards) throws SQLException {
        return session.holds("SELECT EXISTS (SELECT FROM %s WHERE %s)".formatted(sql(), filter(shards)));
    }

    static String quoted(String name) {
        return "\"%s\"".formatted(name.replace("\"", "\"\""));
    }

    /**
     * A column.
     *
     * @param name its name
     * @param type its type
     */
    record Column(String name, String type) {

        @Override
        public String toString() {
            return this.name + " " + this.type;
        }

    }

}
