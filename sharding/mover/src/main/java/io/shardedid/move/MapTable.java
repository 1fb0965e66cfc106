package io.shardedid.move;

import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The rows of the shard map. One session for the whole command: it has the lock of the
 * movers of this namespace, and a mover that loses it changes the map no more.
 */
final class MapTable implements AutoCloseable {

    /** The time of the map's database, as the map writes it. */
    private static final String NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

    /** The first number of the advisory lock of a mover. */
    private static final int LOCK = 1397246277;

    private final Session session;

    private final String namespace;

    private final String table;

    private final String databases;

    private MapTable(Session session, MoveDatabases databases) throws SQLException {
        this.session = session;
        this.namespace = databases.namespace();
        String schema = databases.mapSchema();
        String found = (schema != null) ? MovedTable.quoted(schema) : session.schemaOf("shardedid_shard", "r");
        if (found.isEmpty()) {
            throw MoveException.refused(
                    "Database %s must have the table 'shardedid_shard' of its account; let shardedid.worker.lease.table name the schema, or start an application first"
                        .formatted(session.database()));
        }
        this.table = found + ".shardedid_shard";
        this.databases = found + ".shardedid_database";
    }

    static MapTable open(MoveDatabases databases, Duration idle, Session.Probe probe) throws SQLException {
        Session session = Session.open(databases, databases.home(), idle, probe);
        try {
            return new MapTable(session, databases);
        }
        catch (SQLException | RuntimeException ex) {
            session.close();
            throw ex;
        }
    }

    /** One mover at a time; the lock ends with the session. */
    void lock() throws SQLException {
        if (!this.session.holds("SELECT pg_try_advisory_lock(?, hashtext(?))", LOCK, key())) {
            throw MoveException.refused(
                    "Another mover is at work: namespace='%s', session=%s; wait until it ends, or end that session by pg_terminate_backend in database %s"
                        .formatted(this.namespace, mover(), this.session.database()));
        }
    }

    private String key() {
        return this.table + ":" + this.namespace;
    }

    /** The session of the mover that is at work; empty if there is none. */
    String mover() throws SQLException {
        return this.session.text(
                """
                        SELECT 'pid ' || l.pid || coalesce(' since ' || a.backend_start, '') FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                         WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = ?
                           AND l.objid = (hashtext(?)::bigint & 4294967295)::oid AND l.pid <> pg_backend_pid()
                           AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())""",
                LOCK, key());
    }

    /** Which database each name leads to, as the first router has noted it. */
    Map<String, String> identities() throws SQLException {
        Map<String, String> identities = new LinkedHashMap<>();
        this.session.rows("SELECT name, identity FROM %s WHERE namespace = ?".formatted(this.databases), this.namespace)
            .forEach((row) -> identities.put(String.valueOf(row.get(0)), String.valueOf(row.get(1))));
        return identities;
    }

    void note(String name, String identity) throws SQLException {
        this.session.update("INSERT INTO %s VALUES (?, ?, ?) ON CONFLICT DO NOTHING".formatted(this.databases),
                this.namespace, name, identity);
    }

    Map<Integer, ShardState.MapRow> rows() throws SQLException {
        Map<Integer, ShardState.MapRow> rows = new LinkedHashMap<>();
        for (List<@Nullable String> row : this.session.rows(
                "SELECT shard, home, version, mover, source, target, step, %s - changed_at FROM %s WHERE namespace = ? AND shard >= 0 ORDER BY shard"
                    .formatted(NOW, this.table),
                this.namespace)) {
            rows.put(Integer.valueOf(row.get(0)),
                    new ShardState.MapRow(String.valueOf(row.get(1)), Long.parseLong(row.get(2)),
                            Long.parseLong(row.get(3)), row.get(4), row.get(5), row.get(6),
                            Long.parseLong(row.get(7))));
        }
        if (rows.isEmpty()) {
            throw MoveException
                .refused("There is no shard map: namespace='%s'; start an application with 'initial-map' first"
                    .formatted(this.namespace));
        }
        return rows;
    }

