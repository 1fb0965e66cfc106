package io.shardedid.move;

import java.math.BigInteger;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The digests of the rows that one database has of a table, in parts by ranges of ids. A
 * refresh hashes only the rows of parts that may have changed since they were hashed. Not
 * thread-safe.
 */
class TableDigest {

    /*
     * Why a part that looks unchanged is unchanged, whatever the isolation of its writers
     * is: A part was hashed by a snapshot, and its horizon is the oldest transaction that
     * was running at that snapshot or before it. PostgreSQL never changes a version of a
     * row in place: each insert and update makes a version with its own transaction as
     * xmin. A later snapshot sees n versions of the part, all of them with an xmin below
     * the horizon. Their transactions, and the subtransactions of these, had ended when
     * the part was hashed, and nothing that is visible now was deleted before. So all of
     * these versions were hashed, and if n rows were hashed, nothing else was. The proof
     * needs both: the number finds rows that are gone, xmin finds all others.
     *
     * The horizon is not pg_visible_in_snapshot(xmin), which is wrong for
     * subtransactions. Frozen rows keep their xmin. Transaction ids are compared by their
     * age, modulo 2^32, so a row that was frozen two billion transactions ago may look
     * new and is hashed once more; a horizon older than 2^30 transactions counts for
     * nothing. A table that was rewritten, or has other columns, is hashed anew.
     */

    /** As a number that is never used again. */
    static final String HORIZON = "pg_snapshot_xmin(pg_current_snapshot())::text::bigint";

    /** The transactions of all rows of a group. */
    private static final String TRANSACTIONS = "coalesce(string_agg(DISTINCT xmin::text, ',') FILTER (WHERE %s), '')";

    /** The file and the columns of a table, {@code c}. */
    private static final String SHAPE = "pg_relation_filenode(c.oid) || (SELECT string_agg(format(' %s %s %s %s', attnum, attname, atttypid, atttypmod), ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0)";

    private static final int LEAST_ROWS = 100;

    private static final int MOST_PARTS = 10_000;

    private static final int OLDEST_HORIZON = 1 << 30;

    private final Session session;

    private final FencedTable table;

    private final ShardRanges shards;

    private final List<Long> bounds;

    private final Map<Integer, Part> parts = new HashMap<>();

    /**
     * The transactions that have written the rows, above the horizon of the last look.
     */
    private final Set<Long> recent = new TreeSet<>();

    /** All transactions below it had ended at the last refresh, or before. */
    private long since;

    private String shape = "";

    private boolean hashed;

    TableDigest(Session session, FencedTable table, ShardRanges shards, List<Long> bounds) {
        this.session = session;
        this.table = table;
        this.shards = shards;
        this.bounds = bounds;
    }

    /**
     * Returns ids between which parts have about the same number of rows, in their order.
     */
    static List<Long> bounds(Session session, FencedTable table, ShardRanges shards) throws SQLException {
        String id = FencedTable.quoted(table.id());
        return session
            .texts("""
                    SELECT id FROM (SELECT %1$s AS id, row_number() OVER (ORDER BY %1$s) AS at, count(*) OVER () AS rows
                                      FROM %2$s WHERE %3$s) r
                     WHERE at %% greatest(%4$s, rows / %5$s + 1) = 0 ORDER BY 1""".formatted(id, table.only(),
                    table.filter(shards), LEAST_ROWS, MOST_PARTS))
            .stream()
            .map(Long::valueOf)
            .toList();
    }

    /**
     * Brings the digests up to date.
     * @return how many rows were hashed for that
     */
    long refresh() throws SQLException {
        List<@Nullable String> now = horizonAndShape();
        String horizon = String.valueOf(now.get(0));
        String shape = String.valueOf(now.get(1));
        this.since = Long.parseLong(now.get(2));
        if (!this.hashed || !shape.equals(this.shape)) {
            this.hashed = false;
            this.shape = shape;
            return hash(horizon, null);
        }
        Set<Integer> changed = changed();
        if (changed.isEmpty()) {
            return 0;
        }
        return hash(horizon, (changed.size() > this.parts.size() / 2) ? null : changed);
    }

