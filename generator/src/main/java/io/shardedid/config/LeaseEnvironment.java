package io.shardedid.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.worker.LeaseAcquisition;
import io.shardedid.worker.LeaseSettings;
import io.shardedid.worker.LeaseStore;
import io.shardedid.worker.LeaseStoreProvider;
import io.shardedid.worker.StoreChange;
import io.shardedid.worker.WorkerLeaseListener;
import io.shardedid.worker.WorkerLeases;
import io.shardedid.worker.table.JdbcWorkerLeases;
import io.shardedid.worker.table.LeaseConnections;
import io.shardedid.worker.table.SchemaInitialization;
import io.shardedid.worker.table.StoreBesideTable;

import org.jspecify.annotations.Nullable;

/**
 * What the configuration keys do not say about leases: the application around them.
 * <p>
 * The type is public for packages {@code io.shardedid.hibernate} and
 * {@code io.shardedid.spring.boot}, which open engines by configuration keys, and for
 * {@code io.shardedid.cli}, and is no API.
 *
 * @param connections where the keeper connects to unless
 * {@code shardedid.worker.lease.url} is set, or null if nothing is known
 * @param makesSchema whether the application lets Hibernate create or update its schema
 * @param application the name of the application, for people; may be empty
 * @param listeners who hears what happens to the lease
 * @param databases where the rows of the application go, as far as that is known
 * @param clients clients and addresses of other stores than databases that the
 * application has
 * @param awaitTable whether a migration may go on that makes the lease table
 * @since 0.1
 */
