package io.shardedid.move;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Looks whether the map is older than what the homes and the routers know: it was
 * restored, or its database has failed over and lost its last commits. A router that
 * followed it would look for rows where they were once.
 */
final class OlderMap {

    /** Where shards take writes, or will: after the stage copy, in the target alone. */
    private static final String SETTLED = "SELECT shard, coalesce(target, home), version, identity FROM %s WHERE namespace = ? AND shard >= 0 AND step IS DISTINCT FROM 'copy'";

    private static final String ROUTERS = """
            SELECT r.process || ' (version ' || r.version_seen || ')' FROM %s r JOIN %s m ON m.namespace = r.namespace AND m.shard = -1
             WHERE r.namespace = ? AND (r.version_seen > m.version OR r.version_seen = m.version AND r.identity_seen <> m.identity)
             ORDER BY r.process LIMIT 10""";

    private final MoveDatabases databases;

    /** Shards and their databases as the map had them before the homes were read. */
    private final Set<List<@Nullable String>> settled;

    /** The shards that take writes, by the databases that have answered. */
    private final Map<String, Set<String>> here = new TreeMap<>();

    /** The highest token of the homes. */
    private long token;

    OlderMap(MoveDatabases databases, Session map) throws SQLException {
        this.databases = databases;
        this.settled = settled(map);
    }

    private Set<List<@Nullable String>> settled(Session map) throws SQLException {
        return new HashSet<>(map.rows(SETTLED.formatted(table(map)), this.databases.namespace()));
    }

    private String table(Session map) throws SQLException {
        return map.mapTable(this.databases, "shardedid_shard");
    }

    /** Reads the homes of a database. */
    void ask(Session session) throws SQLException {
        if (session.isFenced()) {
            String homes = session.own("shardedid_home");
            this.here.put(session.database(),
                    new HashSet<>(session.texts("SELECT shard FROM %s WHERE state = 'here'".formatted(homes))));
            this.token = Math.max(this.token, session.number("SELECT coalesce(max(mover), 0) FROM " + homes));
        }
    }

    /**
     * Compares the homes with the shards that have not moved on meanwhile. A mover takes
     * its token in the map, then writes it into the homes.
     * @return what is wrong, and what mends it
     */
    List<String> problems(Session map) throws SQLException {
        this.settled.retainAll(settled(map));
        long last = map.number(
                "SELECT coalesce(max(mover), 0) FROM %s WHERE namespace = ? AND shard = -1".formatted(table(map)),
                this.databases.namespace());
        List<String> problems = new ArrayList<>();
        long next = Math.max(last, this.token);
        for (Map.Entry<List<String>, List<String>> gone : elsewhere().entrySet()) {
            next++;
            problems.add(problem(table(map), ShardRanges.parse(String.join(",", gone.getValue())), gone.getKey().get(0),
                    gone.getKey().get(1), next));
        }
        if (problems.isEmpty() && this.token > last) {
            problems.add(
                    "Shard map has lost tokens of movers: mover in row -1=%s, highest mover in shardedid_home=%s (the map was restored, or has lost its last commits); run in database %s: UPDATE %s SET mover = greatest(mover, %2$s) WHERE namespace = %s AND shard = -1"
                        .formatted(last, this.token, this.databases.home(), table(map), quoted()));
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

    /** The shards that take writes in one other database alone, by both databases. */
    private Map<List<String>, List<String>> elsewhere() {
        return this.settled.stream()
            .filter((row) -> this.here.containsKey(row.get(1)) && in(row.get(0)).size() == 1
                    && !in(row.get(0)).contains(String.valueOf(row.get(1))))
            .collect(Collectors.groupingBy((row) -> List.of(String.valueOf(row.get(1)), in(row.get(0)).get(0)),
                    () -> new TreeMap<>(Comparator.comparing(List::toString)),
                    Collectors.mapping((row) -> String.valueOf(row.get(0)), Collectors.toList())));
    }

    private List<String> in(@Nullable String shard) {
        return this.here.entrySet()
            .stream()
            .filter((database) -> database.getValue().contains(shard))
            .map(Map.Entry::getKey)
            .toList();
    }

    /** A move that is declared open again ends as others do, with a change of the map. */
    private String problem(String table, ShardRanges shards, String home, String open, long mover) {
        return "Shard map is older than shardedid_home: shards=%s, home=%s, open in=%s (the map was restored, or has lost its last commits); if %3$s has their rows, run in database %4$s, and resume %1$s: UPDATE %5$s SET mover = greatest(mover, %6$s), source = CASE WHEN shard >= 0 THEN '%2$s' END, target = CASE WHEN shard >= 0 THEN '%3$s' END, step = CASE WHEN shard >= 0 THEN 'open' END WHERE namespace = %7$s AND step IS DISTINCT FROM 'copy' AND (shard = -1 OR %8$s)"
            .formatted(shards, home, open, this.databases.home(), table, mover, quoted(), shards.condition("shard"));
    }

    private String quoted() {
        return "'" + this.databases.namespace().replace("'", "''") + "'";
    }

}
