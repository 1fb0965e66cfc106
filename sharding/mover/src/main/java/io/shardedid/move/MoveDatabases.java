package io.shardedid.move;

import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The databases that hold shards, by the keys of the application.
 *
 * @param databases the databases by their names in the shard map
 * @param home the name of the database with the lease table and the shard map
 * @param leaseTable the lease table, with or without its schema, which is that of the map
 */
record MoveDatabases(Map<String, Database> databases, String home, String namespace, String leaseTable) {

    private static final Pattern URL = Pattern.compile("shardedid\\.databases\\.([^.]+)\\.url");

    /**
     * Reads the keys of the application, and the passwords in variables as Spring Boot
     * does.
     */
    static MoveDatabases of(Properties properties, Map<String, String> environment) {
        Map<String, Database> found = new TreeMap<>();
        for (String key : properties.stringPropertyNames()) {
            Matcher url = URL.matcher(key);
            if (url.matches()) {
                String prefix = "shardedid.databases.%s.".formatted(url.group(1));
                String variable = (prefix + "password").replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT);
                found.put(url.group(1),
                        new Database(properties.getProperty(key), properties.getProperty(prefix + "username", ""),
                                environment.getOrDefault(variable, properties.getProperty(prefix + "password", ""))));
            }
        }
        MoveDatabases databases = new MoveDatabases(found, properties.getProperty("shardedid.databases.home", ""),
                properties.getProperty("shardedid.worker.lease.namespace", "default"),
                properties.getProperty("shardedid.worker.lease.table", "shardedid_worker"));
        databases.get(databases.home);
        return databases;
    }

    /** A name as SQL quotes it. */
    static String quoted(@Nullable String name) {
        return "\"%s\"".formatted(String.valueOf(name).replace("\"", "\"\""));
    }

    /** Names a table beside the lease table, as SQL does. */
    String beside(String table) {
        int dot = this.leaseTable.indexOf('.');
        return (dot >= 0) ? quoted(this.leaseTable.substring(0, dot)) + "." + table : table;
    }

    Database get(String name) {
        Database database = this.databases.get(name);
        if (database == null) {
            throw MoveException.refused(
                    "Database is not configured: database='%s' (shardedid.databases.*.url: %s); correct the name, --config or shardedid.databases.home"
                        .formatted(name, this.databases.keySet()));
        }
        return database;
    }

    /**
     * A database with its JDBC URL, {@code jdbc:postgresql://host:port/name}, and an
     * account.
     */
    record Database(String url, String username, String password) {

        /** Returns the account alone: a URL may carry a password, too. */
        @Override
        public String toString() {
            return "Database[username=%s]".formatted(this.username);
        }

    }

}
