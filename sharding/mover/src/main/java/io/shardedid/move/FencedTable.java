package io.shardedid.move;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A table around which the fence stands, as its triggers say.
 *
 * @param oid its number in its database
 * @param schema its schema
 * @param table its name
 * @param id the column of the id
 * @param shift the bits below the shard
 * @param mask the mask of the shard
 * @param columns the columns, each with its type
 */
record FencedTable(long oid, String schema, String table, String id, int shift, long mask, List<Column> columns) {

    private static final String COLUMNS = """
            SELECT a.attname, format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attgenerated <> '' THEN ' generated' ELSE '' END
              FROM pg_attribute a WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum""";

    static List<Column> columns(Session session, String table) throws SQLException {
        return session.rows(COLUMNS, table)
            .stream()
            .map((row) -> new Column(Objects.requireNonNull(row.get(0)), Objects.requireNonNull(row.get(1))))
            .toList();
    }

    /**
     * Returns the first table that one list has and the other has not, or the other way
     * round.
     */
    static Optional<String> difference(String database, List<FencedTable> tables, String other,
            List<FencedTable> others) {
        Map<String, String> here = shapes(tables);
        Map<String, String> there = shapes(others);
        return Stream.concat(here.keySet().stream(), there.keySet().stream())
            .distinct()
            .sorted()
            .filter((name) -> !Objects.equals(here.get(name), there.get(name)))
            .map((name) -> "table=%s, %s=%s, %s=%s".formatted(name, database, here.getOrDefault(name, "none"), other,
                    there.getOrDefault(name, "none")))
            .findFirst();
    }

    private static Map<String, String> shapes(List<FencedTable> tables) {
        return tables.stream().collect(Collectors.toMap(FencedTable::name, FencedTable::shape));
    }

    /** What has to be the same in both databases. The order of the columns may differ. */
    private String shape() {
        return this.columns.stream()
            .map(Column::toString)
            .sorted()
            .collect(Collectors.joining(", ", "[", "] fenced by " + shard("")));
    }

    /** Returns whether the fence counts the shards of its rows alike. */
    boolean fencedLike(FencedTable other) {
        return name().equals(other.name()) && this.id.equals(other.id) && this.shift == other.shift
                && this.mask == other.mask;
    }

    /** The name, quoted. */
    String sql() {
        return quoted(this.schema) + "." + quoted(this.table);
    }

    /** The table without those that inherit from it, as a FROM clause takes it. */
    String only() {
        return "ONLY " + sql();
    }

    String name() {
        return this.schema + "." + this.table;
    }

    /** The shard of a row. Filters of publications take such functions only. */
    String shard(String row) {
        return "((%s%s >> %s) & %s)".formatted(row, quoted(this.id), this.shift, this.mask);
    }

    /** Whether a row belongs to one of the shards. */
    String filter(ShardRanges shards) {
        return filter("", shards);
    }

    String filter(String row, ShardRanges shards) {
        return shards.condition(shard(row));
    }

    /** All columns of a row, in the same order in both databases. */
    String row() {
        return this.columns.stream()
            .map((column) -> quoted(column.name))
            .collect(Collectors.joining(", ", "ROW(", ")"));
    }

    /** Returns whether a database has rows of shards that no move has brought there. */
    boolean hasUnexpectedRows(Session session, ShardRanges shards) throws SQLException {
        return session
            .holds("SELECT EXISTS (SELECT FROM %s WHERE %s AND %s IN (SELECT shard FROM %s WHERE state <> 'arriving'))"
                .formatted(only(), filter(shards), shard(""), session.own("shardedid_home")));
    }

    /**
     * Returns the row that catalogues have of this table, which another session may drop
     * or rename at any moment.
     */
    List<@Nullable String> facts(Session session, String sql, @Nullable Object... parameters) throws SQLException {
        List<List<@Nullable String>> rows = session.rows(sql, parameters);
        if (rows.isEmpty()) {
            throw MoveException.stopped(
                    "Table %s is not in database %s any more (it was dropped or renamed while the mover looked at it); let it be as it was, and run the command again"
                        .formatted(name(), session.database()));
        }
        return rows.get(0);
    }

    /** Returns how many rows of the shards a database has. */
    long rows(Session session, ShardRanges shards) throws SQLException {
        return session.number("SELECT count(*) FROM %s WHERE %s".formatted(only(), filter(shards)));
    }

    /** Returns how many rows of the shards a database has, and how large they are. */
    MovePlan.Table size(Session session, ShardRanges shards) throws SQLException {
        List<@Nullable String> row = session
            .rows("""
                    SELECT count(*), (pg_table_size(to_regclass(?)) * count(*) / greatest(1,
                           (SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = to_regclass(?)), count(*)))::bigint
                      FROM %s WHERE %s"""
                .formatted(only(), filter(shards)), sql(), sql())
            .get(0);
        return new MovePlan.Table(name(), Long.parseLong(row.get(0)), Long.parseLong(row.get(1)));
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
