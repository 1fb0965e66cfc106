package io.shardedid.move;

import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The rows of the shard map. One session for the whole command: it has the lock of the
 * movers of this namespace, and a mover that loses it changes the map no more.
 */
record MapTable(Session session, MoveDatabases databases, String table, String namespace) implements AutoCloseable {

    /** The time of the map's database, as the map writes it. */
    private static final String NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

    static MapTable open(MoveDatabases databases, Duration idle, Session.Probe probe) throws SQLException {
        return new MapTable(Session.open(databases, databases.home(), idle, probe), databases,
                databases.beside("shardedid_shard"), databases.namespace());
    }

    /**
     * One mover at a time; the lock ends with the session, which the server may notice a
     * moment after the mover has ended.
     */
    void lock() throws SQLException {
        try {
            this.session.lock("pg_advisory_lock", this.table, "hashtext(?)", this.namespace);
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
        return this.session.inside(this.table, "hashtext(?)", this.namespace);
    }

    /**
     * Which database a name leads to, as the first router has noted it; empty if none
     * has.
     */
    String identity(String name) throws SQLException {
        return this.session.text("SELECT identity FROM %s WHERE namespace = ? AND name = ?"
            .formatted(this.databases.beside("shardedid_database")), this.namespace, name);
    }

    void note(String name, String identity) throws SQLException {
        this.session.update("INSERT INTO %s VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
            .formatted(this.databases.beside("shardedid_database")), this.namespace, name, identity);
    }

    /** Reads the row of a shard; null means all. */
    Map<Integer, ShardState.MapRow> rows(@Nullable Integer shard) throws SQLException {
        Map<Integer, ShardState.MapRow> rows = new LinkedHashMap<>();
        for (List<@Nullable String> row : this.session.rows(
                "SELECT shard, home, version, mover, source, target, step, %s - changed_at FROM %s WHERE namespace = ? AND shard >= 0 AND shard = coalesce(?, shard) ORDER BY shard"
                    .formatted(NOW, this.table),
                this.namespace, shard)) {
            Stream.of(1, 4, 5).map(row::get).filter(Objects::nonNull).forEach(this.databases::get);
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
     */
    long take(ShardState state, String source, String target, String step) throws SQLException {
        return this.session.transaction(true, () -> {
            long token = Long.parseLong(this.session
                .text("UPDATE %s SET mover = greatest(mover, ?) + 1 WHERE namespace = ? AND shard = -1 RETURNING mover"
                    .formatted(this.table), Math.max(state.highest(), state.map().token()), this.namespace));
            ShardState.MapRow row = state.map();
            update(state.shard(), "mover = %s, source = ?, target = ?, step = ?".formatted(token), row.mover(),
                    "home = ? AND version = ?", source, target, step, row.home(), row.version(), this.namespace);
            return token;
        });
    }

    /**
     * Brings the shard to its new home in the map, if row, version, step and token are
     * still those of this mover. If nothing is left to delete, it names the home twice.
     */
    void change(ShardState state, long token, String left, String home, String step) throws SQLException {
        long identity = new SecureRandom().nextLong();
        this.session.transaction(true, () -> {
            this.session.update(
                    "UPDATE %s SET version = greatest(version + 1, ?), identity = ?, changed_at = %s WHERE namespace = ? AND shard = -1"
                        .formatted(this.table, NOW),
                    token + 1, identity, this.namespace);
            update(state.shard(),
                    "home = ?, version = ?, identity = ?, source = ?, target = ?, step = 'open', changed_at = " + NOW,
                    token, "home = ? AND version = ? AND step = ?", home, token + 1, identity, left, home,
                    state.map().home(), state.map().version(), step, this.namespace);
            return token;
        });
    }

    /** Ends a move; if there are old rows, they wait from now on to be deleted. */
    void moved(int shard, long token, boolean oldRows) throws SQLException {
        String end = oldRows ? "'clean'" : "NULL, source = NULL, target = NULL";
        update(shard, "step = %s, changed_at = %s".formatted(end, NOW), token, "true", this.namespace);
    }

    /**
     * Changes the row of a shard, if its token is right, and a condition; the namespace
     * is the last parameter.
     */
    private void update(int shard, String assignments, long token, String condition, @Nullable Object... parameters)
            throws SQLException {
        if (this.session.update("UPDATE %s SET %s WHERE %s AND namespace = ? AND shard = %s AND mover = %s"
            .formatted(this.table, assignments, condition, shard, token), parameters) != 1) {
            throw MoveException.overtaken(shard, this.session.database());
        }
    }

    @Override
    public void close() {
        this.session.close();
    }

}
