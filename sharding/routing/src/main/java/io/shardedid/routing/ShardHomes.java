package io.shardedid.routing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdException;
import io.shardedid.internal.MessageText;
import io.shardedid.shards.ShardRange;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Closes shards where the map does not name them, and refuses a map that is older than
 * their homes. The script of the fence opens each shard in each database, because it
 * knows no map, and a shard that is open twice takes writes in the wrong database, too.
 */
class ShardHomes {

    private static final String OPEN = "SELECT shard, mover FROM shardedid_home WHERE state = 'here'";

    /** A mover that has taken its token meanwhile goes by what it finds, so it wins. */
    private static final String CLOSE = """
            UPDATE shardedid_home h SET state = 'moved', changed_at = clock_timestamp()
              FROM unnest(?, ?) AS known (shard, mover)
             WHERE h.shard = known.shard AND h.mover = known.mover AND h.state = 'here'""";

    private static final Log LOG = LogFactory.getLog(ShardHomes.class);

    private final Databases databases;

    ShardHomes(Databases databases) {
        this.databases = databases;
    }

    /**
     * Closes the shards that no mover works on, in the databases with a fence. The order
     * makes this safe beside movers: first the tokens of the home rows are read, then the
     * map, and then a row is closed only if its token is the same. A mover writes its
     * token into the map first, then into the home rows of both databases, and only then
     * it opens or closes a shard. So a row that changes hands after it was read here has
     * another token, and one that did so before is seen in the map.
     */
    void settle(Set<String> fenced) {
        Map<String, Set<Integer>> elsewhere = look(fenced);
        if (!elsewhere.isEmpty()) {
            // a whole move may have fallen between the two reads of one look
            Map<String, Set<Integer>> again = look(fenced);
            elsewhere.forEach((database, shards) -> {
                shards.retainAll(again.getOrDefault(database, Set.of()));
                if (!shards.isEmpty()) {
                    throw new ShardedIdConfigurationException(
                            ("Shard map must not be older than 'shardedid_home': shards=%s, open in=%s, closed in "
                                    + "the database of the map (the map was restored, or has lost its last commits, so "
                                    + "that processes would look for their rows where they were once)")
                                .formatted(ShardRange.of(shards), database),
                            "correct the map as %s says, then start again".formatted(
                                    MessageText.page("sharding/docs/moving.md#when-the-map-or-a-database-goes-back")));
                }
            });
        }
    }

    /**
     * Closes shards that are open twice.
     * @return the shards that are open in a database that the map does not name, and
     * closed in their home
     */
    private Map<String, Set<Integer>> look(Set<String> fenced) {
        Map<String, Map<Integer, Long>> open = new LinkedHashMap<>();
        fenced.forEach((database) -> {
            try {
                open.put(database, open(this.databases.pool(database)));
            }
            catch (SQLException ex) {
                LOG.warn(
                        "Could not look which shards are open: database=%s (%s); let this account read 'shardedid_home'"
                            .formatted(database, Shown.line(ex.getMessage())));
            }
        });
        Map<Integer, String> settled;
        try {
            settled = settled();
        }
        catch (ShardedIdException ex) {
            LOG.warn("Could not look which shards are open: " + ex.getMessage());
            return Map.of();
        }
        Map<String, Set<Integer>> elsewhere = new TreeMap<>();
        open.forEach((database, tokens) -> {
            Map<Integer, Long> twice = new TreeMap<>();
            Set<Integer> alone = new TreeSet<>();
            tokens.forEach((shard, token) -> {
                String home = settled.get(shard);
                if (home == null || home.equals(database) || !open.containsKey(home)) {
                    return;
                }
                if (open.get(home).containsKey(shard)) {
                    twice.put(shard, token);
                }
                else {
                    alone.add(shard);
                }
            });
            if (!alone.isEmpty()) {
                elsewhere.put(database, alone);
            }
            if (!twice.isEmpty()) {
                close(database, twice);
            }
        });
        return elsewhere;
    }

    /** Returns where the shards are that no mover works on. */
    Map<Integer, String> settled() {
        return this.databases.settled();
    }

    private static Map<Integer, Long> open(DataSource pool) throws SQLException {
        Map<Integer, Long> open = new LinkedHashMap<>();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(OPEN)) {
            while (rows.next()) {
                open.put(rows.getInt(1), rows.getLong(2));
            }
        }
        return open;
    }

    private void close(String database, Map<Integer, Long> shards) {
        try (Connection connection = this.databases.pool(database).getConnection();
                PreparedStatement statement = connection.prepareStatement(CLOSE)) {
            statement.setArray(1, connection.createArrayOf("int4", shards.keySet().toArray()));
            statement.setArray(2, connection.createArrayOf("int8", shards.values().toArray()));
            int closed = statement.executeUpdate();
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
            LOG.info(
                    "Shards were open in two databases, and are closed where the map does not name them: database=%s, shards=%s, closed=%s"
                        .formatted(database, ShardRange.of(shards.keySet()), closed));
        }
        catch (SQLException ex) {
            LOG.warn(
                    ("Shards are open in two databases, and could not be closed where the map does not name them: database=%s, "
                            + "shards=%s (%s); let this account update 'shardedid_home' there, or run as its owner: "
                            + "UPDATE shardedid_home SET state = 'moved', changed_at = clock_timestamp() WHERE state = 'here' AND (%s)")
                        .formatted(database, ShardRange.of(shards.keySet()), Shown.line(ex.getMessage()),
                                ShardRange.of(shards.keySet())
                                    .stream()
                                    .map((range) -> "shard BETWEEN %s AND %s".formatted(range.first(), range.last()))
                                    .collect(Collectors.joining(" OR "))));
        }
    }

}
