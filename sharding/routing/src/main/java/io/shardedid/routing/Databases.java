package io.shardedid.routing;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdException;
import io.shardedid.shards.ShardDirectory;
import io.shardedid.shards.ShardMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The databases of the application, each with its pool. While the application starts,
 * statements without a shard go to the home database; afterwards they have none. Safe for
 * use by many threads.
 */
final class Databases implements Homes {

    private static final Log LOG = LogFactory.getLog(Databases.class);

    private final Map<String, DataSource> pools;

    private final boolean several;

    private final String home;

    private final Supplier<ShardDirectory> directory;

    private volatile boolean starting = true;

    private volatile @Nullable ShardDirectory opened;

    /** The bean, which each statement would otherwise look for. */
    private volatile @Nullable ShardDirectory found;

    private final boolean entersAlways;

    private final boolean startsWithHome;

    private final SideBySide sideBySide;

    /** The databases that have a fence, which they keep. */
    private final Set<String> fenced = ConcurrentHashMap.newKeySet();

    /** When a database had no fence, which a script may change at any time. */
    private final Map<String, Long> unfenced = new ConcurrentHashMap<>();

    private final long refreshNanos;

    Databases(Map<String, DataSource> pools, DatabasesProperties properties, SideBySide sideBySide,
            Supplier<ShardDirectory> directory) {
        this.pools = pools;
        this.several = pools.size() > 1;
        this.home = properties.home();
        this.entersAlways = properties.enter() == DatabasesProperties.Enter.TRANSACTION;
        this.startsWithHome = properties.start() == DatabasesProperties.Start.HOME;
        this.refreshNanos = properties.refresh().toNanos();
        this.sideBySide = sideBySide;
        this.directory = directory;
    }

    /** Returns the pools by the names of their databases. */
    Map<String, DataSource> pools() {
        return this.pools;
    }

    /** Returns the pool of a database that is configured. */
    DataSource pool(String database) {
        return Objects.requireNonNull(this.pools.get(database));
    }

    /** Returns the shard map. */
    ShardMap map() {
        return directory().current();
    }

    /** Returns the databases of the shards that no mover works on. */
    Map<Integer, String> settled() {
        return directory().settled();
    }

    /**
     * Notes which database a name leads to, unless that is noted, and returns what is.
     */
    String note(String database, String identity) {
        return directory().note(database, identity);
    }

    /** Returns what is wrong with the map in its table; empty if nothing is. */
    String mapProblem() {
        return directory().problem();
    }

    private ShardDirectory directory() {
        ShardDirectory known = this.found;
        if (known == null) {
            known = this.directory.get();
            this.found = known;
        }
        return known;
    }

    /**
     * Takes over to close a directory. Beans that are destroyed may still save rows, and
     * all of them are destroyed before the data source that they use.
     */
    ShardDirectory closeWithPools(ShardDirectory directory) {
        this.opened = directory;
        return directory;
    }

    /** Closes the directory, unless the end of the lease has done so. */
    void close() {
        this.sideBySide.close();
        ShardDirectory directory = this.opened;
        if (directory != null) {
            directory.close();
        }
    }

    /**
     * Returns the databases that the start migrates, validates and asks for their fence,
     * the home database first.
     */
    List<String> namesAtStart() {
        return this.startsWithHome ? List.of(this.home)
                : this.pools.keySet()
                    .stream()
                    .sorted((one, other) -> Boolean.compare(other.equals(this.home), one.equals(this.home)))
                    .toList();
    }

    /**
     * Looks whether a database has a fence around its shards, unless that is known. A
     * database without one is asked again as often as the map is.
     * @param connection a connection to it
     * @return whether it has one
     * @throws SQLException if the database does not say
     * @throws ShardedIdConfigurationException if each transaction has to enter its shard,
     * and there is no fence
     */
    boolean lookForFence(String database, Connection connection) throws SQLException {
        if (this.fenced.contains(database)) {
            return true;
        }
        long now = System.nanoTime();
        Long asked = this.unfenced.get(database);
        if (asked != null && now - asked < this.refreshNanos) {
            return false;
        }
        if (hasFence(connection)) {
            this.fenced.add(database);
            return true;
        }
        if (this.entersAlways) {
            throw new ShardedIdConfigurationException(
                    ("'%s' must be 'write' where a database has no fence: database=%s (a transaction enters its "
                            + "shard by the function 'shardedid_enter')")
                        .formatted(DatabasesProperties.ENTER, database),
                    "run the script of the fence there, or remove the key");
        }
        this.unfenced.put(database, now);
        return false;
    }

    private static boolean hasFence(Connection connection) throws SQLException {
        if (!connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
            return false;
        }
        try (Statement statement = connection.createStatement();
                ResultSet found = statement
                    .executeQuery("SELECT to_regprocedure('shardedid_enter(integer)') IS NOT NULL")) {
            return found.next() && found.getBoolean(1);
        }
    }

    @Override
    public boolean fenced(String database) {
        return this.fenced.contains(database);
    }

    @Override
    public SideBySide sideBySide() {
        return this.sideBySide;
    }

    @Override
    public boolean entersAlways() {
        return this.entersAlways;
    }

    /** From now on, a statement without a shard fails. */
    void started() {
        this.starting = false;
    }

    @Override
    public boolean several() {
        return this.several;
    }

    @Override
    public String databaseOf(int shard) {
        return map().databaseOf(shard);
    }

    @Override
    public @Nullable ShardMap mapOfSeveral() {
        return this.several ? map() : null;
    }

    @Override
    public List<String> names() {
        return List.copyOf(this.pools.keySet());
    }

    @Override
    public String home() {
        return this.home;
    }

    @Override
    public void refresh() {
        try {
            directory().refresh();
        }
        catch (ShardedIdException ex) {
            LOG.debug("The shard map could not be read again", ex);
        }
    }

    @Override
    public @Nullable String whileStarting() {
        return (this.starting || !this.several) ? this.home : null;
    }

}
