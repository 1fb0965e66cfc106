package io.shardedid.hibernate;

import java.util.Locale;
import java.util.Map;

import javax.sql.DataSource;

import io.shardedid.config.LeaseEnvironment;
import io.shardedid.worker.table.LeaseConnections;

import org.jspecify.annotations.Nullable;

/**
 * Finds out from the settings of a persistence unit how the keeper of its lease reaches
 * the database: by a connection of its own where the unit names a URL, borrowed from the
 * data source where it has only that.
 */
final class UnitConnections {

    private UnitConnections() {
    }

    static LeaseEnvironment environment(Map<String, Object> unit) {
        return new LeaseEnvironment(connections(unit), makesSchema(unit),
                (unit.get("hibernate.persistenceUnitName") instanceof String name) ? name : "", java.util.List.of());
    }

    private static @Nullable LeaseConnections connections(Map<String, Object> unit) {
        Object url = first(unit, "jakarta.persistence.jdbc.url", "hibernate.connection.url");
        if (url instanceof String text) {
            return LeaseConnections.url(text,
                    (String) first(unit, "jakarta.persistence.jdbc.user", "hibernate.connection.username"),
                    (String) first(unit, "jakarta.persistence.jdbc.password", "hibernate.connection.password"));
        }
        Object dataSource = first(unit, "jakarta.persistence.nonJtaDataSource", "hibernate.connection.datasource",
                "jakarta.persistence.jtaDataSource");
        return (dataSource instanceof DataSource pool) ? LeaseConnections.borrowed(pool) : null;
    }

    private static boolean makesSchema(Map<String, Object> unit) {
        String name = schemaAction(unit);
        return name.startsWith("create") || name.startsWith("drop-and-create") || name.equals("update");
    }

    /** What Hibernate does to the schema at boot, {@code none} if nothing is set. */
    static String schemaAction(Map<String, Object> unit) {
        Object action = first(unit, "hibernate.hbm2ddl.auto", "jakarta.persistence.schema-generation.database.action");
        return (action != null) ? action.toString().toLowerCase(Locale.ROOT) : "none";
    }

    private static @Nullable Object first(Map<String, Object> unit, String... keys) {
        for (String key : keys) {
            if (unit.get(key) != null) {
                return unit.get(key);
            }
        }
        return null;
    }

}
