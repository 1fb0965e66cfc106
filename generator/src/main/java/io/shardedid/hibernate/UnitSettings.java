package io.shardedid.hibernate;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.internal.config.KeyChange;
import io.shardedid.internal.config.LeaseEnvironment;
import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.jspecify.annotations.Nullable;

/**
 * What the settings of a persistence unit say about its ids: the keys of ours, how the
 * keeper of a lease reaches the database, and who brings the engine. Thread-safe.
 */
final class UnitSettings {

    private final Map<String, Object> unit;

    /** What makes the connections of the unit, or null if tenants have their own. */
    private final Supplier<? extends @Nullable ConnectionProvider> provider;

    private volatile @Nullable ShardedIdSettings keys;

    UnitSettings(Map<String, Object> unit, Supplier<? extends @Nullable ConnectionProvider> provider) {
        this.unit = unit;
        this.provider = provider;
    }

    /**
     * Returns the keys of ours. They are read late, so that a factory without sharded ids
     * is never bothered.
     * @throws ShardedIdConfigurationException if they cannot be read, or an engine was
     * handed over beside them
     */
    ShardedIdSettings keys() {
        ShardedIdSettings read = this.keys;
        if (read == null) {
            read = ShardedIdSettings.from(withoutUnknownSystemProperties());
            refuseIgnored(read);
            this.keys = read;
        }
        return read;
    }

    /**
     * Hibernate mixes all system properties into its settings, also those that merely
     * start like ours.
     */
    private Map<String, Object> withoutUnknownSystemProperties() {
        return this.unit.entrySet()
            .stream()
            .filter((entry) -> entry.getValue() != null)
            .filter((entry) -> ShardedIdKey.named(entry.getKey()).isPresent()
                    || !entry.getValue().equals(System.getProperty(entry.getKey())))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /**
     * Returns what is set for the unit. Looks at nothing else, so that a factory without
     * sharded ids is not bothered.
     */
    KeyChange onKeyChange() {
        String key = ShardedIdKey.ON_KEY_CHANGE.externalName();
        Object set = this.unit.get(key);
        return ShardedIdSettings.from((set != null) ? Map.of(key, set) : Map.of())
            .value(ShardedIdKey.ON_KEY_CHANGE, KeyChange.class);
    }

    /**
     * Refuses to run on default values where an integration was to bring the engine.
     * @throws ShardedIdConfigurationException if so
     */
    void mayOpen() {
        // a framework that makes the beans also brings the engine, or a mode is set
        boolean byFramework = this.unit.get(AvailableSettings.BEAN_CONTAINER) != null;
        boolean managed = keys().value(ShardedIdKey.MANAGED, Boolean.class);
        if (managed || byFramework && !keys().isSet(ShardedIdKey.WORKER_MODE)) {
            throw new ShardedIdConfigurationException(
                    "No id engine was handed over: '%s' is absent (%s)".formatted(ShardedIdSettings.ENGINE,
                            managed ? ShardedIdSettings.MANAGED + " is set"
                                    : "a framework makes the beans: " + AvailableSettings.BEAN_CONTAINER + " is set"),
                    ("add 'shardedid-spring-boot-starter' and do not exclude its 'ShardedIdAutoConfiguration', or put a "
                            + "ShardedIdEngine under that key into the properties of the persistence unit, or set "
                            + "'shardedid.worker.mode' there and leave '%s' out to let the unit open its own")
                        .formatted(ShardedIdSettings.MANAGED));
        }
    }

    /**
     * Returns how the keeper of a lease reaches the database: by the unit's data source
     * or its URL. The connections of the unit must read the first lease.
     */
    LeaseEnvironment leaseEnvironment() {
        String action = String
            .valueOf(first(AvailableSettings.HBM2DDL_AUTO, AvailableSettings.JAKARTA_HBM2DDL_DATABASE_ACTION))
            .toLowerCase(Locale.ROOT);
        boolean makesSchema = action.startsWith("create") || action.startsWith("drop-and-create")
                || action.equals("update");
        LeaseConnections connections = connections();
        return new LeaseEnvironment(connections, makesSchema,
                (this.unit.get("hibernate.persistenceUnitName") instanceof String name) ? name : "", List.of(),
                (connections != null) ? List.of(connections) : List.of(), false, null);
    }

    private @Nullable LeaseConnections connections() {
        ConnectionProvider known = this.provider.get();
        DataSource source = dataSource(known);
        if (source != null && LeaseConnections.ofKnown(source).isEmpty() && !keys().isSet(ShardedIdKey.LEASE_URL)) {
            throw new ShardedIdConfigurationException(
                    ("Could not lease a worker id: data source=%s (it may choose a database for each connection, as far "
                            + "as its class tells, and all processes must lease from one table)")
                        .formatted(source.getClass().getName()),
                    "set 'shardedid.worker.lease.url'", ShardedIdKey.LEASE_URL.externalName());
        }
        LeaseConnections own = (source != null) ? LeaseConnections.own(source) : byUrl();
        return (own != null && known != null) ? own.seenBy(new UnitConnections(known)) : own;
    }

    private @Nullable LeaseConnections byUrl() {
        Object url = first(AvailableSettings.JAKARTA_JDBC_URL, "hibernate.connection.url");
        return (url instanceof String text)
                ? LeaseConnections.url(text,
                        (String) first(AvailableSettings.JAKARTA_JDBC_USER, "hibernate.connection.username"),
                        (String) first(AvailableSettings.JAKARTA_JDBC_PASSWORD, "hibernate.connection.password"))
                : null;
    }

    /** The provider also knows a data source that the unit names. */
    private @Nullable DataSource dataSource(@Nullable ConnectionProvider known) {
        if (known != null && known.isUnwrappableAs(DataSource.class)) {
            return known.unwrap(DataSource.class);
        }
        Object set = first(AvailableSettings.JAKARTA_NON_JTA_DATASOURCE, "hibernate.connection.datasource",
                AvailableSettings.JAKARTA_JTA_DATASOURCE);
        return (set instanceof DataSource source) ? source : null;
    }

    private @Nullable Object first(String... names) {
        for (String name : names) {
            if (this.unit.get(name) != null) {
                return this.unit.get(name);
            }
        }
        return null;
    }

    /**
     * Refuses settings of the engine beside one that was handed over, since nobody would
     * read them. What makes the engine reads the properties of the JVM itself.
     */
    private void refuseIgnored(ShardedIdSettings read) {
        if (!read.isSet(ShardedIdKey.ENGINE)) {
            return;
        }
        String[] ignored = Arrays.stream(ShardedIdKey.values())
            .filter((key) -> key.isPublic() && key != ShardedIdKey.ON_KEY_CHANGE && read.isSet(key))
            .map(ShardedIdKey::externalName)
            .filter((name) -> !Objects.equals(this.unit.get(name), System.getProperty(name)))
            .toArray(String[]::new);
        if (ignored.length > 0) {
            throw new ShardedIdConfigurationException(
                    "A persistence unit sets what the id engine handed over to it has of its own: %s"
                        .formatted(String.join(", ", ignored)),
                    "set it where the engine is made, and remove it from the unit", ignored);
        }
    }

}
