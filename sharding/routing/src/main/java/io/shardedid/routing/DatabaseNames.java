package io.shardedid.routing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Binds names to databases at a start: two names lead to two databases, none to a
 * standby, each to the one that the first router has noted, and one database alone has
 * leases and a map of the namespace.
 */
final class DatabaseNames {

    private static final Log LOG = LogFactory.getLog(DatabaseNames.class);

    /** States of a table or schema that is not there. */
    private static final Set<String> NO_TABLE = Set.of("42P01", "3F000", "42S02", "42S03", "42S04", "42000");

    private final Databases databases;

    /** The namespace of the leases; null if this process leases no worker id there. */
    private final @Nullable String namespace;

    private final String leaseTable;

    DatabaseNames(Databases databases, @Nullable String namespace, String leaseTable) {
        this.databases = databases;
        this.namespace = namespace;
        this.leaseTable = leaseTable;
    }

    /**
     * Asks each database that the start looks at.
     * @throws ShardedIdConfigurationException if a name leads to the wrong one
     */
    void check() {
        Map<String, Asked> asked = new LinkedHashMap<>();
        try {
            for (String name : this.databases.namesAtStart()) {
                try {
                    asked.put(name, Asked.of(this.databases.pool(name).getConnection()));
                    check(name, asked);
                }
                catch (SQLException ex) {
                    // one that is away is refused by what looks at it before or
                    // afterwards
                    LOG.warn("Could not look which database a name leads to: database=%s (%s)".formatted(name,
                            Shown.line(ex.getMessage())));
                }
            }
        }
        finally {
            asked.values().forEach(Asked::end);
        }
    }

    private void check(String name, Map<String, Asked> asked) throws SQLException {
        Asked one = Objects.requireNonNull(asked.get(name));
        if (one.postgres && "t".equals(one.ask("SELECT pg_is_in_recovery()"))) {
            throw refused("must not lead to a standby: database=%s".formatted(name), "let its URL lead to the primary");
        }
        String identity = one.identity();
        for (Map.Entry<String, Asked> other : asked.entrySet()) {
            if (!other.getKey().equals(name) && one.isSame(other.getValue())) {
                throw refused("must lead to different ones: databases=[%s, %s]".formatted(other.getKey(), name),
                        "correct the URL of one of them, or remove it");
            }
        }
        requireNoted(name, identity);
        if (this.namespace != null && !name.equals(this.databases.home())) {
            String map = this.leaseTable.substring(0, this.leaseTable.indexOf('.') + 1) + "shardedid_shard";
            for (String table : List.of(this.leaseTable, map)) {
                requireNoRow(name, one, table);
            }
        }
    }

    private void requireNoted(String name, String identity) {
        String noted;
        try {
            noted = this.databases.note(name, identity);
        }
        catch (ShardedIdException ex) {
            LOG.warn(
                    "Could not note which database a name leads to: database=%s (%s)".formatted(name, ex.getMessage()));
            return;
        }
        if (!noted.equals(identity)) {
            throw refused(
                    "must lead to the database that the map means: database=%s, identity='%s', identity in the map='%s' (the right one may have the only rows of its shards)"
                        .formatted(name, identity, noted),
                    "correct '%s.%s.url'".formatted(DatabasesProperties.PREFIX, name));
        }
    }

    /** Processes with different homes would lease the same worker ids. */
    private void requireNoRow(String name, Asked database, String table) throws SQLException {
        String rows;
        try {
            rows = database.ask("SELECT COUNT(*) FROM %s WHERE namespace = ?".formatted(table), this.namespace);
        }
        catch (SQLException ex) {
            if (!NO_TABLE.contains(String.valueOf(ex.getSQLState()))) {
                throw ex;
            }
            rows = "0";
            database.connection.rollback();
        }
        if (!"0".equals(rows)) {
            throw new ShardedIdConfigurationException(
                    "One database alone must have leases and a map of the namespace: namespace='%s', '%s.home'=%s, database=%s, table=%s, rows=%s (processes with another home database would make duplicate ids)"
                        .formatted(this.namespace, DatabasesProperties.PREFIX, this.databases.home(), name, table,
                                rows),
                    "name the home database of all processes, or stop them all and delete these rows where they do not belong");
        }
    }

    private static ShardedIdConfigurationException refused(String rule, String remedy) {
        return new ShardedIdConfigurationException("Names of databases " + rule, remedy);
    }

    /**
     * A database that is asked, in one transaction that is rolled back.
     *
     * @param connection a connection of its pool
     * @param autoCommit what the pool has set
     * @param postgres whether it is PostgreSQL
     */
    private record Asked(Connection connection, boolean autoCommit, boolean postgres) {

        static Asked of(Connection connection) throws SQLException {
            try {
                Asked asked = new Asked(connection, connection.getAutoCommit(),
                        "PostgreSQL".equals(connection.getMetaData().getDatabaseProductName()));
                connection.setAutoCommit(false);
                return asked;
            }
            catch (SQLException ex) {
                connection.close();
                throw ex;
            }
        }

        /** The identity; empty if the script of the fence has not run there. */
        String identity() throws SQLException {
            String identity = (this.postgres && "t".equals(ask("SELECT to_regclass('shardedid_identity') IS NOT NULL")))
                    ? ask("SELECT identity FROM shardedid_identity WHERE one = 1") : null;
            return (identity != null) ? identity : "";
        }

        /**
         * Both have one identity, or are in the same schema, where one cannot take what
         * the other has locked.
         */
        boolean isSame(Asked other) throws SQLException {
            String identity = identity();
            String others = other.identity();
            if (!identity.isEmpty() && !others.isEmpty()) {
                return identity.equals(others);
            }
            String product = this.connection.getMetaData().getDatabaseProductName();
            if (!product.equals(other.connection.getMetaData().getDatabaseProductName())) {
                return false;
            }
            if (product.equals("H2")) {
                return this.connection.getMetaData().getURL().equals(other.connection.getMetaData().getURL());
            }
            String place = this.postgres ? "SELECT current_database() || ' ' || current_schema()" : "SELECT DATABASE()";
            if (!String.valueOf(ask(place)).equals(other.ask(place))) {
                return false;
            }
            UUID number = UUID.randomUUID();
            if (this.postgres) {
                String lock = "SELECT pg_try_advisory_xact_lock(%s)".formatted(number.getMostSignificantBits());
                return "t".equals(ask(lock)) && "f".equals(other.ask(lock));
            }
            String taken = ask("SELECT GET_LOCK('%s', 0)".formatted(number));
            String takenThere = other.ask("SELECT GET_LOCK('%s', 0)".formatted(number));
            other.ask("SELECT RELEASE_LOCK('%s')".formatted(number));
            ask("SELECT RELEASE_LOCK('%s')".formatted(number));
            return "1".equals(taken) && "0".equals(takenThere);
        }

        @Nullable String ask(String sql, @Nullable Object... values) throws SQLException {
            try (PreparedStatement statement = this.connection.prepareStatement(sql)) {
                for (int at = 0; at < values.length; at++) {
                    statement.setObject(at + 1, values[at]);
                }
                try (ResultSet found = statement.executeQuery()) {
                    return found.next() ? found.getString(1) : null;
                }
            }
        }

        void end() {
            try (Connection ended = this.connection) {
                ended.rollback();
                ended.setAutoCommit(this.autoCommit);
            }
            catch (SQLException ex) {
                LOG.debug("A connection of the start was closed", ex);
            }
        }

    }

}
