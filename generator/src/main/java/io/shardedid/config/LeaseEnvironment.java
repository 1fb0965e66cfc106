package io.shardedid.config;

import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.LeaseSettings;
import io.shardedid.MessageText;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerIdRange;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.LeaseFactory;
import io.shardedid.internal.lease.LeaseHandOver;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.LeaseStoreProvider;
import io.shardedid.internal.lease.StoreChange;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.internal.lease.jdbc.LeaseLogin;
import org.jspecify.annotations.Nullable;

/**
 * What the configuration keys do not say about leases: the application around them. An
 * integration that opens engines by configuration keys hands it to
 * {@link ShardedIdSettings#workers}.
 *
 * @param connections where the keeper connects to unless
 * {@code shardedid.worker.lease.url} is set, or null if nothing is known
 * @param makesSchema whether the application lets Hibernate create or update its schema
 * @param application the name of the application, which the lease table shows; may be
 * empty
 * @param listeners the listeners of the lease
 * @param databases where the rows of the application go, as far as that is known
 * @param clients clients and addresses of other stores than databases that the
 * application has
 * @param awaitTable whether a migration that creates the lease table may be running
 * @param login the login at {@code shardedid.worker.lease.url}, in place of
 * {@code username} and {@code password}, or null
 * @since 0.1
 */
