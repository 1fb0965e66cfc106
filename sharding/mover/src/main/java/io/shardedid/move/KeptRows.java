package io.shardedid.move;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Finds rows of the source that are not to be deleted: those that were written since they
 * were compared, and are not the same at the target, and those that a foreign key joins
 * with a row of a shard that stays.
 */
final class KeptRows {

    /** How many rows are compared at most for one message. */
    private static final int MOST = 100_000;

    private final MoveContext context;

    private final ComparedRows compared;

    private final List<ForeignKey> keys;

    KeptRows(MoveContext context, ComparedRows compared, List<ForeignKey> keys) {
        this.context = context;
        this.compared = compared;
        this.keys = keys;
    }

    /**
     * Returns what is to be told of rows of a table.
     * @param rows a condition for the rows beside their shard, with their alias as %s
     */
    List<String> among(FencedTable table, String rows) throws SQLException {
        List<String> found = new ArrayList<>();
        List<Long> changed = changed(table, rows);
        if (!changed.isEmpty()) {
            found.add("table=%s, rows=%s, ids=%s, written after this move has compared them".formatted(table.name(),
                    changed.size(), changed.stream().limit(Comparison.NAMED_IDS).toList()));
        }
        for (ForeignKey key : this.keys) {
            List<String> leaving = key.leaving(this.context.source(), this.context.shards(), table, rows);
            if (!leaving.isEmpty()) {
                found.add("table=%s, rows=%s, ids=%s, joined by foreign key %s to %s with rows of other shards"
                    .formatted(key.child(), leaving.size(), leaving.stream().limit(Comparison.NAMED_IDS).toList(),
                            key.name(), key.parent()));
            }
        }
        return found;
    }

    /** Most rows are known by the transaction that has written them. */
    private List<Long> changed(FencedTable table, String rows) throws SQLException {
        List<Long> unknown = this.context.source()
            .texts("SELECT DISTINCT %1$s FROM %2$s AS r WHERE ".formatted(FencedTable.quoted(table.id()), table.only())
                    + "%s AND %s%s ORDER BY 1 LIMIT %s".formatted(table.filter(this.context.shards()),
                            this.compared.unknown(), rows.formatted("r"), MOST))
            .stream()
            .map(Long::valueOf)
            .toList();
        if (unknown.isEmpty()) {
            return unknown;
        }
        Map<Long, String> here = hashes(this.context.source(), table, unknown);
        Map<Long, String> there = hashes(this.context.target(), table, unknown);
        return unknown.stream().filter((id) -> !Objects.equals(here.get(id), there.get(id))).toList();
    }

    private Map<Long, String> hashes(Session session, FencedTable table, List<Long> ids) throws SQLException {
        TableDigest digest = new TableDigest(session, table, this.context.shards(), List.of());
        Map<Long, String> hashes = new HashMap<>();
        for (int from = 0; from < ids.size(); from += Comparison.CHUNK) {
            hashes.putAll(digest.rowsWith(ids.subList(from, Math.min(ids.size(), from + Comparison.CHUNK))));
        }
        return hashes;
    }

}
