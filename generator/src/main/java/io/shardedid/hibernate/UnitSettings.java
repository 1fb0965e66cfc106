package io.shardedid.hibernate;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
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

    /** What opens the engine where the starter is. */
    private static final String STARTER = "io/shardedid/spring/boot/ShardedIdAutoConfiguration";

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
     * @throws ShardedIdConfigurationException if they cannot be read, or contradict the
     * engine that was handed over
     */
    ShardedIdSettings keys() {
        ShardedIdSettings read = this.keys;
        if (read == null) {
            read = ShardedIdSettings.from(withoutUnknownSystemProperties());
            refuseToContradictTheEngine(read);
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
     * Returns what is set for the unit, there or by what manages it. Looks at nothing
     * else, so that a factory without sharded ids is not bothered.
     */
    KeyChange onKeyChange() {
        String key = ShardedIdKey.ON_KEY_CHANGE.externalName();
        Object set = this.unit.get(key);
        if (set == null && this.unit.get(ShardedIdSettings.MANAGED) instanceof ShardedIdSettings managing) {
            return managing.onKeyChange();
        }
        return ShardedIdSettings.from((set != null) ? Map.of(key, set) : Map.of()).onKeyChange();
    }

    /**
     * Returns the settings of what manages the unit, and otherwise those of the unit.
     */
    ShardedIdSettings outside() {
        ShardedIdSettings own = keys();
        return own.managing().orElse(own);
    }

    /**
     * Refuses to run on default values where an integration was to bring the engine.
     * @throws ShardedIdConfigurationException if so
     */
    void mayOpen() {
        // a framework that makes the beans also brings the engine, or a mode is set
        boolean byFramework = this.unit.get(AvailableSettings.BEAN_CONTAINER) != null;
        boolean managed = keys().managed();
        if (managed || byFramework && !keys().isSet(ShardedIdKey.WORKER_MODE)) {
            throw new ShardedIdConfigurationException(
                    "No id engine was handed over: '%s' is absent (%s)".formatted(ShardedIdSettings.ENGINE,
                            managed ? ShardedIdSettings.MANAGED + " is set"
                                    : "a framework makes the beans: " + AvailableSettings.BEAN_CONTAINER + " is set"),
                    ("%s, or put a ShardedIdEngine under that key into the properties of the persistence unit, or "
                            + "set 'shardedid.worker.mode' there and leave '%s' out to let the unit open its own")
                        .formatted(hasStarter()
                                ? "remove the exclusion of '" + STARTER.replace('/', '.')
                                        + "', or import it, since 'shardedid-spring-boot-starter' is on the class path"
                                : "add 'shardedid-spring-boot-starter'", ShardedIdSettings.MANAGED));
        }
    }

    private static boolean hasStarter() {
        return UnitSettings.class.getClassLoader().getResource(STARTER + ".class") != null;
    }

    /**
     * Returns how the keeper of a lease reaches the database: by the unit's data source
     * or its URL. The connections of the unit must read the first lease.
     */
    LeaseEnvironment leaseEnvironment() {
        String action = schemaAction();
        boolean makesSchema = action.startsWith("create") || action.startsWith("drop-and-create")
                || action.equals("update");
        return new LeaseEnvironment(connections(), makesSchema,
                (this.unit.get("hibernate.persistenceUnitName") instanceof String name) ? name : "", List.of());
    }

    private @Nullable LeaseConnections connections() {
        ConnectionProvider known = this.provider.get();
        DataSource source = dataSource(known);
        if (source == null) {
            LeaseConnections own = byUrl();
            return (own != null && known != null) ? own.seenBy(new UnitConnections(known)) : own;
        }
        if (LeaseConnections.ofKnown(source).isEmpty() && !keys().isSet(ShardedIdKey.LEASE_URL)) {
            throw new ShardedIdConfigurationException(
                    ("Could not lease a worker id: data source=%s (it may choose a database for each connection, as far "
                            + "as its class tells, and all processes must lease from one table)")
                        .formatted(source.getClass().getName()),
                    "set 'shardedid.worker.lease.url'", ShardedIdKey.LEASE_URL.externalName());
        }
        LeaseConnections own = LeaseConnections.own(source);
        return (known != null) ? own.seenBy(new UnitConnections(known)) : own;
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

    /** What Hibernate does to the schema at boot, {@code none} if nothing is set. */
    private String schemaAction() {
        Object action = first(AvailableSettings.HBM2DDL_AUTO, AvailableSettings.JAKARTA_HBM2DDL_DATABASE_ACTION);
        return (action != null) ? action.toString().toLowerCase(Locale.ROOT) : "none";
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
     * Holds what the unit sets against the engine that was handed over to it: one of two
     * different values would be ignored, and nobody would know which.
     */
    private static void refuseToContradictTheEngine(ShardedIdSettings unit) {
        if (unit.engine().isEmpty()) {
            return;
        }
        ShardedIdEngine engine = unit.engine().get();
        Map<String, String> differing = new LinkedHashMap<>();
        for (ShardedIdKey key : ShardedIdKey.values()) {
            if (key.isPublic() && unit.isSet(key)) {
                Object here = comparable(key, unit.get(key));
                Object there = comparable(key, valueThere(key, unit, engine));
                if (!Objects.equals(here, there) && key.isSecret()) {
                    differing.put(key.externalName(), key.externalName());
                }
                else if (!Objects.equals(here, there)) {
                    differing.put(key.externalName(),
                            "%s=%s, engine: %s".formatted(key.externalName(), here, (there != null) ? there : "unset"));
                }
            }
        }
        if (!differing.isEmpty()) {
            throw new ShardedIdConfigurationException(
                    "A persistence unit and the id engine handed over to it differ: %s (one key, one value)"
                        .formatted(String.join("; ", differing.values())),
                    "set the key in one place only", differing.keySet().toArray(String[]::new));
        }
    }

    private static @Nullable Object valueThere(ShardedIdKey key, ShardedIdSettings unit, ShardedIdEngine engine) {
        EngineTerms terms = engine.terms();
        IdLayout layout = terms.layout();
        return switch (key) {
            case EPOCH -> layout.epoch();
            case SHARDS -> terms.shards();
            case SHARD_FUNCTION -> terms.shardFunction();
            case OLDER_IDS_BEFORE -> engine.reader().olderIdsBefore().orElse(null);
            case LAYOUT_PRESET -> presetThere(unit, layout);
            case LAYOUT_SHARD_BITS -> layout.shardBits();
            case LAYOUT_WORKER_BITS -> layout.workerBits();
            case LAYOUT_SEQUENCE_BITS -> layout.sequenceBits();
            case CLOCK_MAX_AHEAD -> terms.maxAhead();
            case CLOCK_MAX_WAIT -> terms.maxWait();
            // of the unit, not of the engine: what manages it may leave it open
            case ON_KEY_CHANGE -> unit.managing()
                .filter((managing) -> managing.isSet(key))
                .map((managing) -> managing.get(key))
                .orElseGet(() -> unit.get(key));
            default -> unit.managing().map((managing) -> managing.get(key)).orElse(null);
        };
    }

    /**
     * An engine does not know the name of its preset: the name agrees if it would make
     * the same fields.
     */
    private static Object presetThere(ShardedIdSettings unit, IdLayout there) {
        Instant epoch = there.epoch();
        boolean same = unit.layout().toBuilder().epoch(epoch).build().equals(there);
        Optional<Object> name = unit.managing().map((managing) -> managing.get(ShardedIdKey.LAYOUT_PRESET));
        Object set = Objects.requireNonNull(unit.get(ShardedIdKey.LAYOUT_PRESET));
        return same ? set : name.orElse(there.fingerprint());
    }

    private static @Nullable Object comparable(ShardedIdKey key, @Nullable Object value) {
        return (value instanceof ShardFunction function) ? function.id() : value;
    }

}
