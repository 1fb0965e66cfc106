package io.shardedid.move;

import java.util.List;
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
record MovedTable(long oid, String schema, String name, boolean partitioned, String id, int shift, long mask,
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
    String shape() {
        return this.columns.stream()
            .map(Column::shape)
            .sorted()
            .collect(Collectors.joining(", ", "columns (",
                    ") with the shard in (%s >> %s) & %s".formatted(this.id, this.shift, this.mask)));
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
     * Counts the rows of a shard, and sums both halves of their hashes.
     * @param columns the columns that count, in their order
     */
    String digest(int shard, String columns) {
        return """
                SELECT concat_ws(' ', count(*), coalesce(sum(h >> 32), 0), coalesce(sum(h & 4294967295), 0))
                  FROM (SELECT hashtextextended(ROW(%s)::text COLLATE "C", 0) AS h FROM %s WHERE %s) r"""
            .formatted(columns, rows(), in("", shard));
    }

    /**
     * A column.
     *
     * @param name its name
     * @param type its type
     * @param generated whether it is computed from others
     * @param sequence the sequence that it owns, as SQL names it; empty if there is none
     */
    record Column(String name, String type, boolean generated, String sequence) {

        String shape() {
            return this.name + " " + this.type + (this.generated ? " generated" : "")
                    + (this.sequence.isEmpty() ? "" : " with a sequence");
        }

    }

}