public record LeaseEnvironment(@Nullable LeaseConnections connections, boolean makesSchema, String application,
        List<WorkerLeaseListener> listeners, List<LeaseConnections> databases, List<Object> clients,
        boolean awaitTable) {

    private static final System.Logger LOG = System.getLogger(LeaseEnvironment.class.getName());

    private static final String DATABASE = "database";

    /** Nothing is known: leases need {@code shardedid.worker.lease.url}. */
    public static final LeaseEnvironment UNKNOWN = new LeaseEnvironment(null, false, "", List.of());

    /**
     * Makes an environment whose rows go where the keeper connects to.
     * @param connections where the keeper connects to unless
     * {@code shardedid.worker.lease.url} is set, or null if nothing is known
     * @param makesSchema whether the application lets Hibernate create or update its
     * schema
     * @param application the name of the application, for people; may be empty
     * @param listeners who hears what happens to the lease
     */
    public LeaseEnvironment(@Nullable LeaseConnections connections, boolean makesSchema, String application,
            List<WorkerLeaseListener> listeners) {
        this(connections, makesSchema, application, listeners, (connections != null) ? List.of(connections) : List.of(),
                List.of(), false);
    }

    /**
     * Returns whether leases are kept elsewhere than in a database.
     * @param store the value of {@code shardedid.worker.lease.store}, or null
     * @return whether a store is named, or the class path has one, so that the start asks
     * for its name
     */
    public static boolean isElsewhere(@Nullable String store) {
        return (store != null) ? !store.equals(DATABASE) : !providers().isEmpty();
    }

    private static List<LeaseStoreProvider> providers() {
        return ServiceLoader.load(LeaseStoreProvider.class).stream().map(ServiceLoader.Provider::get).toList();
    }

    private static Optional<LeaseStoreProvider> provider(@Nullable String store) {
        if (DATABASE.equals(store)) {
            return Optional.empty();
        }
        List<LeaseStoreProvider> known = providers();
        String names = known.stream().map(LeaseStoreProvider::name).sorted().collect(Collectors.joining(", "));
        if (store == null && known.isEmpty()) {
            return Optional.empty();
        }
        String key = ShardedIdKey.LEASE_STORE.externalName();
        if (store == null) {
            throw new ShardedIdConfigurationException(
                    ("'%s' must be set: %1$s=null (stores on the class path: %s; leases of two stores make equal ids, so "
                            + "no artifact decides where leases live); add the line %s, with the value that all processes "
                            + "of the application have")
                        .formatted(key, names,
                                Stream
                                    .concat(known.stream().map(LeaseStoreProvider::name).sorted(), Stream.of(DATABASE))
                                    .map((name) -> "'%s=%s'".formatted(key, name))
                                    .collect(Collectors.joining(" or "))));
        }
        return Optional.of(known.stream()
            .filter((each) -> each.name().equals(store))
            .findFirst()
            .orElseThrow(() -> new ShardedIdConfigurationException(
                    "'%s' must be '%s' or a store on the class path: %1$s='%s' (stores on the class path: %s); add the "
                        .formatted(key, DATABASE, store, names.isEmpty() ? "none" : names)
                            + "artifact 'shardedid-%s', or correct the name".formatted(store))));
    }

    private WorkerLeases leases(ShardedIdSettings settings, LeaseStoreProvider provider) {
        for (ShardedIdKey key : List.of(ShardedIdKey.LEASE_TABLE, ShardedIdKey.LEASE_INITIALIZE_SCHEMA)) {
            if (settings.isSet(key)) {
                throw new ShardedIdConfigurationException(
                        "'%s' needs 'shardedid.worker.lease.store=database': %1$s='%s', store='%s' (it has no table); remove '%1$s'"
                            .formatted(key.externalName(), settings.get(key), provider.name()));
            }
        }
        LeaseSettings lease = lease(settings);
        LeaseStore store = provider.open(place(settings), lease.namespace());
        told(provider.name(), store.describe(), settings);
        for (LeaseConnections database : (this.connections != null) ? List.of(this.connections) : this.databases) {
            store = new StoreBesideTable(store, database, lease.namespace());
        }
        return (settings.get(ShardedIdKey.LEASE_REPLACES_NAMESPACE) instanceof String replaced)
                ? WorkerLeases.leasedInPlaceOf(lease, store, this.listeners, replaced,
                        () -> provider.open(place(settings), replaced))
                : WorkerLeases.leased(lease, store, this.listeners);
    }

    private LeaseStoreProvider.Place place(ShardedIdSettings settings) {
        return new LeaseStoreProvider.Place((String) settings.get(ShardedIdKey.LEASE_URL),
                (String) settings.get(ShardedIdKey.LEASE_USERNAME), (String) settings.get(ShardedIdKey.LEASE_PASSWORD),
                this.clients);
    }

    WorkerLeases leases(ShardedIdSettings settings) {
        Optional<LeaseStoreProvider> provider = provider((String) settings.get(ShardedIdKey.LEASE_STORE));
        if (provider.isPresent()) {
            return leases(settings, provider.get());
        }
        LeaseSettings lease = lease(settings);
        LeaseConnections database = connectionsFor(settings);
        told(DATABASE, database.describe(), settings);
        String table = (String) settings.value(ShardedIdKey.LEASE_TABLE);
        return (settings.get(ShardedIdKey.LEASE_REPLACES_NAMESPACE) instanceof String replaced)
                ? JdbcWorkerLeases.leasedInPlaceOf(lease, database, table, schemaInitialization(settings),
                        this.listeners, replaced)
                : JdbcWorkerLeases.leased(lease, database, table, schemaInitialization(settings), this.listeners);
    }

    private static void told(String store, String place, ShardedIdSettings settings) {
        LOG.log(System.Logger.Level.INFO,
                "Worker ids of namespace ''{0}'' are leased from store ''{1}'' ({2}), with a window of {3}",
                settings.value(ShardedIdKey.LEASE_NAMESPACE), store, place, settings.value(ShardedIdKey.LEASE_WINDOW));
    }

    /**
     * Returns how the leases of one configuration are carried over to another one.
     * @param old the keys that were used so far
     * @param fresh the keys that are used from here on
     * @return the change, which connects when it is carried out
     * @throws ShardedIdConfigurationException if one of them does not name its store
     */
    public static StoreChange change(ShardedIdSettings old, ShardedIdSettings fresh) {
        return new StoreChange(UNKNOWN.named("old", old), UNKNOWN.named("new", fresh));
    }

    private StoreChange.Place named(String which, ShardedIdSettings settings) {
        if (!(settings.get(ShardedIdKey.LEASE_STORE) instanceof String name)) {
            throw new ShardedIdConfigurationException("'%s' must be set in the %s configuration: %1$s=null; add it"
                .formatted(ShardedIdKey.LEASE_STORE.externalName(), which));
        }
        LeaseSettings lease = lease(settings);
        LeaseStore store = provider(name).map((provider) -> provider.open(place(settings), lease.namespace()))
            .orElseGet(() -> JdbcWorkerLeases.store(lease.namespace(), connectionsFor(settings),
                    (String) settings.value(ShardedIdKey.LEASE_TABLE), schemaInitialization(settings)));
        return new StoreChange.Place(name, lease, store);
    }

    /** Returns the settings of the lease that the keys say. */
    LeaseSettings lease(ShardedIdSettings settings) {
        LeaseSettings.Builder lease = LeaseSettings.builder()
            .namespace((String) settings.value(ShardedIdKey.LEASE_NAMESPACE))
            .window((Duration) settings.value(ShardedIdKey.LEASE_WINDOW))
            .startupTimeout((Duration) settings.value(ShardedIdKey.LEASE_STARTUP_TIMEOUT))
            .firstUse(settings.value(ShardedIdKey.LEASE_ACQUIRE) == LeaseAcquisition.FIRST_USE)
            .awaitTable(this.awaitTable)
            .tolerateLostCommits((Boolean) settings.value(ShardedIdKey.LEASE_TOLERATE_LOST_COMMITS))
            .promotedClockBehind((Duration) settings.value(ShardedIdKey.LEASE_PROMOTED_CLOCK_BEHIND))
            .maxSkew((Duration) settings.value(ShardedIdKey.CLOCK_MAX_SKEW))
            .application(this.application);
        settings.workerId().ifPresent(lease::workerId);
        return lease.build();
    }

    private LeaseConnections connectionsFor(ShardedIdSettings settings) {
        if (settings.get(ShardedIdKey.LEASE_URL) instanceof String url) {
            return LeaseConnections
                .url(url, (String) settings.get(ShardedIdKey.LEASE_USERNAME),
                        (String) settings.get(ShardedIdKey.LEASE_PASSWORD))
                .beside(this.databases);
        }
        LeaseConnections known = this.connections;
        if (known == null) {
            throw new ShardedIdConfigurationException("Could not lease a worker id: no database is known "
                    + "(shardedid.worker.mode=lease, shardedid.worker.lease.url=null); set "
                    + "'shardedid.worker.lease.url', or 'shardedid.worker.mode' to 'fixed' or 'none'");
        }
        return this.databases.equals(List.of(known)) ? known : known.beside(this.databases);
    }

    private SchemaInitialization schemaInitialization(ShardedIdSettings settings) {
        SchemaInitialization set = (SchemaInitialization) settings.value(ShardedIdKey.LEASE_INITIALIZE_SCHEMA);
        return (set == SchemaInitialization.EMBEDDED && this.makesSchema) ? SchemaInitialization.ALWAYS : set;
    }

}
