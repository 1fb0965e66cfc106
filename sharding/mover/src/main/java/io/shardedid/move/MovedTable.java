package io.shardedid.move;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A table around which the fence stands, as its triggers say.
 *
 * @param oid its number in its database
 * @param schema its schema
 * @param name its name
 * @param partitioned whether its rows are in partitions
 * @param id the column of the id
 * @param shift the bits below the shard
 * @param mask the mask of the shard
 * @param columns the columns in their order
 */
record MovedTable(String oid, String schema, String name, boolean partitioned, String id, int shift, long mask,
        List<Column> columns) {

    static String quoted(String name) {
        return "\"%s\"".formatted(name.replace("\"", "\"\""));
    }

    /** The name, quoted. */
    String sql() {
        return quoted(this.schema) + "." + quoted(this.name);
    }

    /** Its own rows, without those of tables that inherit from it. */
    String rows() {
        return (this.partitioned ? "" : "ONLY ") + sql();
    }

    /** As messages name it. */
    String shown() {
        return MoveException.line(this.schema + "." + this.name);
    }

    /** The shard of a row with an alias. */
    String shard(String alias) {
        return "((%s%s >> %s) & %s)".formatted(alias.isEmpty() ? "" : alias + ".", quoted(this.id), this.shift,
                this.mask);
    }

    /** Whether a row with an alias belongs to a shard. */
    String in(String alias, int shard) {
        return "%s = %s".formatted(shard(alias), shard);
    }

    /** What has to be the same in another database. */
    private String fence() {
        return "%s by (%s >> %s) & %s".formatted(shown(), this.id, this.shift, this.mask);
    }

    /** Refuses fenced tables that differ; the copy finds out what else does. */
    static void requireSame(List<MovedTable> source, List<MovedTable> target) {
        Set<String> here = source.stream().map(MovedTable::fence).collect(Collectors.toCollection(TreeSet::new));
        Set<String> there = target.stream().map(MovedTable::fence).collect(Collectors.toCollection(TreeSet::new));
        if (!here.equals(there)) {
            throw MoveException
                .refused("Fenced tables must be the same in both: source=%s, target=%s; run the migrations in both"
                    .formatted(here, there));
        }
    }

    /** The columns that are copied. */
    String copied() {
        return columns((column) -> !column.generated());
    }

    /** All columns. */
    String all() {
        return columns((column) -> true);
    }

    private String columns(Predicate<Column> which) {
        return this.columns.stream()
            .filter(which)
            .map((column) -> quoted(column.name()))
            .collect(Collectors.joining(", "));
    }

    /**
     * Counts the rows of a shard, and sums both halves of their hashes, for each table
     * that has some.
     * @param copied such digests of an earlier time, whose columns count; a table that is
     * not among them counts with all its columns
     */
    static List<String> digests(int shard, Session session, List<MovedTable> tables, String copied)
            throws SQLException {
        List<String> digests = new ArrayList<>();
        for (MovedTable table : tables) {
            String columns = copied.lines()
                .filter((line) -> line.startsWith(table.sql() + " ("))
                .map((line) -> line.substring(table.sql().length() + 2, line.lastIndexOf(") = ")))
                .findFirst()
                .orElse(table.all());
            String digest = session.text("""
                    SELECT concat_ws(' ', count(*), coalesce(sum(h >> 32), 0), coalesce(sum(h & 4294967295), 0))
                      FROM (SELECT hashtextextended(ROW(%s)::text COLLATE "C", 0) AS h FROM %s WHERE %s) r"""
                .formatted(columns, table.rows(), table.in("", shard)));
            if (!digest.startsWith("0 ")) {
                digests.add("%s (%s) = %s".formatted(table.sql(), columns, digest));
            }
        }
        digests.sort(null);
        return digests;
    }

    /**
     * A column.
     *
     * @param name its name
     * @param generated whether it is computed from others
     * @param sequence the sequence that it owns, as SQL names it; empty if there is none
     */
    record Column(String name, boolean generated, String sequence) {
    }

}