    ShardState.MapRow row(int shard) throws SQLException {
        ShardState.MapRow row = rows().get(shard);
        if (row == null) {
            throw MoveException.refused("Shard is not in the map: shard=%s, namespace='%s'; correct the range"
                .formatted(shard, this.namespace));
        }
        return row;
    }

    /**
     * Takes a token that is higher than all others of the shard, and says what begins. If
     * the map has lost commits, the homes still know the tokens that were given out.
     * @return the token
     */
    long take(ShardState state, @Nullable String source, @Nullable String target, @Nullable String step)
            throws SQLException {
        return this.session.transaction(() -> {
            long last = this.session.number(
                    "SELECT mover FROM %s WHERE namespace = ? AND shard = -1 FOR UPDATE".formatted(this.table),
                    this.namespace);
            long token = Math.max(last, Math.max(state.highest(), state.map().token())) + 1;
            requireUnchanged(state, state.map().mover());
            this.session.update("UPDATE %s SET mover = ? WHERE namespace = ? AND shard = -1".formatted(this.table),
                    token, this.namespace);
            this.session
                .update("UPDATE %s SET mover = ?, source = ?, target = ?, step = ? WHERE namespace = ? AND shard = ?"
                    .formatted(this.table), token, source, target, step, this.namespace, state.shard());
            return token;
        });
    }

    private void requireUnchanged(ShardState state, long mover) throws SQLException {
        if (!this.session.holds(
                "SELECT home = ? AND version = ? AND mover = ? FROM %s WHERE namespace = ? AND shard = ? FOR UPDATE"
                    .formatted(this.table),
                state.map().home(), state.map().version(), mover, this.namespace, state.shard())) {
            throw MoveException.unfinished(
                    "Another mover has changed shard %s meanwhile; look at 'shards status'".formatted(state.shard()),
                    null);
        }
    }

    /**
     * Brings the shard to its new home in the map, if row, version, step and token are
     * still those of this mover.
     * @param left the database that has its old rows; the home itself if none has
     */
    void change(ShardState state, long token, String left, String home, @Nullable String step) throws SQLException {
        this.session.transaction(() -> {
            this.session.execute("SELECT 1 FROM %s WHERE namespace = ? AND shard = -1 FOR UPDATE".formatted(this.table),
                    this.namespace);
            requireUnchanged(state, token);
            long version = token + 1;
            long identity = new SecureRandom().nextLong();
            this.session.update(
                    "UPDATE %s SET version = greatest(version + 1, ?), identity = ?, changed_at = %s WHERE namespace = ? AND shard = -1"
                        .formatted(this.table, NOW),
                    version, identity, this.namespace);
            int changed = this.session.update(
                    "UPDATE %s SET home = ?, version = ?, identity = ?, source = ?, target = ?, step = 'open', changed_at = %s WHERE namespace = ? AND shard = ? AND step IS NOT DISTINCT FROM ?"
                        .formatted(this.table, NOW),
                    home, version, identity, left, home, this.namespace, state.shard(), step);
            if (changed != 1) {
                throw MoveException.unfinished(
                        "The map has another step of shard %s; look at 'shards status'".formatted(state.shard()), null);
            }
            return true;
        });
    }

    /**
     * Says that a step has been reached by the mover with a token; null ends the move.
     */
    void reached(int shard, long token, @Nullable String step) throws SQLException {
        this.session.transaction(() -> {
            int changed = this.session.update(
                    "UPDATE %1$s SET step = ?, source = CASE WHEN ? THEN source END, target = CASE WHEN ? THEN target END, changed_at = %2$s WHERE namespace = ? AND shard = ? AND mover = ?"
                        .formatted(this.table, NOW),
                    step, step != null, step != null, this.namespace, shard, token);
            if (changed != 1) {
                throw MoveException.unfinished(
                        "Another mover has changed shard %s meanwhile; look at 'shards status'".formatted(shard), null);
            }
            return true;
        });
    }

    @Override
    public void close() {
        this.session.close();
    }

}
