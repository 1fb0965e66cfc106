package io.shardedid.move;

import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The rows of the shard map: the token of the mover, the stage of the move, and the home
 * of the shards. The mover with the highest token moves the shards.
 */
class MapRows {

    /** The time of the map's database, as the map writes it. */
    static final String NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

    /** The first number of the advisory lock of a mover of a range. */
    private static final int MOVER_LOCK = HomeRows.FENCE_LOCK + 1;

    private final MoveContext context;

    MapRows(MoveContext context) {
        this.context = context;
    }

    private Session map() throws SQLException {
        return this.context.map();
    }

    private String table() throws SQLException {
        return map().mapTable(this.context.databases(), "shardedid_shard");
    }

    /** One mover at a time works on a range; the lock ends with its session. */
    void awaitMover() throws SQLException {
        int key = key(table(), this.context.databases(), this.context.shards());
        this.context.await("another mover of the same shards to end", this.context.limits().patience(),
                () -> map().holds("SELECT pg_try_advisory_lock(?, ?)", MOVER_LOCK, key),
                () -> "its session is " + movers(map(), this.context.databases(), this.context.shards())
                        + ", and pg_terminate_backend(pid) in database %s ends it"
                            .formatted(this.context.databases().home()));
    }

    /** Another application may have its map in another schema of the same database. */
    private static int key(String table, MoveDatabases databases, ShardRanges shards) {
        return (table + ":" + databases.namespace() + ":" + shards).hashCode();
    }

    /** The sessions of the movers that work on a range. */
    static List<String> movers(Session map, MoveDatabases databases, ShardRanges shards) throws SQLException {
        return map.texts(
                """
                        SELECT 'pid=' || l.pid || ', since=' || a.backend_start FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                         WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = ?
                           AND l.objid = (?::bigint & 4294967295)::oid
                           AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())""",
                MOVER_LOCK, key(map.mapTable(databases, "shardedid_shard"), databases, shards));
    }

    MoveContext.MapState token(@Nullable String target, boolean abort) throws SQLException {
        List<@Nullable String> row = locked();
        MoveContext.MapState found = state(row);
        if (found.stage().isEmpty()) {
            if (target == null) {
                throw MoveException.refused("There is no move to %s: shards=%s, home=%s; see 'shards status'"
                    .formatted(abort ? "abort" : "resume", this.context.shards(), found.home()));
            }
            this.context.databases().get(target);
            if (found.home().equals(target)) {
                return new MoveContext.MapState(found.mover() - 1, target, target, target, "", found.version(),
                        found.identity());
            }
            found = new MoveContext.MapState(found.mover(), found.home(), found.home(), target, "copy", found.version(),
                    found.identity());
        }
        else {
            requireSameRange(row);
            if (target != null && !target.equals(found.target())) {
                throw MoveException.refused(
                        "Shards are in another move: shards=%s, target=%s, target of that move=%s; resume or abort it"
                            .formatted(this.context.shards(), target, found.target()));
            }
        }
        take(found);
        map().update(
                "UPDATE %s SET mover = ?, source = ?, target = ?, step = ? WHERE namespace = ? AND %s"
                    .formatted(table(), this.context.inShards()),
                found.mover(), found.source(), found.target(), found.stage(), this.context.databases().namespace());
        return found;
    }

    /** A token of its own, although nothing moves. */
    MoveContext.MapState tokenWithoutMove() throws SQLException {
        MoveContext.MapState found = state(locked());
        if (!found.stage().isEmpty()) {
            throw MoveException
                .refused("Shards are in a move: shards=%s, source=%s, target=%s, stage=%s; resume it, or abort it"
                    .formatted(this.context.shards(), found.source(), found.target(), found.stage()));
        }
        take(found);
        return found.between(found.home(), found.home());
    }

    private void take(MoveContext.MapState found) throws SQLException {
        map().update("UPDATE %s SET mover = ? WHERE namespace = ? AND shard = -1".formatted(table()), found.mover(),
                this.context.databases().namespace());
    }

    private static MoveContext.MapState state(List<@Nullable String> row) {
        return new MoveContext.MapState(Long.parseLong(row.get(8)), String.valueOf(row.get(0)),
                String.valueOf(row.get(1)), String.valueOf(row.get(2)), String.valueOf(row.get(3)),
                Long.parseLong(row.get(4)), Long.parseLong(row.get(5)));
    }

