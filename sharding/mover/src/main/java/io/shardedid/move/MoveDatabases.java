package io.shardedid.move;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.shardedid.internal.NearestName;
import org.jspecify.annotations.Nullable;

/**
 * The databases that hold shards, by the keys of the application.
 *
 * @param databases the databases by their names in the shard map
 * @param home the name of the database with the lease table and the shard map
 * @param namespace the namespace of the leases
 * @param leaseTable the lease table, with or without its schema, where the shard map has
 * its tables, too; null for {@code shardedid_worker} in the first schema of the search
 * path
 * @since 0.1
 */
public record MoveDatabases(Map<String, Database> databases, String home, String namespace,
        @Nullable String leaseTable) {

    private static final Pattern URL = Pattern.compile("shardedid\\.databases\\.([^.]+)\\.url");

    /**
     * Checks the names.
     * @param databases the databases by their names
     * @param home the name of the database with the map
     * @param namespace the namespace of the leases
     * @param leaseTable the lease table, or null
     * @throws MoveException if the home is no database
     */
    public MoveDatabases {
        databases = Map.copyOf(databases);
        if (!databases.containsKey(home)) {
            throw MoveException.refused(
                    "Database of the shard map is not configured: shardedid.databases.home='%s' (databases: %s); correct it"
                        .formatted(home, new TreeMap<>(databases).keySet()));
        }
    }

    /**
     * Reads the keys of the application: {@code shardedid.databases.<name>.url},
     * {@code .username}, {@code .password}, {@code shardedid.databases.home},
     * {@code shardedid.worker.lease.table} and {@code shardedid.worker.lease.namespace}.
     * @param properties the keys and their values; other keys are left alone
     * @return the databases
     * @throws MoveException if there is no database, or the home is unknown
     */
    public static MoveDatabases of(Properties properties) {
        Map<String, Database> found = new LinkedHashMap<>();
        for (String name : names(properties)) {
            String prefix = "shardedid.databases.%s.".formatted(name);
            found.put(name, new Database(properties.getProperty(prefix + "url"),
                    properties.getProperty(prefix + "username", ""), properties.getProperty(prefix + "password", "")));
        }
        if (found.isEmpty()) {
            throw MoveException.refused(
                    "There is no database: shardedid.databases.*.url=null; give the properties of the application by --config");
        }
        String home = properties.getProperty("shardedid.databases.home");
        if (home == null && found.size() > 1) {
            throw MoveException
                .refused("Database of the shard map is unknown: shardedid.databases.home=null (databases: %s); set it"
                    .formatted(found.keySet()));
        }
        return new MoveDatabases(found, (home != null) ? home : found.keySet().iterator().next(),
                properties.getProperty("shardedid.worker.lease.namespace", "default"),
                properties.getProperty("shardedid.worker.lease.table"));
    }

    /** The schema of the shard map; null for the first one of the search path. */
    @Nullable String mapSchema() {
        String table = this.leaseTable;
        return (table != null && table.contains(".")) ? table.substring(0, table.indexOf('.')) : null;
    }

    /** Returns the names of the databases, sorted. */
    static Set<String> names(Properties properties) {
        return properties.stringPropertyNames()
            .stream()
            .map(URL::matcher)
            .filter(Matcher::matches)
            .map((key) -> key.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    }

    Database get(String name) {
        Database database = this.databases.get(name);
        if (database == null) {
            throw MoveException.refused("Database is not configured: database='%s' (databases: %s%s); correct the name"
                .formatted(name, new TreeMap<>(this.databases).keySet(),
                        NearestName.of(name, new TreeMap<>(this.databases).keySet())
                            .map((near) -> ", did you mean '%s'?".formatted(near))
                            .orElse("")));
        }
        return database;
    }

    /**
     * A database.
     *
     * @param url its JDBC URL, {@code jdbc:postgresql://host:port/name}; of several hosts
     * that are separated by commas the mover takes the primary
     * @param username the account of the mover
     * @param password its password
     */
    public record Database(String url, String username, String password) {

        /** Returns whether one of several servers is the primary. */
        boolean hasSeveralHosts() {
            return this.url.replaceFirst("^jdbc:postgresql://", "").replaceFirst("[/?].*", "").contains(",");
        }

        /** Returns the account alone: a URL may carry a password, too. */
        @Override
        public String toString() {
            return "Database[username=%s]".formatted(this.username);
        }

    }

}