public record LeaseEnvironment(@Nullable LeaseConnections connections, boolean makesSchema, String application,
        List<WorkerLeaseListener> listeners, List<LeaseConnections> databases, List<Object> clients, boolean awaitTable,
        @Nullable Supplier<LeaseLogin> login) {

    private static final System.Logger LOG = System.getLogger(LeaseEnvironment.class.getName());

    private static final String DATABASE = "database";

    /** The stores of this project that are artifacts of their own. */
    private static final List<String> STORES = List.of("redis", "zookeeper");

    /** Nothing is known: leases need {@code shardedid.worker.lease.url}. */
    public static final LeaseEnvironment UNKNOWN = new LeaseEnvironment(null, false, "", List.of());

    /**
     * Makes an environment whose rows go where the keeper connects to.
     * @param connections where the keeper connects to unless
     * {@code shardedid.worker.lease.url} is set, or null if nothing is known
     * @param makesSchema whether the application lets Hibernate create or update its
     * schema
     * @param application the name of the application, which the lease table shows; may be
     * empty
     * @param listeners the listeners of the lease
     */
    public LeaseEnvironment(@Nullable LeaseConnections connections, boolean makesSchema, String application,
            List<WorkerLeaseListener> listeners) {
        this(connections, makesSchema, application, listeners, (connections != null) ? List.of(connections) : List.of(),
                List.of(), false, null);
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
                    ("'%s' must be set: %1$s=null (stores on the class path: %s; leases of two stores make duplicate ids, so "
                            + "no artifact decides where leases live)")
                        .formatted(key, names),
                    "add the line %s, with the value that all processes of the application have".formatted(
                            Stream.concat(known.stream().map(LeaseStoreProvider::name).sorted(), Stream.of(DATABASE))
                                .map((name) -> "'%s=%s'".formatted(key, name))
                                .collect(Collectors.joining(" or "))),
                    key);
        }
        return Optional.of(known.stream()
            .filter((each) -> each.name().equals(store))
            .findFirst()
            .orElseThrow(() -> new ShardedIdConfigurationException(
                    "'%s' must be '%s' or a store on the class path: %1$s='%s' (stores on the class path: %s)"
                        .formatted(key, DATABASE, store, names.isEmpty() ? "none" : names),
                    STORES.contains(store) ? "add the artifact 'shardedid-%s'".formatted(store)
                            : "correct the name, or add the artifact of that store (%s have one)"
                                .formatted(String.join(" and ", STORES)),
                    key)));
    }

    private WorkerLeases leases(ConfiguredLease lease, LeaseStoreProvider provider) {
        refuseForTable(ShardedIdKey.LEASE_TABLE, lease.table(), provider);
        refuseForTable(ShardedIdKey.LEASE_INITIALIZE_SCHEMA, lease.initialization(), provider);
        LeaseSettings settings = settings(lease);
        LeaseStore store = provider.open(place(lease), settings.namespace());
        told(provider.name(), store.describe(), lease);
        for (LeaseConnections database : (this.connections != null) ? List.of(this.connections) : this.databases) {
            store = JdbcLeases.beside(database, store, settings.namespace());
        }
        String replaced = lease.replaced();
        return (replaced != null)
                ? LeaseFactory.leasedInPlaceOf(settings, store, this.listeners, replaced,
                        () -> provider.open(place(lease), replaced))
                : LeaseFactory.leased(settings, store, this.listeners);
    }

    private static void refuseForTable(ShardedIdKey key, @Nullable Object value, LeaseStoreProvider provider) {
        if (value != null) {
            throw new ShardedIdConfigurationException(
                    "'%s' needs 'shardedid.worker.lease.store=database': %1$s='%s', store='%s' (it has no table)"
                        .formatted(key.externalName(), value, provider.name()),
                    "remove '%s'".formatted(key.externalName()), key.externalName(), "shardedid.worker.lease.store");
        }
    }

    private LeaseStoreProvider.Place place(ConfiguredLease lease) {
        return new LeaseStoreProvider.Place(lease.url(), lease.username(), lease.password(), this.clients);
    }

    WorkerLeases leases(ConfiguredLease lease) {
        Optional<LeaseStoreProvider> provider = provider(lease.store());
        if (provider.isPresent()) {
            return leases(lease, provider.get());
        }
        LeaseSettings settings = settings(lease);
        LeaseConnections database = connectionsFor(lease);
        told(DATABASE, database.describe(), lease);
        String replaced = lease.replaced();
        return (replaced != null)
                ? JdbcLeases.leasedInPlaceOf(settings, database, lease.tableOrDefault(), initialization(lease),
                        this.listeners, replaced)
                : JdbcLeases.leased(settings, database, lease.tableOrDefault(), initialization(lease), this.listeners);
    }

    private static void told(String store, String place, ConfiguredLease lease) {
        LOG.log(System.Logger.Level.INFO,
                "Worker ids of namespace ''{0}'' are leased from store ''{1}'' ({2}), with a window of {3}",
                lease.namespace(), store, place, MessageText.duration(lease.window()));
    }

    /** How the leases of one configuration are carried over to another one. */
    static StoreChange change(ConfiguredLease old, ConfiguredLease fresh) {
        return new StoreChange(UNKNOWN.named("old", old), UNKNOWN.named("new", fresh));
    }

    /** How worker ids of one lease table are handed over to another one. */
    static LeaseHandOver handOver(ConfiguredLease giver, ConfiguredLease receiver) {
        return new LeaseHandOver(UNKNOWN.named("giver's", giver), UNKNOWN.named("receiver's", receiver));
    }

    /** Takes worker ids from the lease table for ids that a database makes. */
    static LeaseHandOver.Given giveToDatabase(ConfiguredLease giver, WorkerIdRange workers) {
        return LeaseHandOver.giveToDatabase(UNKNOWN.named("giver's", giver), workers);
    }

    private StoreChange.Place named(String which, ConfiguredLease lease) {
        String name = lease.store();
        if (name == null) {
            throw new ShardedIdConfigurationException(
                    "'%s' must be set in the %s configuration: %1$s=null"
                        .formatted(ShardedIdKey.LEASE_STORE.externalName(), which),
                    "add it", ShardedIdKey.LEASE_STORE.externalName());
        }
        LeaseSettings settings = settings(lease);
        LeaseStore store = provider(name).map((provider) -> provider.open(place(lease), settings.namespace()))
            .orElseGet(() -> JdbcLeases.store(settings.namespace(), connectionsFor(lease), lease.tableOrDefault(),
                    initialization(lease)));
        return new StoreChange.Place(name, settings, store);
    }

    private LeaseSettings settings(ConfiguredLease lease) {
        return lease.settings(this.application, this.awaitTable);
    }

    private LeaseConnections connectionsFor(ConfiguredLease lease) {
        String url = lease.url();
        if (url != null) {
            return byUrl(url, lease).beside(this.databases);
        }
        if (lease.username() != null || lease.password() != null) {
            throw new ShardedIdConfigurationException(
                    "'shardedid.worker.lease.username' and 'shardedid.worker.lease.password' have no effect without "
                            + "'shardedid.worker.lease.url'",
                    "set the URL of the lease database, or remove the login", "shardedid.worker.lease.username",
                    "shardedid.worker.lease.password");
        }
        LeaseConnections known = this.connections;
        if (known == null) {
            throw new ShardedIdConfigurationException(
                    "Could not lease a worker id: no database is known (shardedid.worker.mode=lease, "
                            + "shardedid.worker.lease.url=null)",
                    "set 'shardedid.worker.lease.url', or 'shardedid.worker.mode' to 'fixed' or 'none'",
                    "shardedid.worker.mode", "shardedid.worker.lease.url");
        }
        return this.databases.equals(List.of(known)) ? known : known.beside(this.databases);
    }

    private LeaseConnections byUrl(String url, ConfiguredLease lease) {
        Supplier<LeaseLogin> asked = this.login;
        if (asked == null) {
            return LeaseConnections.url(url, lease.username(), lease.password());
        }
        if (lease.username() != null || lease.password() != null) {
            throw new ShardedIdConfigurationException(
                    ("The login of the keeper must be given once: shardedid.worker.lease.username=%s, "
                            + "shardedid.worker.lease.password=%s, and a supplier of '%s'")
                        .formatted((lease.username() != null) ? "set" : "unset",
                                (lease.password() != null) ? "set" : "unset", LeaseLogin.class.getSimpleName()),
                    "remove the keys or the supplier", "shardedid.worker.lease.username",
                    "shardedid.worker.lease.password");
        }
        return LeaseConnections.url(url, asked);
    }

    private SchemaInitialization initialization(ConfiguredLease lease) {
        SchemaInitialization set = lease.initializationOrDefault();
        return (set == SchemaInitialization.EMBEDDED && this.makesSchema) ? SchemaInitialization.ALWAYS : set;
    }

}
