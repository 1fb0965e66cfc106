package io.shardedid.move;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.shardedid.shards.JdbcShardDirectory;
import org.jspecify.annotations.Nullable;

/**
 * The routers that may still go by an older version of the map. A lease that has passed
 * by the clock of the map's database proves nothing: that clock may have been set
 * forward, and then the leases of all routers have passed at once. A router counts its
 * lease by its own clocks. So it has ended only when this mover has waited for a whole
 * lease, by its own clock, and the row has not changed.
 */
class OlderRouters {

    private final MoveContext context;

    private final String table;

    /** When a row whose lease had passed was seen for the first time. */
    private final Map<List<@Nullable String>, Long> passed = new HashMap<>();

    OlderRouters(MoveContext context, String table) {
        this.context = context;
        this.table = table;
    }

    /** Returns the routers to wait for. The row of a router that has ended goes. */
    List<String> left() throws SQLException {
        List<String> left = new ArrayList<>();
        Set<List<@Nullable String>> seen = new HashSet<>();
        for (List<@Nullable String> row : this.context.map()
            .rows("SELECT process, seen_at, CASE WHEN lease_until >= %s THEN 'valid' ELSE 'passed' END FROM %s WHERE namespace = ? AND version_seen < ? ORDER BY process"
                .formatted(MapRows.NOW, this.table), this.context.databases().namespace(),
                    this.context.state().version())) {
            String process = String.valueOf(row.get(0));
            if ("valid".equals(row.get(2))) {
                left.add(process);
                continue;
            }
            seen.add(row);
            if (this.context.time().nanoTime()
                    - this.passed.computeIfAbsent(row, (first) -> this.context.time().nanoTime()) < lease()) {
                left.add(process + " (its lease has passed by the clock of the map's database, which may be wrong)");
            }
            else {
                forget(process, Long.parseLong(String.valueOf(row.get(1))));
            }
        }
        this.passed.keySet().retainAll(seen);
        return left;
    }

    long lease() {
        return JdbcShardDirectory.ROUTER_LEASE.toNanos();
    }

    /** So the next mover need not wait for it. It may lack the right to do so. */
    private void forget(String process, long seenAt) {
        try {
            this.context.map()
                .update("DELETE FROM %s WHERE namespace = ? AND process = ? AND seen_at = ?".formatted(this.table),
                        this.context.databases().namespace(), process, seenAt);
        }
        catch (SQLException ex) {
            this.context.tell("Could not delete the row of a router that has ended: process=%s (SQLSTATE %s)"
                .formatted(process, ex.getSQLState()));
        }
    }

}