    /** Locks the rows of the shards, and says what they have in common. */
    private List<@Nullable String> locked() throws SQLException {
        long last = map().number(
                "SELECT coalesce(max(mover), -1) FROM (SELECT mover FROM %s WHERE namespace = ? AND shard = -1 FOR UPDATE) m"
                    .formatted(table()),
                this.context.databases().namespace());
        List<List<@Nullable String>> rows = map()
            .rows("""
                    SELECT home, coalesce(source, ''), coalesce(target, ''), coalesce(step, ''), max(version), max(identity),
                           CASE WHEN step IS NULL THEN 0 ELSE mover END AS mover, count(*), ?::bigint + 1
                      FROM (SELECT * FROM %s WHERE namespace = ? AND %s ORDER BY shard FOR UPDATE) s
                     GROUP BY home, source, target, step, CASE WHEN step IS NULL THEN 0 ELSE mover END"""
                .formatted(table(), this.context.inShards()), last, this.context.databases().namespace());
        if (last < 0 || rows.isEmpty()) {
            throw MoveException.refused("Shards are not in the map: shards=%s, namespace='%s'; correct the range"
                .formatted(this.context.shards(), this.context.databases().namespace()));
        }
        if (rows.size() > 1 || Long.parseLong(rows.get(0).get(7)) != this.context.shards().size()) {
            throw MoveException.refused(
                    "Shards of one move must be in one database and in one move: shards=%s, found=%s; move each part by itself, or resume the move"
                        .formatted(this.context.shards(),
                                rows.stream()
                                    .map((row) -> "%s shards in %s%s".formatted(row.get(7), row.get(0),
                                            String.valueOf(row.get(3)).isEmpty() ? "" : " that move to " + row.get(2)))
                                    .sorted()
                                    .toList()));
        }
        return rows.get(0);
    }

    private void requireSameRange(List<@Nullable String> row) throws SQLException {
        ShardRanges shards = ShardRanges.parse(map().text(
                "SELECT string_agg(shard::text, ',') FROM %s WHERE namespace = ? AND step IS NOT NULL AND mover = ? AND shard >= 0"
                    .formatted(table()),
                this.context.databases().namespace(), Long.valueOf(String.valueOf(row.get(6)))));
        if (!shards.equals(this.context.shards())) {
            throw MoveException.refused(
                    "Shards are a part of another move: shards=%s, shards of that move=%s; resume or abort that one"
                        .formatted(this.context.shards(), shards));
        }
    }

    /**
     * Changes the map's rows if they still have the token of this mover. Locks of others
     * there do not end a move: until the map has changed, nobody may write the shards.
     */
    private <T> T inMap(int first, Session.Work<T> work) throws SQLException {
        return this.context.patiently("the map to be written", map(), () -> map().transaction(() -> {
            long mine = map().number(
                    """
                            SELECT count(*) FILTER (WHERE shard >= 0 AND mover = ?)
                              FROM (SELECT shard, mover FROM %s WHERE namespace = ? AND (shard = ? OR %s) ORDER BY shard FOR UPDATE) m"""
                        .formatted(table(), this.context.inShards()),
                    this.context.state().mover(), this.context.databases().namespace(), first);
            if (checksToken() && mine != this.context.shards().size()) {
                throw this.context.superseded(map());
            }
            return work.run();
        }));
    }

    /**
     * Changes the stage.
     * @param stage the new one
     * @param beforeCommit runs when only the commit is missing, whose answer may be lost
     */
    void stage(String stage, Runnable beforeCommit) throws SQLException {
        inMap(this.context.shards().first(), () -> {
            int changed = map().update(
                    "UPDATE %s SET step = ? WHERE namespace = ? AND %s".formatted(table(), this.context.inShards()),
                    stage, this.context.databases().namespace());
            beforeCommit.run();
            return changed;
        });
        this.context.state(this.context.state().at(stage));
    }

    void changeMap() throws SQLException {
        long identity = new SecureRandom().nextLong();
        // row -1 first, as a mover that takes a token does
        long version = inMap(-1, () -> {
            map().update(
                    "UPDATE %s SET version = version + 1, identity = ?, changed_at = %s WHERE namespace = ? AND shard = -1"
                        .formatted(table(), NOW),
                    identity, this.context.databases().namespace());
            map().update("""
                    UPDATE %1$s SET home = ?, step = 'clean', changed_at = %2$s, identity = ?,
                           version = (SELECT version FROM %1$s WHERE namespace = ? AND shard = -1)
                     WHERE namespace = ? AND %3$s""".formatted(table(), NOW, this.context.inShards()),
                    this.context.state().target(), identity, this.context.databases().namespace(),
                    this.context.databases().namespace());
            return map().number("SELECT version FROM %s WHERE namespace = ? AND shard = -1".formatted(table()),
                    this.context.databases().namespace());
        });
        this.context.state(this.context.state().switched(version, identity));
        this.context
            .tell("The shards are in %s: version %s of the map".formatted(this.context.state().target(), version));
    }

    /** Returns whether the map still has the change of this move. */
    boolean hasChanged() throws SQLException {
        return map().number(
                "SELECT count(*) FROM %s WHERE namespace = ? AND %s AND version = ? AND identity = ?".formatted(table(),
                        this.context.inShards()),
                this.context.databases().namespace(), this.context.state().version(),
                this.context.state().identity()) == this.context.shards().size();
    }

    void finish() throws SQLException {
        inMap(this.context.shards().first(),
                () -> map().update("UPDATE %s SET source = NULL, target = NULL, step = NULL WHERE namespace = ? AND %s"
                    .formatted(table(), this.context.inShards()), this.context.databases().namespace()));
    }

    boolean checksToken() {
        return true;
    }

}
