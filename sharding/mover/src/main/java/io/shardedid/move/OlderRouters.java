package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.shardedid.shards.JdbcShardDirectory;
import org.jspecify.annotations.Nullable;

/**
 * The routers that may still go by an older version of the map. The number of a version
 * proves nothing: the map's database may have lost commits, and the number was given
 * twice. So a router is up to date if it has acknowledged a version with its identity
 * that stands in the map, which has changed for this move. What the clock of the map's
 * database says of a lease proves nothing: that clock may have been set. A router counts
 * its lease by its own clocks, from before it wrote its row. So it has ended when this
 * mover has seen the same row for a whole lease, by its own clock. The mover looks for
 * the first time when it begins, and so a router that died before that delays the move by
 * the rest of its lease only.
 */
class OlderRouters {

    private final MoveContext context;

    /** When a row was seen for the first time as it is. */
    private final Map<List<@Nullable String>, Long> seen = new HashMap<>();

    OlderRouters(MoveContext context) {
        this.context = context;
    }

    private String table() throws SQLException {
        return this.context.map().mapTable(this.context.databases(), "shardedid_router");
    }

    /**
     * Whether a router, {@code r}, has not acknowledged a version or a later one of the
     * map.
     * @param shards the table of the map
     * @param version the version
     */
    static String behind(String shards, String version) {
        return " AND (r.version_seen < %s OR NOT EXISTS (SELECT FROM %s m WHERE m.namespace = r.namespace AND m.version = r.version_seen AND m.identity = r.identity_seen))"
            .formatted(version, shards);
    }

    /** Which routers to wait for, by the version of this move. */
    String behind() throws SQLException {
        return behind(this.context.map().mapTable(this.context.databases(), "shardedid_shard"),
                Long.toString(this.context.state().version()));
    }

    /** Looks who routes. */
    void watch() throws SQLException {
        if (exists()) {
            rows("").forEach(this::since);
        }
    }

    /** Returns the routers to wait for. The row of a router that has ended goes. */
    List<String> left() throws SQLException {
        List<String> left = new ArrayList<>();
        if (!exists()) {
            return left;
        }
        Set<List<@Nullable String>> now = new HashSet<>();
        for (List<@Nullable String> row : rows(behind())) {
            now.add(row);
            long rest = since(row) + lease() - this.context.time().nanoTime();
            if (rest > 0) {
                left.add("%s (%s s at most if it has died)".formatted(row.get(0),
                        Duration.ofNanos(rest).plusMillis(999).toSeconds()));
            }
            else {
                forget(row);
            }
        }
        this.seen.keySet().retainAll(now);
        return left;
    }

    private boolean exists() throws SQLException {
        return this.context.map().holds("SELECT to_regclass(?) IS NOT NULL", table());
    }

    private List<List<@Nullable String>> rows(String which) throws SQLException {
        return this.context.map()
            .rows("SELECT process, version_seen, seen_at, lease_until, identity_seen FROM %s r WHERE namespace = ?%s ORDER BY process"
                .formatted(table(), which), this.context.databases().namespace());
    }

    private long since(List<@Nullable String> row) {
        return this.seen.computeIfAbsent(row, (first) -> this.context.time().nanoTime());
    }

    long lease() {
        return JdbcShardDirectory.ROUTER_LEASE.toNanos();
    }

    /** So the next mover need not wait for it. It may lack the right to do so. */
    private void forget(List<@Nullable String> row) {
        String process = String.valueOf(row.get(0));
        try {
            this.context.map()
                .update("DELETE FROM %s WHERE namespace = ? AND process = ? AND seen_at = ?".formatted(table()),
                        this.context.databases().namespace(), process, Long.parseLong(String.valueOf(row.get(2))));
        }
        catch (SQLException ex) {
            this.context.tell("Could not delete the row of a router that has ended: process=%s (SQLSTATE %s)"
                .formatted(process, ex.getSQLState()));
        }
    }

}
