package io.shardedid.move;

import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The transactions of others that a mover waits for, as messages name them: at most
 * three, without their statements, which may be about people. A transaction that was
 * prepared has no session any more, and keeps its locks.
 */
final class Transactions {

    private static final String OPEN = """
            SELECT 'pid=' || a.pid || ', user=' || coalesce(a.usename, '') || ', application=' || a.application_name
                   || ', state=' || coalesce(a.state, '') || coalesce(', age=' || date_trunc('second', clock_timestamp() - a.xact_start), '') AS named,
                   a.xact_start AS began
              FROM pg_stat_activity a""";

    private static final String PREPARED = """
            SELECT 'prepared=' || quote_literal(p.gid) || ', user=' || p.owner || ', database=' || p.database
                   || ', age=' || date_trunc('second', clock_timestamp() - p.prepared) AS named, p.prepared AS began
              FROM pg_prepared_xacts p""";

    /** It has no session, and all of its locks have the same virtual transaction. */
    private static final String PREPARED_LOCKS = "JOIN pg_locks x ON x.locktype = 'transactionid' AND x.transactionid = p.transaction AND x.granted AND x.pid IS NULL ";

    private static final String LOCKS_OF_SHARDS = """
            l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = %s
                  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"""
        .formatted(HomeRows.FENCE_LOCK);

    /** The number beside those of the shards, as shardedid_note_home takes it. */
    private static final String CHANGE_OF_HOMES = "l.objid = 4294967295";

    private static final String OTHERS = " WHERE a.pid <> pg_backend_pid() AND a.backend_type = 'client backend' AND ";

    private Transactions() {
    }

    private static List<String> oldest(Session session, String open, String prepared, @Nullable Object... parameters)
            throws SQLException {
        return session.texts("SELECT named FROM (%s %s UNION %s %s) t ORDER BY began LIMIT 3".formatted(OPEN, open,
                PREPARED, prepared), parameters);
    }

    /**
     * All open transactions of a server, and who keeps the lock under which homes change.
     */
    static List<String> all(Session session) throws SQLException {
        return oldest(session,
                OTHERS + "(a.xact_start IS NOT NULL OR a.pid IN (SELECT l.pid FROM pg_locks l WHERE %s AND %s))"
                    .formatted(LOCKS_OF_SHARDS, CHANGE_OF_HOMES),
                "");
    }

    /**
     * Those of a server that have written, for which a slot waits, and that are older
     * than some seconds.
     */
    static List<String> thatWrite(Session session, int seconds) throws SQLException {
        String older = "%s <= clock_timestamp() - interval '%s seconds'";
        return oldest(session, OTHERS + "a.backend_xid IS NOT NULL AND " + older.formatted("a.xact_start", seconds),
                " WHERE " + older.formatted("p.prepared", seconds));
    }

    /** Those of a database that began before an instant. */
    static List<String> before(Session session, String instant) throws SQLException {
        return oldest(session, OTHERS + "a.datname = current_database() AND a.xact_start < ?::timestamptz",
                " WHERE p.database = current_database() AND p.prepared < ?::timestamptz", instant, instant);
    }

    /** Those that keep tables of a database from others. */
    static List<String> thatLock(Session session) throws SQLException {
        String locks = "(SELECT %s FROM pg_locks l WHERE l.locktype = 'relation' AND l.granted AND l.mode NOT IN ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock') AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
        return oldest(session, OTHERS + "a.pid IN " + locks.formatted("l.pid"),
                PREPARED_LOCKS + "WHERE x.virtualtransaction IN " + locks.formatted("l.virtualtransaction"));
    }

    /** Those for which movers wait in a database. */
    static List<String> thatBlockMovers(Session session) throws SQLException {
        String blocking = "(SELECT unnest(pg_blocking_pids(m.pid)) FROM pg_stat_activity m WHERE m.application_name = '%s' AND m.datname = current_database())"
            .formatted(Session.APPLICATION);
        // that of a prepared transaction is 0
        return oldest(session, " WHERE a.pid IN " + blocking, " WHERE 0 IN " + blocking);
    }

    /** Those that share the lock of a shard, and are older than some seconds. */
    static List<String> thatKeep(Session session, ShardRanges shards, int seconds) throws SQLException {
        String locks = "JOIN pg_locks l ON %s WHERE " + LOCKS_OF_SHARDS + " AND (%s OR " + CHANGE_OF_HOMES
                + ") AND %s < clock_timestamp() - interval '%s seconds'";
        String shard = shards.condition("l.objid::bigint");
        // a session keeps a lock without a transaction, too
        return oldest(session,
                locks.formatted("l.pid = a.pid", shard, "coalesce(a.xact_start, a.state_change)", seconds),
                PREPARED_LOCKS + locks.formatted("l.pid IS NULL AND l.virtualtransaction = x.virtualtransaction", shard,
                        "p.prepared", seconds));
    }

}