    private List<@Nullable String> horizonAndShape() throws SQLException {
        return this.table.facts(this.session,
                "SELECT %s, %s, %s FROM pg_class c WHERE c.oid = to_regclass(?)".formatted(horizon(), SHAPE, HORIZON),
                this.table.sql());
    }

    /**
     * Returns whether the table is another one than that which was hashed: it was
     * truncated, rewritten, or has other columns.
     * @param shapes the shapes of tables, by the names that SQL gives them
     */
    boolean reshaped(Map<String, String> shapes) {
        return !this.shape.equals(shapes.get(this.table.sql()));
    }

    /** Returns what says of tables that they were rewritten, by their names. */
    static Map<String, String> shapes(Session session, List<String> tables) throws SQLException {
        return session
            .rows("SELECT n.name, %s FROM unnest(?::text[]) AS n (name) JOIN pg_class c ON c.oid = to_regclass(n.name)"
                .formatted(SHAPE), Session.array(tables))
            .stream()
            .collect(Collectors.toMap((row) -> String.valueOf(row.get(0)), (row) -> String.valueOf(row.get(1))));
    }

    /** All transactions below it have ended. */
    String horizon() {
        return "pg_snapshot_xmin(pg_current_snapshot())::xid";
    }

    /** Returns the parts that may have changed since they were hashed. */
    Set<Integer> changed() throws SQLException {
        String horizons = IntStream.rangeClosed(0, this.bounds.size()).mapToObj((part) -> {
            Part known = this.parts.get(part);
            return (known != null) ? known.horizon : "0";
        }).collect(Collectors.joining(",", "{", "}"));
        Map<Integer, Long> unchanged = new HashMap<>();
        Set<Integer> changed = new TreeSet<>();
        for (List<@Nullable String> row : this.session.rows("""
                SELECT part, rows, newest > age(horizon) AND age(horizon) BETWEEN 0 AND %s
                  FROM (SELECT part, rows, newest, ('%s'::xid[])[part + 1] AS horizon
                          FROM (SELECT part, count(*) AS rows, min(age(xmin)) AS newest
                                  FROM (SELECT %s AS part, xmin FROM %s WHERE %s) r GROUP BY part) p) h"""
            .formatted(OLDEST_HORIZON, horizons, part(), this.table.only(), this.table.filter(this.shards)))) {
            int part = Integer.parseInt(row.get(0));
            if ("t".equals(row.get(2))) {
                unchanged.put(part, Long.valueOf(row.get(1)));
            }
            else {
                changed.add(part);
            }
        }
        this.parts.forEach((part, known) -> {
            if (!sameRows(known.rows, unchanged.get(part))) {
                changed.add(part);
            }
        });
        return changed;
    }

    boolean sameRows(long known, @Nullable Long now) {
        return now != null && now == known;
    }

    /** Hashes the rows of some parts, or of all of them. */
    private long hash(String horizon, @Nullable Set<Integer> some) throws SQLException {
        List<List<@Nullable String>> rows = this.session.rows("""
                SELECT part, count(*), sum(h >> 32), sum(h & 4294967295), %s
                  FROM (SELECT %s AS part, %s AS h, xmin FROM %s WHERE %s%s) r GROUP BY part""".formatted(
                transactions(), part(), hash(), this.table.only(), this.table.filter(this.shards),
                (some != null) ? " AND " + within(some) : ""));
        if (some != null) {
            this.parts.keySet().removeAll(some);
        }
        else {
            this.parts.clear();
        }
        long hashed = 0;
        for (List<@Nullable String> row : rows) {
            Part part = new Part(Long.parseLong(row.get(1)), horizon, new BigInteger(String.valueOf(row.get(2))),
                    new BigInteger(String.valueOf(row.get(3))));
            this.parts.put(Integer.valueOf(row.get(0)), part);
            this.recent.addAll(ComparedRows.numbers(String.valueOf(row.get(4))));
            hashed += part.rows;
        }
        this.hashed = true;
        return hashed;
    }

    private String transactions() {
        return TRANSACTIONS.formatted(ComparedRows.since(this.since));
    }

