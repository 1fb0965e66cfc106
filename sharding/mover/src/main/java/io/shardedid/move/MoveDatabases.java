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

import io.shardedid.NearestName;
import io.shardedid.internal.lease.jdbc.Credentials;
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

    private static final String HOST = "(\\[[^]]+\\]|[^:/,?]+)(:\\d+)?";

    private static final Pattern POSTGRESQL = Pattern
        .compile("jdbc:postgresql://(?<hosts>%1$s(,%1$s)*)/(?<name>[^?]+)(\\?(?<parameters>.*))?".formatted(HOST));

    /** Parameters of a URL that say how to connect; others configure the driver. */
    private static final Pattern CONNECTS = Pattern
        .compile("(?i)ssl.*|gss.*|channelBinding|requireAuth|user|password|service|socketFactory.*");

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
     * The key {@code shardedid.move.<name>.conninfo} says how the server of a target
     * reaches that database, where this differs from the URL.
     * @param properties the keys and their values; other keys are left alone
     * @return the databases
     * @throws MoveException if there is no database, or the home is unknown
     */
    public static MoveDatabases of(Properties properties) {
        Map<String, Database> found = new LinkedHashMap<>();
        for (String name : names(properties)) {
            String prefix = "shardedid.databases.%s.".formatted(name);
            found.put(name, new Database(properties.getProperty(prefix + "url"),
                    properties.getProperty(prefix + "username", ""), properties.getProperty(prefix + "password", ""),
                    properties.getProperty("shardedid.move.%s.conninfo".formatted(name))));
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

    /** The name of the lease table, without its schema. */
    String leases() {
        String table = this.leaseTable;
        return (table == null) ? "shardedid_worker" : table.substring(table.indexOf('.') + 1);
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

    /** Says that a name of the shard map has no database here. */
    static String missing(String name, String which) {
        return "the map names it, and no URL does: %s; give shardedid.databases.%s.url".formatted(which, name);
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
     * @param conninfo how the server of a target reaches this database, as libpq reads
     * it; null if the URL serves for that, too, with its parameter {@code sslmode}
     */
    public record Database(String url, String username, String password, @Nullable String conninfo) {

        /** Returns whether one of several servers is the primary. */
        boolean hasSeveralHosts() {
            return this.url.replaceFirst("^jdbc:postgresql://", "").replaceFirst("[/?].*", "").contains(",");
        }

        /** Returns whether its URL says where the account looks for names first. */
        boolean saysSchema() {
            return this.url.matches("[^?]*\\?(.*&)?currentSchema=.*");
        }

        /** Returns how a server connects to this database. */
        String connectionInfo() {
            if (this.conninfo != null) {
                return this.conninfo;
            }
            Matcher parts = POSTGRESQL.matcher(this.url);
            if (!parts.matches()) {
                throw MoveException.refused(
                        "URL does not say how another server connects: url='%s' (jdbc:postgresql://host:port/name); set shardedid.move.<name>.conninfo"
                            .formatted(Credentials.describe(this.url)));
            }
            List<String> hosts = List.of(parts.group("hosts").split(","));
            String ports = hosts.stream()
                .map((host) -> host.matches(".*:\\d+") && !host.endsWith("]") ? host.replaceFirst(".*:", "") : "5432")
                .collect(Collectors.joining(","));
            StringBuilder text = new StringBuilder("host=%s port=%s dbname=%s".formatted(value(hosts.stream()
                .map((host) -> host.replaceFirst("^\\[(.*)\\](:\\d+)?$", "$1").replaceFirst("^([^:]*):\\d+$", "$1"))
                .collect(Collectors.joining(","))), ports, value(parts.group("name"))));
            if (hasSeveralHosts()) {
                text.append(" target_session_attrs=primary");
            }
            if (!this.username.isEmpty()) {
                text.append(" user=").append(value(this.username));
            }
            if (!this.password.isEmpty()) {
                text.append(" password=").append(value(this.password));
            }
            String parameters = parts.group("parameters");
            for (String parameter : (parameters != null) ? parameters.split("&") : new String[0]) {
                String key = parameter.replaceFirst("=.*", "");
                if (key.equals("sslmode")) {
                    text.append(" sslmode=").append(value(parameter.substring(parameter.indexOf('=') + 1)));
                }
                else if (CONNECTS.matcher(key).matches()) {
                    throw MoveException.refused(
                            "URL has a parameter that another server cannot take over: url='%s', parameter='%s' (of those that say how to connect, it takes sslmode only); set shardedid.move.<name>.conninfo"
                                .formatted(Credentials.describe(this.url), key));
                }
            }
            return text.toString();
        }

        private static String value(String text) {
            return "'%s'".formatted(text.replace("\\", "\\\\").replace("'", "\\'"));
        }

        /** Returns the database without its password. */
        @Override
        public String toString() {
            return "Database[url=%s, username=%s]".formatted(Credentials.describe(this.url), this.username);
        }

    }

}
