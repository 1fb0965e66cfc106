package io.shardedid.move;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

import io.shardedid.shards.ShardRange;
import org.jspecify.annotations.Nullable;

/** Asks all databases who takes the writes of which shards, and what moves have left. */
final class MoveSurvey {

    private final MoveDatabases databases;

    private final Map<Integer, String> homes = new TreeMap<>();

    /** What each database that has answered says about shards. */
    private final Map<String, Map<Integer, Home>> states = new TreeMap<>();

    private final Map<String, String> names = new HashMap<>();

    private final Map<String, List<String>> disabled = new HashMap<>();

    private final List<MoveStatus.Slot> slots = new ArrayList<>();

    private final List<String> unknown = new ArrayList<>();

    MoveSurvey(MoveDatabases databases) {
        this.databases = databases;
    }

    /** The moves that are not finished; nobody works on a move that is stuck. */
    static List<MoveStatus.OpenMove> openMoves(Session map, MoveDatabases databases) throws SQLException {
        List<MoveStatus.OpenMove> moves = new ArrayList<>();
        for (List<@Nullable String> row : map.rows(
                "SELECT string_agg(shard::text, ','), source, target, step, mover FROM %s WHERE namespace = ? AND shard >= 0 AND step IS NOT NULL GROUP BY source, target, step, mover ORDER BY min(shard)"
                    .formatted(databases.mapTable("shardedid_shard")),
                databases.namespace())) {
            ShardRanges shards = ShardRanges.parse(Objects.requireNonNull(row.get(0)));
            moves.add(new MoveStatus.OpenMove(shards, Objects.requireNonNull(row.get(1)),
                    Objects.requireNonNull(row.get(2)), Objects.requireNonNull(row.get(3)), Long.parseLong(row.get(4)),
                    MapRows.movers(map, databases.namespace(), shards).isEmpty() ? "no mover works on it" : null));
        }
        return moves;
    }

    /** Reads who is to take the writes. */
    void map(Session map) throws SQLException {
        for (List<@Nullable String> row : map.rows("SELECT shard, home FROM %s WHERE namespace = ? AND shard >= 0"
            .formatted(this.databases.mapTable("shardedid_shard")), this.databases.namespace())) {
            this.homes.put(Integer.valueOf(String.valueOf(row.get(0))), String.valueOf(row.get(1)));
        }
    }

    /** Asks one database. */
    void ask(Session session, boolean moving) throws SQLException {
        for (List<@Nullable String> row : session.rows("""
                SELECT slot_name, active, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::bigint
                  FROM pg_replication_slots WHERE slot_name LIKE ? AND database = current_database() ORDER BY 1""",
                Replication.SLOTS)) {
            this.slots.add(new MoveStatus.Slot(session.database(), Objects.requireNonNull(row.get(0)),
                    "t".equals(row.get(1)), Long.parseLong(row.get(2)), moving));
        }
        this.names.put(session.database(), session.text("SELECT current_database()"));
        this.disabled.put(session.database(), session.texts(
                "SELECT subname FROM pg_subscription WHERE NOT subenabled AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())"));
        if (session.holds("SELECT to_regclass('shardedid_home') IS NOT NULL")) {
            Map<Integer, Home> found = new HashMap<>();
            for (List<@Nullable String> row : session
                .rows("SELECT shard, state, (extract(epoch FROM changed_at) * 1000)::bigint FROM shardedid_home")) {
                found.put(Integer.valueOf(String.valueOf(row.get(0))), new Home(String.valueOf(row.get(1)),
                        Instant.ofEpochMilli(Long.parseLong(String.valueOf(row.get(2))))));
            }
            this.states.put(session.database(), found);
        }
    }

    /** Notes that a database has not answered. */
    void unknown(String database, String why) {
        this.unknown.add("%s: %s".formatted(database, why));
    }

    MoveStatus status(List<MoveStatus.OpenMove> moves) {
        return new MoveStatus(refused(), twice(), moves.stream().map(this::withSubscription).toList(),
                List.copyOf(this.slots), List.copyOf(this.unknown));
    }

    private MoveStatus.OpenMove withSubscription(MoveStatus.OpenMove move) {
        String name = Replication.name(this.databases.namespace(), move.source(), move.target(), move.shards(),
                this.names.getOrDefault(move.source(), ""));
        boolean failed = move.stage().equals("copy")
                && this.disabled.getOrDefault(move.target(), List.of()).contains(name);
        return failed ? move.stuckBecause(
                "subscription %s was disabled by an error; the log of the target's server names it".formatted(name))
                : move;
    }

    /** By the map a database is to take the writes, and it does not. */
    private List<MoveStatus.Refused> refused() {
        Map<Integer, MoveStatus.Refused> found = new TreeMap<>();
        this.homes.forEach((shard, database) -> {
            Map<Integer, Home> known = this.states.get(database);
            Home home = (known != null) ? known.getOrDefault(shard, Home.NONE) : Home.HERE;
            if (!home.takesWrites()) {
                found.put(shard,
                        new MoveStatus.Refused(new ShardRange(shard, shard), database, home.state, home.since));
            }
        });
        return joined(found.values(),
                (one, next) -> (one.shards().last() + 1 == next.shards().first()
                        && one.database().equals(next.database()) && one.state().equals(next.state()))
                                ? new MoveStatus.Refused(new ShardRange(one.shards().first(), next.shards().last()),
                                        one.database(), one.state(), earlier(one.since(), next.since()))
                                : null);
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        return (one == null || other != null && other.isBefore(one)) ? other : one;
    }

    private List<MoveStatus.Twice> twice() {
        Map<Integer, MoveStatus.Twice> found = new TreeMap<>();
        this.homes.keySet().forEach((shard) -> {
            List<String> here = this.states.entrySet()
                .stream()
                .filter((database) -> database.getValue().getOrDefault(shard, Home.NONE).takesWrites())
                .map(Map.Entry::getKey)
                .toList();
            if (here.size() > 1) {
                found.put(shard, new MoveStatus.Twice(new ShardRange(shard, shard), here));
            }
        });
        return joined(found.values(), (one,
                next) -> (one.shards().last() + 1 == next.shards().first() && one.databases().equals(next.databases()))
                        ? new MoveStatus.Twice(new ShardRange(one.shards().first(), next.shards().last()),
                                one.databases())
                        : null);
    }

    /** Joins neighbours as long as the joint of two is not null. */
    private static <T> List<T> joined(Iterable<T> all, BinaryOperator<@Nullable T> joint) {
        List<T> joined = new ArrayList<>();
        for (T next : all) {
            T both = joined.isEmpty() ? null : joint.apply(joined.get(joined.size() - 1), next);
            if (both != null) {
                joined.set(joined.size() - 1, both);
            }
            else {
                joined.add(next);
            }
        }
        return List.copyOf(joined);
    }

    /**
     * A home row.
     *
     * @param state its state
     * @param since since when; null if there is no row
     */
    private record Home(String state, @Nullable Instant since) {

        static final Home NONE = new Home("none", null);

        static final Home HERE = new Home("here", null);

        boolean takesWrites() {
            return this.state.equals("here");
        }

    }

}
