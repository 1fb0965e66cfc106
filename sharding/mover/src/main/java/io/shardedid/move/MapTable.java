package io.shardedid.move;

import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The rows of the shard map. One session for the whole command: it has the lock of the
 * movers of this namespace, and a mover that loses it changes the map no more.
 */
final class MapTable implements AutoCloseable {

    /** The time of the map's database, as the map writes it. */
    private static final String NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

    private final Session session;

    private final String namespace;

    private final Set<String> names;

    private final String table;

    private final String databases;

    private MapTable(Session session, MoveDatabases databases) {
        this.session = session;
        this.namespace = databases.namespace();
        this.names = databases.databases().keySet();
        this.table = databases.beside("shardedid_shard");
        this.databases = databases.beside("shardedid_database");
    }

    static MapTable open(MoveDatabases databases, Duration idle, Session.Probe probe) throws SQLException {
        return new MapTable(Session.open(databases, databases.home(), idle, probe), databases);
    }

    /**
     * One mover at a time; the lock ends with the session, which the server may notice a
     * moment after the mover has ended.
     */
    void lock() throws SQLException {
        try {
            this.session.execute("SELECT pg_advisory_lock(?::regclass::oid::integer, hashtext(?))", this.table,
                    this.namespace);
        }
        catch (SQLException ex) {
            if (!"55P03".equals(ex.getSQLState())) {
                throw ex;
            }
            throw MoveException.refused(
                    "Another mover is at work: namespace='%s', session=%s; wait until it ends, or end that session by pg_terminate_backend in database %s"
                        .formatted(this.namespace, mover(), this.session.database()));
        }
    }

    /** The session of the mover that is at work; empty if there is none. */
    String mover() throws SQLException {
        return this.session.text(
                """
                        SELECT 'pid ' || l.pid || coalesce(' since ' || a.backend_start, '') FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                         WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = ?::regclass
                           AND l.objid = (hashtext(?)::bigint & 4294967295)::oid AND l.pid <> pg_backend_pid()
                           AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())""",
                this.table, this.namespace);
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

    /**
     * Reads rows.
     * @param shard the shard; null for all
     */
    Map<Integer, ShardState.MapRow> rows(@Nullable Integer shard) throws SQLException {
        Map<Integer, ShardState.MapRow> rows = new LinkedHashMap<>();
        for (List<@Nullable String> row : this.session.rows(
                "SELECT shard, home, version, mover, source, target, step, %s - changed_at FROM %s WHERE namespace = ? AND shard >= 0 AND shard = coalesce(?, shard) ORDER BY shard"
                    .formatted(NOW, this.table),
                this.namespace, shard)) {
            for (String name : new String[] { row.get(1), row.get(4), row.get(5) }) {
                if (name != null && !this.names.contains(name)) {
                    throw MoveException.refused(
                            "The map names a database that is not configured: shard=%s, database='%s'; give shardedid.databases.*.url for it"
                                .formatted(row.get(0), name));
                }
            }
            rows.put(Integer.valueOf(row.get(0)),
                    new ShardState.MapRow(String.valueOf(row.get(1)), Long.parseLong(row.get(2)),
                            Long.parseLong(row.get(3)), row.get(4), row.get(5), row.get(6),
                            Long.parseLong(row.get(7))));
        }
        if (rows.isEmpty()) {
            throw MoveException.refused("The map has no such shard: namespace='%s', shard=%s; correct the range"
                .formatted(this.namespace, shard));
        }
        return rows;
    }

    /**
     * Takes a token that is higher than all others of the shard, and says what begins. If
     * the map has lost commits, the homes still know the tokens that were given out.
     * @return the token
     */
    long take(ShardState state, String source, String target, String step) throws SQLException {
        return this.session.transaction(() -> {
            long token = Long.parseLong(this.session
                .text("UPDATE %s SET mover = greatest(mover, ?) + 1 WHERE namespace = ? AND shard = -1 RETURNING mover"
                    .formatted(this.table), Math.max(state.highest(), state.map().token()), this.namespace));
            ShardState.MapRow row = state.map();
            update(state.shard(), "mover = ?, source = ?, target = ?, step = ?",
                    "home = ? AND version = ? AND mover = ?", token, source, target, step, row.home(), row.version(),
                    row.mover());
            return token;
        });
    }

    /**
     * Brings the shard to its new home in the map, if row, version, step and token are
     * still those of this mover.
     * @param left the database that has its old rows; the home itself if none has
     */
    void change(ShardState state, long token, String left, String home, String step) throws SQLException {
        long version = token + 1;
        long identity = new SecureRandom().nextLong();
        this.session.transaction(() -> {
            this.session.update(
                    "UPDATE %s SET version = greatest(version + 1, ?), identity = ?, changed_at = %s WHERE namespace = ? AND shard = -1"
                        .formatted(this.table, NOW),
                    version, identity, this.namespace);
            update(state.shard(),
                    "home = ?, version = ?, identity = ?, source = ?, target = ?, step = 'open', changed_at = " + NOW,
                    "home = ? AND version = ? AND mover = ? AND step = ?", home, version, identity, left, home,
                    state.map().home(), state.map().version(), token, step);
            return version;
        });
    }

    /** Says that the target is open, and that the old rows wait to be deleted. */
    void moved(int shard, long token) throws SQLException {
        update(shard, "step = 'clean', changed_at = " + NOW, "mover = ?", token);
    }

    /** Ends a move. */
    void rests(int shard, long token) throws SQLException {
        update(shard, "step = NULL, source = NULL, target = NULL, changed_at = " + NOW, "mover = ?", token);
    }

    /**
     * Changes the row of a shard.
     * @param parameters those of the assignments, and then those of the condition
     * @throws MoveException if the condition is wrong
     */
    private void update(int shard, String assignments, String condition, @Nullable Object... parameters)
            throws SQLException {
        @Nullable Object[] all = Arrays.copyOf(parameters, parameters.length + 2);
        all[parameters.length] = shard;
        all[parameters.length + 1] = this.namespace;
        int changed = this.session.update("UPDATE %s SET %s WHERE %s AND shard = ? AND namespace = ?"
            .formatted(this.table, assignments, condition), all);
        if (changed != 1) {
            throw MoveException.overtaken(shard, this.session.database());
        }
    }

    @Override
    public void close() {
        this.session.close();
    }

}
