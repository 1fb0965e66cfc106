package io.shardedid.move;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Looks whether the map is older than what the homes and the routers know: it was
 * restored, or its database has failed over and lost its last commits. A router that
 * followed it would look for rows where they were once.
 */
final class OlderMap {

    /** The rows of shards, with the database that takes their writes, or will. */
    private static final String ROWS = """
            SELECT shard, CASE WHEN step IS NULL OR step = 'copy' THEN home ELSE target END, coalesce(step, ''), home, version, identity
              FROM %s WHERE namespace = ? AND shard >= 0""";

    private static final String ROUTERS = """
            SELECT r.process || ' (version ' || r.version_seen || ')' FROM %s r JOIN %s m ON m.namespace = r.namespace AND m.shard = -1
             WHERE r.namespace = ? AND (r.version_seen > m.version OR r.version_seen = m.version AND r.identity_seen <> m.identity)
             ORDER BY r.process LIMIT 10""";

    private final MoveDatabases databases;

    /** The rows of the map as they were before the homes were read. */
    private final Set<List<@Nullable String>> rows;

    /** The homes of the databases that have answered, by database and shard. */
    private final Map<String, Map<String, Home>> homes = new TreeMap<>();

    OlderMap(MoveDatabases databases, Session map) throws SQLException {
        this.databases = databases;
        this.rows = rows(map);
    }

    private Set<List<@Nullable String>> rows(Session map) throws SQLException {
        return new HashSet<>(map.rows(ROWS.formatted(table(map)), this.databases.namespace()));
    }

    private String table(Session map) throws SQLException {
        return map.mapTable(this.databases, "shardedid_shard");
    }

    /** Reads the homes of a database. */
    void ask(Session session) throws SQLException {
        if (session.isFenced()) {
            Map<String, Home> found = new HashMap<>();
            for (List<@Nullable String> row : session
                .rows("SELECT shard, state, mover FROM " + session.own("shardedid_home"))) {
                found.put(String.valueOf(row.get(0)),
                        new Home(session.database(), String.valueOf(row.get(1)), Long.parseLong(row.get(2))));
            }
            this.homes.put(session.database(), found);
        }
    }

    /**
     * Compares the homes with the shards that have not moved on meanwhile. A mover takes
     * its token in the map, then writes it into the homes.
     * @return what is wrong, and what mends it
     */
    List<String> problems(Session map) throws SQLException {
        this.rows.retainAll(rows(map));
        long last = map.number(
                "SELECT coalesce(max(mover), 0) FROM %s WHERE namespace = ? AND shard = -1".formatted(table(map)),
                this.databases.namespace());
        long highest = this.homes.values()
            .stream()
            .flatMap((homes) -> homes.values().stream())
            .mapToLong(Home::mover)
            .max()
            .orElse(0);
        List<String> problems = new ArrayList<>();
        long next = Math.max(last, highest);
        for (Map.Entry<Lost, List<String>> lost : lost(last).entrySet()) {
            next++;
            problems
                .add(problem(table(map), ShardRanges.parse(String.join(",", lost.getValue())), lost.getKey(), next));
        }
        if (problems.isEmpty() && highest > last) {
            problems.add(
                    "Shard map has lost tokens of movers: mover in row -1=%s, highest mover in shardedid_home=%s (the map was restored, or has lost its last commits); run in database %s: UPDATE %s SET mover = greatest(mover, %2$s) WHERE namespace = %s AND shard = -1"
                        .formatted(last, highest, this.databases.home(), table(map), quoted()));
        }
        String routers = map.mapTable(this.databases, "shardedid_router");
        List<String> ahead = map.holds("SELECT to_regclass(?) IS NOT NULL", routers)
                ? map.texts(ROUTERS.formatted(routers, table(map)), this.databases.namespace()) : List.of();
        if (!ahead.isEmpty()) {
            problems.add(
                    "Routers go by another map than that of the table: routers=%s (the map was restored, or has lost its last commits); mend what else is named here, resume open moves, restart those that still do, and name dead those that have ended"
                        .formatted(ahead));
        }
        return problems;
    }

