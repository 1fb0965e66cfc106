package io.shardedid.routing;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

import javax.sql.DataSource;

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

    private final String home;

    private final Supplier<ShardDirectory> directory;

    private volatile boolean starting = true;

    private volatile @Nullable ShardDirectory opened;

    /** The bean, which each statement would otherwise look for. */
    private volatile @Nullable ShardDirectory found;

    private final boolean entersAlways;

    private volatile Set<String> fenced = Set.of();

    Databases(Map<String, DataSource> pools, String home, boolean entersAlways, Supplier<ShardDirectory> directory) {
        this.entersAlways = entersAlways;
        this.pools = pools;
        this.home = home;
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
        ShardDirectory directory = this.opened;
        if (directory != null) {
            directory.close();
        }
    }

    /** Returns the names of the databases, the home database first. */
    List<String> namesHomeFirst() {
        return this.pools.keySet()
            .stream()
            .sorted((one, other) -> Boolean.compare(other.equals(this.home), one.equals(this.home)))
            .toList();
    }

    /** Says which databases have a fence around their shards. */
    void fenced(Set<String> fenced) {
        this.fenced = fenced;
    }

    @Override
    public boolean fenced(String database) {
        return this.fenced.contains(database);
    }

    @Override
    public boolean entersAlways() {
        return this.entersAlways;
    }

    /** From now on, a statement without a shard is refused. */
    void started() {
        this.starting = false;
    }

    @Override
    public boolean several() {
        return this.pools.size() > 1;
    }

    @Override
    public String databaseOf(int shard) {
        return map().databaseOf(shard);
    }

    @Override
    public ShardDirectory.Use use(int shard) {
        return directory().use(shard);
    }

    @Override
    public ShardDirectory.@Nullable Use useAll() {
        return several() ? directory().useAll() : null;
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
        return (this.starting || !several()) ? this.home : null;
    }

}