    /** The transactions above the horizon that have written what was looked at. */
    Set<Long> recent() {
        return this.recent;
    }

    private String hash() {
        return "hashtextextended(%s::text, 0)".formatted(this.table.row());
    }

    /** Returns the hashes of the rows of some parts, by their ids. */
    Map<Long, String> rowsOf(Set<Integer> parts) throws SQLException {
        return hashes("%s AND %s".formatted(this.table.filter(this.shards), within(parts)));
    }

    /** Returns the hashes of the rows that have one of these ids. */
    Map<Long, String> rowsWith(Collection<Long> ids) throws SQLException {
        return hashes("%s = ANY (%s)".formatted(FencedTable.quoted(this.table.id()), array(ids, "bigint")));
    }

    private Map<Long, String> hashes(String condition) throws SQLException {
        Map<Long, String> hashes = new HashMap<>();
        for (List<@Nullable String> row : this.session
            .rows("SELECT %s, count(*) || ' ' || sum(%s), %s FROM %s WHERE %s GROUP BY 1".formatted(
                    FencedTable.quoted(this.table.id()), hash(), transactions(), this.table.only(), condition))) {
            hashes.put(Long.valueOf(row.get(0)), String.valueOf(row.get(1)));
            this.recent.addAll(ComparedRows.numbers(String.valueOf(row.get(2))));
        }
        return hashes;
    }

    private String part() {
        return "width_bucket(%s, %s)".formatted(FencedTable.quoted(this.table.id()), array(this.bounds, "bigint"));
    }

    private String within(Set<Integer> some) {
        TreeSet<Integer> sorted = new TreeSet<>(some);
        String id = FencedTable.quoted(this.table.id());
        String from = (sorted.first() > 0) ? "%s >= %s AND ".formatted(id, this.bounds.get(sorted.first() - 1)) : "";
        String to = (sorted.last() < this.bounds.size()) ? "%s < %s AND ".formatted(id, this.bounds.get(sorted.last()))
                : "";
        return from + to + "%s = ANY (%s)".formatted(part(), array(sorted, "integer"));
    }

    private static String array(Iterable<? extends Number> numbers, String type) {
        StringBuilder text = new StringBuilder("'{");
        numbers.forEach((number) -> text.append((text.length() > 2) ? "," : "").append(number));
        return text.append("}'::").append(type).append("[]").toString();
    }

    /** The number of all rows. */
    long rows() {
        return this.parts.values().stream().mapToLong(Part::rows).sum();
    }

    /** Returns whether the rows of another database are the same. */
    boolean sameAs(TableDigest other) {
        return contents().equals(other.contents());
    }

    /** Returns the parts in which the rows of another database are not the same. */
    Set<Integer> differences(TableDigest other) {
        Map<Integer, List<Object>> here = contents();
        Map<Integer, List<Object>> there = other.contents();
        return Stream.concat(here.keySet().stream(), there.keySet().stream())
            .filter((part) -> !Objects.equals(here.get(part), there.get(part)))
            .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns how many rows a part has. */
    long rows(int part) {
        Part known = this.parts.get(part);
        return (known != null) ? known.rows : 0;
    }

    private Map<Integer, List<Object>> contents() {
        return this.parts.entrySet()
            .stream()
            .collect(Collectors.toMap(Map.Entry::getKey, (part) -> part.getValue().content()));
    }

    /** The number of all rows, and the sums of both halves of their hashes. */
    @Override
    public String toString() {
        return "%s rows, %s, %s".formatted(rows(),
                this.parts.values().stream().map(Part::high).reduce(BigInteger.ZERO, BigInteger::add),
                this.parts.values().stream().map(Part::low).reduce(BigInteger.ZERO, BigInteger::add));
    }

    /**
     * A part of a table.
     *
     * @param rows its rows
     * @param horizon all transactions below it had ended when the rows were hashed
     * @param high the sum of the upper halves of the hashes
     * @param low the sum of their lower halves
     */
    private record Part(long rows, String horizon, BigInteger high, BigInteger low) {

        List<Object> content() {
            return List.of(this.rows, this.high, this.low);
        }

    }

}