    /** The moves that the map has lost, and their shards. */
    private Map<Lost, List<String>> lost(long last) {
        Map<Lost, List<String>> all = new TreeMap<>(
                Comparator.comparing(Lost::mover).thenComparing(Lost::from).thenComparing(Lost::to));
        for (List<@Nullable String> row : this.rows) {
            Lost lost = lost(row, last);
            if (lost != null) {
                all.computeIfAbsent(lost, (key) -> new ArrayList<>()).add(String.valueOf(row.get(0)));
            }
        }
        return all;
    }

    /**
     * A mover writes its token into the map first, and changes the map's stage before the
     * target opens. So homes that are further than the map belong to a move that the map
     * has lost. While shards are copied, only a token says so, because the homes of two
     * databases are read one after the other.
     */
    private @Nullable Lost lost(List<@Nullable String> row, long last) {
        String shard = String.valueOf(row.get(0));
        String writable = String.valueOf(row.get(1));
        String step = String.valueOf(row.get(2));
        List<Home> here = in(shard, "here");
        if (!this.homes.containsKey(writable) || here.size() > 1) {
            return null;
        }
        if (here.isEmpty()) {
            return closed(shard, step, writable, last);
        }
        Home open = here.get(0);
        boolean unknown = open.mover() > last;
        if (!open.database().equals(writable)) {
            return (unknown || !step.equals("copy")) ? new Lost(writable, open.database(), open.mover()) : null;
        }
        Home left = unknown ? partner(shard, "moved", open) : null;
        return (left != null) ? new Lost(left.database(), open.database(), open.mover()) : null;
    }

    /** A lost move has closed its source, and has not opened its target. It is undone. */
    private @Nullable Lost closed(String shard, String step, String writable, long last) {
        for (Home copied : in(shard, "arriving")) {
            Home closed = partner(shard, "moved", copied);
            if (closed == null || copied.mover() <= last) {
                continue;
            }
            // the move of which the map knows is as far as that, too
            boolean known = step.equals("copy") && closed.database().equals(writable)
                    || step.equals("open") && copied.database().equals(writable);
            if (!known) {
                return new Lost(copied.database(), closed.database(), copied.mover());
            }
        }
        return null;
    }

    /** The home of a shard that the same mover has written last. */
    private @Nullable Home partner(String shard, String state, Home other) {
        return in(shard, state).stream().filter((home) -> home.mover() == other.mover()).findFirst().orElse(null);
    }

    private List<Home> in(String shard, String state) {
        return this.homes.values()
            .stream()
            .flatMap((homes) -> Stream.ofNullable(homes.get(shard)))
            .filter((home) -> home.state().equals(state))
            .toList();
    }

    /** A move that is declared open again ends as others do, with a change of the map. */
    private String problem(String table, ShardRanges shards, Lost lost, long mover) {
        return "Shard map is older than shardedid_home: shards=%s, from=%s, to=%s (the map was restored, or has lost its last commits); if %3$s has their rows, run in database %4$s, and resume %1$s: UPDATE %5$s SET mover = %6$s, source = CASE WHEN shard >= 0 THEN '%2$s' END, target = CASE WHEN shard >= 0 THEN '%3$s' END, step = CASE WHEN shard >= 0 THEN 'open' END WHERE namespace = %7$s AND mover < %6$s AND (shard = -1 OR %8$s)"
            .formatted(shards, lost.from(), lost.to(), this.databases.home(), table, mover, quoted(),
                    shards.condition("shard"));
    }

    private String quoted() {
        return "'" + this.databases.namespace().replace("'", "''") + "'";
    }

    /**
     * What a database says of a shard.
     *
     * @param database its name
     * @param state whether the shard takes writes there
     * @param mover the token of its last mover there
     */
    private record Home(String database, String state, long mover) {
    }

    /**
     * A move that the homes know, and the map does not.
     *
     * @param from the database that shards leave
     * @param to the database that takes their writes afterwards
     * @param mover the token that the homes have
     */
    private record Lost(String from, String to, long mover) {
    }

}
